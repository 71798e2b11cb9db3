import { afterAll } from "vitest";
import { endAll } from "./ends.ts";

// Vitest runs this before each file of tests.
afterAll(endAll);

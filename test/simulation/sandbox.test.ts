import { test } from "vitest";
import { checkSeeds } from "./check-seeds.ts";
import { serveSandbox } from "./sandbox-service.ts";

test("100 seeds on the real sandbox: paid at most once, all of it known, its books right", { timeout: 600_000 }, () => checkSeeds(100, serveSandbox));

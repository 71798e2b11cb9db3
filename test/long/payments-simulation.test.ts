import { test } from "vitest";
import { checkSeeds } from "../simulation/check-seeds.ts";

test("5,000 seeds of the payment simulation", () => checkSeeds(Number(process.env["PAYMENTS_SEEDS"] ?? "5000")));

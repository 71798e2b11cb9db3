import { test } from "vitest";
import { checkSeeds } from "../simulation/check-seeds.ts";
import { serveSandbox } from "../simulation/sandbox-service.ts";

test("4000 seeds on the real sandbox", { timeout: 3_600_000 }, () => checkSeeds(Number(process.env["PAYMENTS_SEEDS"] ?? "4000"), serveSandbox));

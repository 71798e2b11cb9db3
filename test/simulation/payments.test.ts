import { test } from "vitest";
import { checkSeeds } from "./check-seeds.ts";

test("200 seeds: paid at most once, nothing the journal does not know of, never refused where it was paid", { timeout: 600_000 }, () =>
  checkSeeds(Number(process.env["PAYMENTS_SEEDS"] ?? "200")),
);

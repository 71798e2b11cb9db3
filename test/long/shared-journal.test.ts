import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cutSharedBatch } from "../process/journal/cut-batch.ts";
import { killSharedBatch } from "../process/journal/killed-batch.ts";
import { startModel } from "../process/journal/model.ts";
import { checkSeeds } from "../simulation/check-seeds.ts";
import { createDatabaseStore } from "../simulation/database-store.ts";
import { createRandom } from "../support/payment-context.ts";
import { hasPostgres, logins, type Server, startPostgres } from "../support/postgres.ts";
import { runBinary } from "../support/process.ts";

let server: Server;
beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
});
afterAll(async () => {
  if (hasPostgres) await server.dispose();
});

describe.skipIf(!hasPostgres)("over a shared journal", () => {
  test("a batch killed 100 times on two machines in turn pays each row once", () => killSharedBatch(server, 100, createRandom(2)));

  test("a batch whose database is stopped, killed, cut off and silent 20 times pays each row once", () =>
    cutSharedBatch(20, ["stopped", "killed", "disconnected", "silent"], createRandom(4)));

  test("twenty processes as twenty machines with one payment send it once", async () => {
    const admin = await server.createJournal();
    const model = await startModel(200);
    const homes = Array.from({ length: 20 }, () => mkdtempSync(join(tmpdir(), "payments-machine-")));
    const words = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "ONE", "--yes", "--json"];
    const env = { ...model.env, PAYMENTS_JOURNAL_URL: server.as(admin, logins.maker) };
    const ends = await Promise.all(homes.map((home) => runBinary(words, { home, env, timeoutMs: 120_000 })));
    for (const home of homes) rmSync(home, { recursive: true, force: true });
    expect(ends.map(({ code }) => code).toSorted()).toEqual([0, ...Array.from({ length: 19 }, () => 11)]);
    expect(model.counts).toEqual({ creations: 1, mostAtOnce: 1 });
  });

  test("300 seeds of the payment simulation", () => checkSeeds(Number(process.env["PAYMENTS_SEEDS"] ?? "300"), undefined, createDatabaseStore(server)));
});

import { afterAll, beforeAll, test } from "vitest";
import { hasPostgres, type Server, startPostgres } from "../support/postgres.ts";
import { checkSeeds } from "./check-seeds.ts";
import { createDatabaseStore } from "./database-store.ts";

let server: Server;
beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
});
afterAll(async () => {
  if (hasPostgres) await server.dispose();
});

test.runIf(hasPostgres)("6 seeds over a shared journal: paid at most once, nothing the journal does not know of", { timeout: 600_000 }, () =>
  checkSeeds(Number(process.env["PAYMENTS_SEEDS"] ?? "6"), undefined, createDatabaseStore(server)),
);

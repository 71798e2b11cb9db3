import type { Journal } from "../../src/journal/port.ts";
import { openSharedJournal } from "../../src/journal/postgres/postgres-journal.ts";
import type { Server } from "./postgres.ts";

const clockSql = `
CREATE TABLE IF NOT EXISTS payments.test_clock (ms float8);
GRANT SELECT ON payments.test_clock TO PUBLIC;
CREATE OR REPLACE FUNCTION payments.clock() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT to_char(to_timestamp(ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM payments.test_clock
$$; INSERT INTO payments.test_clock VALUES (0)`;

/** From here on the database shows the test's time. */
export const setTestClock = (server: Server, admin: string): Promise<unknown> => server.query(admin, clockSql);

/** The journal of such a database, as another process would open it. */
export const openTimed = async (
  server: Server,
  { admin, login }: { readonly admin: string; readonly login: string },
  nowMs: () => number,
): Promise<Journal> => {
  const journal = await openSharedJournal({ url: server.as(admin, login), env: {} });
  const timed = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, name, receiver) => {
        const value: unknown = Reflect.get(of, name, receiver);
        if (name === "approvals") return timed(value as object);
        if (typeof value !== "function" || name === "lost" || name === "dispose") return value;
        return async (...given: unknown[]) => {
          await server.query(admin, "UPDATE payments.test_clock SET ms = $1", [nowMs()]);
          return (value as (...all: unknown[]) => unknown)(...given);
        };
      },
    });
  return timed(journal);
};

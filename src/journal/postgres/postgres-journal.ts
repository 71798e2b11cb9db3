import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { CliError, usageError } from "../../errors.ts";
import { isRow } from "../../storage/sqlite.ts";
import { openedAttempt, toStoredTry } from "../attempt.ts";
import { allOf, conditionsOf, valuesOf } from "../attempt-store.ts";
import { toAttempt as toOwnAttempt } from "../journal-rows.ts";
import { type Attempt, type AttemptFilter, type Journal, type Role, roles, type Try } from "../port.ts";
import { attemptColumns } from "../tables.ts";
import { type ApplyQueue, createApplyQueue, type Operation } from "./apply-queue.ts";
import { type Ask, createSharedApprovals, sharedQuestions } from "./approvals-postgres.ts";
import { type Connection, codeOf, insufficientPrivilege, journalUnavailable, openConnection, type Row } from "./connection.ts";
import { newerSchema, schemaVersion } from "./schema-version.ts";

export type SharedJournalOptions = {
  readonly url: string;
  /** Of the profile; else the URL's, or where libpq looks for one. */
  readonly password?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** The journal of a team, in PostgreSQL. Throws CliError usage if the database cannot be used, or has no journal of this version. */
export const openSharedJournal = async ({ url, password, env }: SharedJournalOptions): Promise<Journal> => {
  const connection = await openConnection(url, env, password);
  try {
    await checkSchema(connection);
    const holder = await takeHolder(connection);
    const read = reader(connection);
    const ask: Ask = async ({ sql, values, answer }) => answer(await read(sql, values));
    const queue = createApplyQueue({ connection, holder, machine: hostname(), findApproval: (id) => ask(sharedQuestions.find(id)) });
    const [user] = await read("SELECT session_user::text AS name");
    const name = String(user?.["name"]);
    const toAttempt = attemptReader(name);
    return {
      ...createSending(queue, read, holder, toAttempt),
      ...createReading(queue, read, connection.where, toAttempt),
      exclusively: createExclusively(connection, read),
      prune: async (olderThanMs) => Number(await queue.apply({ op: "prune", olderThanMs })),
      approvals: createSharedApprovals(queue, ask, async () => ({ name, machine: hostname(), roles: await readRoles(read) })),
      importAttempt: async (attempt) => (await queue.apply({ op: "import", attempt: attemptColumns.toRow(attempt) })) === true,
      lost: () => connection.lost(),
      dispose: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error instanceof CliError ? error : journalUnavailable(connection.where, error);
  }
};

type Read = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
/** A value is `?` in the SQL that both journals share, as in all of this file. */
const reader =
  (connection: Connection): Read =>
  async (sql, values) => {
    try {
      let marks = 0;
      return await connection.query(
        sql.replaceAll("?", () => `$${++marks}`),
        values,
      );
    } catch (error) {
      throw journalUnavailable(connection.where, error);
    }
  };

const undefinedTable = "42P01";
/** The server lets go of what a machine holds that was cut off within 40 s, instead of its usual two hours. */
const sessionSettings = "SET synchronous_commit = on; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3";
const checkSchema = async ({ query, where }: Connection): Promise<void> => {
  await query(sessionSettings);
  const version = await query("SELECT version FROM payments.meta").then(
    ([row]) => Number(row?.["version"]),
    (cause: unknown) => {
      // A login without a role can see no more than that: each question says so, and `status` answers.
      if (codeOf(cause) === insufficientPrivilege) return schemaVersion;
      if (codeOf(cause) !== undefinedTable) throw cause;
      throw new CliError("usage", `There is no shared journal at ${where}; nothing was sent`, { cause, hint: "payments-cli journal setup URL makes it." });
    },
  );
  if (version > schemaVersion) throw newerSchema(where);
  if (version < schemaVersion)
    throw usageError(`The shared journal at ${where} is of an older version; nothing was sent`, "payments-cli journal setup URL brings it up to date");
};

/** While this session lives it holds this number's lock: others see by it whether what it began may still be under way. */
const takeHolder = async ({ query }: Connection): Promise<string> => {
  const holder = String(randomBytes(8).readBigInt64BE());
  await query("SELECT pg_advisory_lock($1::bigint)", [holder]);
  return holder;
};

const triedOf = (tried: Try): object => ({ tried: toStoredTry(tried), unanswered: tried.outcome === "unanswered" ? 1 : 0 });

const isRole = (value: unknown): value is Role => roles.some((role) => role === value);
const readRoles = async (read: Read): Promise<readonly Role[]> =>
  (await read(`SELECT role FROM unnest('{${roles.join()}}'::text[]) AS role WHERE payments.has_role(role)`)).map(({ role }) => role).filter(isRole);

type ToAttempt = (row: unknown) => Attempt | undefined;
/** A row as an attempt, with whose it is if it is not this login's. */
const attemptReader =
  (own: string): ToAttempt =>
  (row) => {
    const attempt = toOwnAttempt(row);
    if (attempt === undefined || !isRow(row) || row["made_by"] === own) return attempt;
    return { ...attempt, recordedBy: { login: String(row["made_by"]), imported: row["imported"] === true } };
  };

const looksMax = 4;
const betweenLooksMs = 50;
/** The server may take a moment to see that a process has ended: what it held counts as held when it still is a little later. */
const unlessHeld = async <T>(holder: string, heldBy: () => Promise<unknown>, work: () => Promise<T>): Promise<T> => {
  for (let looks = 1; ; looks += 1) {
    try {
      return await work();
    } catch (error) {
      const isHeld = error instanceof CliError && error.kind === "duplicate" && error.sent === "unknown";
      if (!isHeld || looks === looksMax || (await heldBy()) === holder) throw error;
      await pause(betweenLooksMs);
    }
  }
};

const holderOf = (read: Read, id: string) => async (): Promise<unknown> =>
  (await read("SELECT held_by FROM payments.attempts WHERE id = ?", [id]))[0]?.["held_by"];

type Sending = Pick<Journal, "open" | "reopen" | "addTry" | "close" | "setStatus" | "confirm">;
const createSending = ({ apply }: ApplyQueue, read: Read, holder: string, toAttempt: ToAttempt): Sending => {
  const begin = async (operation: Operation): Promise<Attempt> => {
    const attempt = toAttempt(await apply(operation));
    if (attempt === undefined) throw new CliError("bug", "The shared journal gave no attempt back.");
    return attempt;
  };
  return {
    open: (attempt, judged) => begin({ op: "open", attempt: attemptColumns.toRow(openedAttempt(attempt, holder)), judged: judged ?? null }),
    reopen: (id, judged) => unlessHeld(holder, holderOf(read, id), () => begin({ op: "reopen", id, judged: judged ?? null })),
    // The same session still holds its lock, and the attempt is still its own: nobody else may be sending it.
    confirm: async (id) => {
      const [row] = await read("SELECT held_by = ? AND payments.holds(?) AS own FROM payments.attempts WHERE id = ?", [holder, holder, id]);
      if (row?.["own"] === true) return;
      throw new CliError("usage", `This program no longer holds attempt ${id} in the shared journal; nothing was sent`, { journalId: id });
    },
    addTry: async (id, tried) => {
      await apply({ op: "tried", id, ...triedOf(tried) });
    },
    close: async (id, { tried, ...end }) => {
      await unlessHeld(holder, holderOf(read, id), () => apply({ op: "close", id, ...end, ...(tried === undefined ? {} : triedOf(tried)) }));
    },
    setStatus: async (id, status) => {
      await apply({ op: "status", id, status });
    },
  };
};

const createReading = (
  { apply }: ApplyQueue,
  read: Read,
  where: string,
  toAttempt: ToAttempt,
): Pick<Journal, "find" | "list" | "seeTransactions" | "newestTime" | "check" | "status" | "nowMs"> => {
  const list = async (filter: AttemptFilter): Promise<readonly Attempt[]> => {
    const conditions = conditionsOf(filter);
    const limit = filter.limit === undefined ? "" : ` LIMIT ${filter.limit}`;
    const rows = await read(`SELECT * FROM payments.attempts WHERE ${allOf(conditions)} ORDER BY seq DESC${limit}`, valuesOf(conditions));
    return rows.flatMap((row) => toAttempt(row) ?? []);
  };
  return {
    find: async (idOrKey) => {
      const [row] = await read("SELECT * FROM payments.attempts WHERE id = ?", [idOrKey]);
      return toAttempt(row) ?? (await list({ idempotencyKey: idOrKey, limit: 1 }))[0];
    },
    list,
    seeTransactions: async ({ id, baseUrl }, transactionIds) => {
      const older = await apply({ op: "seen", id, baseUrl, transactionIds });
      return Array.isArray(older) ? older.map(String) : [];
    },
    newestTime: async () => {
      const [row] = await read("SELECT greatest(max(started_at), max(closed_at)) AS at FROM payments.attempts");
      return typeof row?.["at"] === "string" ? row["at"] : undefined;
    },
    nowMs: async () => Date.parse(String((await read("SELECT payments.clock() AS now"))[0]?.["now"])),
    // PostgreSQL keeps checksums of its own.
    check: async () => {
      await apply({ op: "check" });
      return [];
    },
    status: async () => {
      const [row] = await read("SELECT session_user::text AS who, has_schema_privilege('payments', 'USAGE') AS has_role");
      if (row?.["has_role"] !== true) return { journal: "postgres", where, who: String(row?.["who"]), role: "none", attempts: 0, open: 0 };
      const [counts] = await read(
        "SELECT payments.own_role() AS role, count(*)::int AS attempts, count(*) FILTER (WHERE state IN ('started', 'unknown'))::int AS open FROM payments.attempts",
      );
      const role = counts?.["role"];
      return {
        journal: "postgres",
        where,
        who: String(row?.["who"]),
        role: isRole(role) ? role : "none",
        attempts: Number(counts?.["attempts"]),
        open: Number(counts?.["open"]),
      };
    },
  };
};

/** An advisory lock of this session. It is gone with the connection, and then nothing is sent either. */
const createExclusively = (connection: Connection, read: Read): Journal["exclusively"] => {
  const held = new Set<string>();
  return async (name, work) => {
    const key = "hashtextextended('payments ' || $1, 0)";
    if (held.has(name)) return undefined;
    const [row] = await read(`SELECT pg_try_advisory_lock(${key}) AS taken`, [name]);
    if (row?.["taken"] !== true) return undefined;
    held.add(name);
    try {
      return await work();
    } finally {
      held.delete(name);
      // If the connection is lost the lock is gone with it.
      await connection.query(`SELECT pg_advisory_unlock(${key})`, [name]).catch(() => undefined);
    }
  };
};

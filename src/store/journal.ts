import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Attempt, Clock, Journal, NewAttempt, Try } from "../kernel/context.ts";
import { CliError } from "../kernel/errors.ts";
import { cannotRead, cannotRecord, checkVersion, journalFileName, locksFolderName, lostInUse, openFile, watchPlace } from "./journal-file.ts";
import { createCommitQueue, type Write } from "./journal-queue.ts";
import { attemptValues, insertAttempt, isUnanswered, toAttempt, toQuery, toStoredTry } from "./journal-rows.ts";
import { tryLock } from "./lock.ts";
import type { Database, Statement } from "./sqlite.ts";

export type JournalOptions = {
  readonly dataFolder: string;
  readonly clock: Pick<Clock, "now">;
  /** How long an answer may wait for others to be committed with it, ms (0). Lost with a killed process, the attempt is open again. */
  readonly apartMs?: number;
  /** How a file that another program holds is waited for: within SQLite, which holds this thread up, or between tries. */
  readonly waits?: "within" | "between";
};
const busyMs = 10_000;

/**
 * The journal of payment attempts: SQLite with a write-ahead log, synced before an opening resolves. Writes that wait at the same moment
 * share one commit. Throws CliError usage (2) where the file can be neither written nor read.
 */
export const openJournal = async ({ dataFolder, clock, apartMs = 0, waits = "within" }: JournalOptions): Promise<Journal> => {
  const path = join(dataFolder, journalFileName);
  const { database: opened, readOnly } = await openFile(path);
  const database = withStatementCache(opened);
  if (waits === "between") database.exec("PRAGMA busy_timeout = 0");
  const nowIso = (): string => new Date(clock.now()).toISOString();
  const place = watchPlace(path);
  const queue = createCommitQueue(database, {
    last: (db) => {
      db.prepare("INSERT INTO newest VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = max(at, excluded.at)").run(nowIso());
    },
    apartMs,
    busyMs: waits === "between" ? busyMs : 0,
  });
  // What is written to a file that was moved or deleted meanwhile is written nowhere: the next process would pay again.
  const lost = (): CliError | undefined => {
    if (readOnly !== undefined || place.isWhole()) return undefined;
    // What only a deleted log has would go with this process.
    if (place.holds()) database.exec("PRAGMA wal_checkpoint");
    return cannotRecord(path, lostInUse());
  };
  // What opens an attempt is on disk before it resolves. What closes one may be lost with the machine's power, though not with
  // the process: the attempt is then open again, and settling it finds the same end. So a batch pays one sync a row, not three.
  const write = async (work: Write, durability: "synced" | "committed" = "committed"): Promise<void> => {
    if (readOnly !== undefined) throw cannotRecord(path, readOnly);
    const fault = durability === "synced" ? lost() : undefined;
    if (fault !== undefined) throw fault;
    try {
      await queue.commit(work, durability === "synced");
    } catch (error) {
      throw error instanceof CliError ? error : cannotRecord(path, error);
    }
  };
  // A payment may have been made meanwhile: what is written goes where nobody will look, and whoever waits for it has to hear so.
  const writeInPlace = async (work: Write): Promise<void> => {
    await write(work);
    const fault = lost();
    if (fault !== undefined) throw fault;
  };
  const readAs = <T>(to: (row: unknown) => T | undefined, work: (db: Database) => unknown[]): readonly T[] => {
    try {
      return work(database).flatMap((row) => to(row) ?? []);
    } catch (cause) {
      throw cannotRead(path, cause);
    }
  };
  const read = (work: (db: Database) => unknown[]): readonly Attempt[] => readAs(toAttempt, work);

  return {
    open: (attempt, judged) =>
      write((db) => {
        checkVersion(db);
        throwIfLikeAppeared(db, attempt.guardKey, attempt.baseUrl, judged);
        if (Number(db.prepare(insertAttempt).run(...attemptValues(attempt)).changes) === 0) throw keyIsTaken(db, attempt);
      }, "synced"),
    reopen: (id, judged) =>
      write((db) => {
        checkVersion(db);
        const attempt = toAttempt(db.prepare("SELECT * FROM attempts WHERE id = ?").get(id));
        if (attempt !== undefined) throwIfLikeAppeared(db, attempt.guardKey, attempt.baseUrl, judged);
        db.prepare(reopenStatement).run(id);
      }, "synced"),
    addTry: (id, tried) => writeInPlace((db) => storeTry(db, id, tried)),
    close: (id, end) =>
      writeInPlace((db) => {
        if (end.state === "accepted" && end.tried !== undefined) {
          db.prepare(acceptStatement).run(nowIso(), end.transactionId ?? null, end.status ?? null, end.answer ?? null, storedTry(end.tried), id);
          return;
        }
        if (end.tried !== undefined) storeTry(db, id, end.tried);
        if (end.state === "refused" && end.byHand !== true && isShared(db, id)) return;
        db.prepare(closeStatement).run(
          end.state,
          end.state === "unknown" ? null : nowIso(),
          end.transactionId ?? null,
          end.status ?? null,
          end.answer ?? null,
          id,
        );
      }),
    setStatus: (id, status) =>
      writeInPlace((db) => {
        db.prepare("UPDATE attempts SET status = ? WHERE id = ?").run(status, id);
      }),
    find: async (idOrKey) =>
      read((db) => db.prepare("SELECT * FROM attempts WHERE id = ?").all(idOrKey))[0] ??
      read((db) => db.prepare("SELECT * FROM attempts WHERE idempotency_key = ? ORDER BY seq DESC LIMIT 1").all(idOrKey))[0],
    list: async (filter) =>
      read((db) => {
        if (filter.guardKey !== undefined && !isKnown(db, filter.guardKey)) return [];
        const { sql, values } = toQuery(filter);
        return db.prepare(sql).all(...values);
      }),
    newestTime: async () => {
      const [row] = readAs(
        (value) => value,
        (db) => db.prepare("SELECT at FROM newest").all(),
      );
      return typeof row === "object" && row !== null && "at" in row && typeof row.at === "string" ? row.at : undefined;
    },
    exclusively: (name, work) => exclusively(join(dataFolder, locksFolderName, `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.lock`), work),
    prune: async (olderThanMs) => {
      const before = new Date(clock.now() - olderThanMs).toISOString();
      let pruned = 0;
      // Freed bytes are overwritten, so that no phone number stays in the file's slack.
      database.exec("PRAGMA secure_delete = ON");
      await write((db) => {
        pruned = Number(db.prepare(pruneStatement).run(before).changes);
      }, "synced");
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return pruned;
    },
    check: () => write(() => undefined, "synced"),
    lost,
    dispose: () => {
      queue.flush();
      database.close();
    },
  };
};

/** Preparing costs more than running: each SQL text is prepared once. All of them are written here, so they are few. */
const withStatementCache = (database: Database): Database => {
  const statements = new Map<string, Statement>();
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare: (sql) => {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      const statement = database.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
  };
};

/**
 * `unanswered` 2: the attempt was open when it was begun again, so another process may be sending it too. What one of them is
 * refused then says nothing of what the other was answered.
 */
const reopenStatement = `UPDATE attempts SET unanswered = CASE state WHEN 'refused' THEN 0 ELSE 2 END, state = 'started', closed_at = NULL
  WHERE id = ? AND state <> 'accepted'`;

/** True where a refusal can't close the attempt, which is then `unknown`. */
const isShared = (db: Database, id: string): boolean =>
  Number(db.prepare("UPDATE attempts SET state = 'unknown' WHERE id = ? AND state <> 'accepted' AND unanswered = 2").run(id).changes) > 0;

/** An accepted attempt is never taken back: a payment that is known to exist stays known. */
const closeStatement = `UPDATE attempts SET state = ?1, closed_at = ?2, transaction_id = coalesce(?3, transaction_id), status = coalesce(?4, status),
  answer = coalesce(?5, answer) WHERE id = ?6 AND (state <> 'accepted' OR ?1 = 'accepted')`;

const storedTry = (tried: Try): string => JSON.stringify(toStoredTry(tried));
const storeTry = (db: Database, id: string, tried: Try): void => {
  db.prepare("UPDATE attempts SET tries = json_insert(tries, '$[#]', json(?)), unanswered = max(unanswered, ?) WHERE id = ?").run(
    storedTry(tried),
    isUnanswered(tried) ? 1 : 0,
    id,
  );
};

/** The accepting answer and its try, in one: a batch does this once a row. */
const acceptStatement = `UPDATE attempts SET state = 'accepted', closed_at = ?1, transaction_id = coalesce(?2, transaction_id), status = coalesce(?3, status),
  answer = coalesce(?4, answer), tries = json_insert(tries, '$[#]', json(?5)) WHERE id = ?6`;

/** What the guard and a resume need stays: guard key, reference, amount, state, transaction id. The payee keeps its last three digits. */
const pruneStatement = `UPDATE attempts SET body = NULL, answer = NULL, evidence = NULL, payee = CASE WHEN payee = '' THEN '' ELSE '…' || substr(payee, -3) END
  WHERE state IN ('accepted', 'refused') AND coalesce(closed_at, started_at) < ? AND body IS NOT NULL`;

/** A key is scoped by endpoint (cli.md, Money safety): two processes may have been given the same one at once. */
const keyIsTaken = (db: Database, attempt: NewAttempt): CliError => {
  const like = toAttempt(
    db
      .prepare("SELECT * FROM attempts WHERE idempotency_key = ? AND endpoint = ? AND base_url = ?")
      .get(attempt.idempotencyKey, attempt.endpoint, attempt.baseUrl),
  );
  // Ids are random: one that is taken under another key is no chance, and what is not recorded is not sent.
  if (like === undefined) return cannotRecord(attempt.id, new Error("its id is in the journal already"));
  return new CliError("duplicate", `Another process has just begun a payment with the key ${attempt.idempotencyKey} (journal ${like.id}); nothing was sent`, {
    hint: `the same command again goes on with it; see payments-cli journal show ${like.id}`,
    idempotencyKey: like.idempotencyKey,
    journalId: like.id,
  });
};

/** Most payments are the first of their kind, and asking for whole rows costs ten times as much. */
const isKnown = (db: Database, guardKey: string): boolean => db.prepare("SELECT 1 FROM attempts WHERE guard_key = ? LIMIT 1").get(guardKey) !== undefined;

const throwIfLikeAppeared = (db: Database, guardKey: NewAttempt["guardKey"], baseUrl: string, judged: readonly string[] | undefined): void => {
  if (judged === undefined || !isKnown(db, guardKey)) return;
  const known = new Set(judged);
  for (const row of db.prepare("SELECT * FROM attempts WHERE guard_key = ? AND base_url = ? AND state <> 'refused'").all(guardKey, baseUrl)) {
    const like = toAttempt(row);
    if (like === undefined || known.has(like.id)) continue;
    throw new CliError("duplicate", `Another process has just begun the same payment (journal ${like.id}); nothing was sent`, {
      hint: `see payments-cli journal show ${like.id}; --allow-duplicate sends it all the same`,
      idempotencyKey: like.idempotencyKey,
      journalId: like.id,
    });
  }
};

const exclusively = async <T>(path: string, work: () => Promise<T>): Promise<T | undefined> => {
  const lock = await tryLock(path).catch((error: unknown) => {
    throw error instanceof CliError ? error : cannotRecord(path, error);
  });
  if (lock === undefined) return undefined;
  try {
    return await work();
  } finally {
    lock.close();
  }
};

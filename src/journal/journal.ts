import { createHash } from "node:crypto";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { createCommitQueue, type Write } from "../storage/commit-queue.ts";
import { tryLock } from "../storage/lock.ts";
import type { Database, Statement } from "../storage/sqlite.ts";
import { closedAttempt, openedAttempt, prunedAttempt, reopenedAttempt, triedAttempt, withStatus } from "./attempt.ts";
import { createClaims } from "./claims.ts";
import { cannotRead, cannotRecord, checkVersion, journalFileName, locksFolderName, lostInUse, openFile, watchPlace } from "./journal-file.ts";
import { insertAttempt, insertValues, isAskedFor, toAttempt, toQuery, updateAttempt, updateValues } from "./journal-rows.ts";
import type { Attempt, AttemptFilter, Journal, NewAttempt } from "./port.ts";

type Durability = "synced" | "committed";
export type JournalOptions = { readonly dataFolder: string; readonly clock: Pick<Clock, "now"> };

/** The journal in one SQLite file with a write-ahead log. Throws CliError usage where the file can be neither written nor read. */
export const openJournal = async ({ dataFolder, clock }: JournalOptions): Promise<Journal> => {
  const path = join(dataFolder, journalFileName);
  const { database: opened, readOnly } = await openFile(path);
  const database = withStatementCache(opened);
  const nowIso = (): string => new Date(clock.now()).toISOString();
  const place = watchPlace(path);
  const queue = createCommitQueue(database, (db) => {
    db.prepare("INSERT INTO newest VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = max(at, excluded.at)").run(nowIso());
  });
  const lost = (): CliError | undefined => {
    if (readOnly !== undefined || (place.isWhole() && claims.isSeen())) return undefined;
    // What only a deleted log has would go with this process.
    if (place.holds()) database.exec("PRAGMA wal_checkpoint");
    return cannotRecord(path, lostInUse());
  };
  // What opens an attempt is on disk before it resolves. What closes one may be lost with the machine's power, though not with
  // the process: the attempt is then open again, and settling it finds the same end. So a batch pays one sync a row, not three.
  let disposed = false;
  const locks = new Set<Database>();
  const claims = createClaims(join(dataFolder, locksFolderName));
  const recorded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (readOnly !== undefined) throw cannotRecord(path, readOnly);
    try {
      return await work();
    } catch (error) {
      throw error instanceof CliError ? error : cannotRecord(path, error);
    }
  };
  const write = async <T>(work: Write<T>, durability: Durability = "committed"): Promise<T> => {
    const value = await recorded(() => queue.commit(work, durability));
    // What is written to a file that was moved or deleted is written nowhere: the next process would pay again.
    const fault = lost();
    if (fault !== undefined) throw fault;
    return value;
  };
  // Whether a process has ended can't be asked within a transaction: who holds the attempt is looked at again after.
  const changeUnlessHeld = async (id: string, durability: Durability, to: Change): Promise<Attempt | undefined> => {
    let ended: string | undefined;
    for (let looks = 1; ; looks += 1) {
      const { attempt, heldBy } = await write((db) => change(db, id, to, (holder) => holder !== ended && !claims.isOwn(holder)), durability);
      if (attempt === undefined || heldBy === undefined) return attempt;
      if (looks > 2 || (await recorded(() => claims.isAlive(heldBy)))) throw underWay(attempt);
      ended = heldBy;
    }
  };
  const read = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw cannotRead(path, cause);
    }
  };

  return {
    open: async (attempt, judged) => {
      const opened = openedAttempt(attempt, await recorded(claims.own));
      await write((db) => {
        checkVersion(db);
        throwIfLikeAppeared(db, attempt, judged);
        if (Number(db.prepare(insertAttempt).run(...insertValues(opened)).changes) === 0) throw keyIsTaken(db, attempt);
      }, "synced");
      return opened;
    },
    reopen: async (id, judged) => {
      const own = await recorded(claims.own);
      const reopened = await changeUnlessHeld(id, "synced", (attempt, db) => {
        checkVersion(db);
        if (attempt.heldBy === own) throw underWay(attempt);
        throwIfLikeAppeared(db, attempt, judged);
        return reopenedAttempt(attempt, own);
      });
      if (reopened === undefined) throw new CliError("not-found", `No attempt ${id} in the journal`);
      return reopened;
    },
    addTry: async (id, tried) => {
      await write((db) => change(db, id, (attempt) => triedAttempt(attempt, tried)));
    },
    close: async (id, end) => {
      await changeUnlessHeld(id, "committed", (attempt) => closedAttempt(attempt, end, nowIso()));
    },
    setStatus: async (id, status) => {
      await write((db) => change(db, id, (attempt) => withStatus(attempt, status)));
    },
    find: async (idOrKey) =>
      read(
        () =>
          toAttempt(database.prepare("SELECT * FROM attempts WHERE id = ?").get(idOrKey)) ?? listAttempts(database, { idempotencyKey: idOrKey, limit: 1 })[0],
      ),
    list: async (filter) => read(() => listAttempts(database, filter)),
    seeTransactions: ({ id, baseUrl }, transactionIds) =>
      write((db) => {
        const before = "SELECT 1 FROM seen WHERE base_url = ? AND transaction_id = ? AND after_seq < (SELECT seq FROM attempts WHERE id = ?)";
        const see = "INSERT OR IGNORE INTO seen VALUES (?, ?, (SELECT coalesce(max(seq), 0) FROM attempts))";
        const older = transactionIds.filter((transactionId) => db.prepare(before).get(baseUrl, transactionId, id) !== undefined);
        for (const transactionId of transactionIds) db.prepare(see).run(baseUrl, transactionId);
        return older;
      }),
    newestTime: async () => {
      const row = read(() => database.prepare("SELECT at FROM newest").get());
      return typeof row === "object" && row !== null && "at" in row && typeof row.at === "string" ? row.at : undefined;
    },
    exclusively: (name, work) =>
      exclusively(join(dataFolder, locksFolderName, `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.lock`), locks, work),
    prune: async (olderThanMs) => {
      const before = new Date(clock.now() - olderThanMs).toISOString();
      let pruned = 0;
      // Freed bytes are overwritten, so that no phone number stays in the file's slack.
      database.exec("PRAGMA secure_delete = ON");
      await write((db) => {
        for (const row of db.prepare(prunable).all(before)) {
          const attempt = toAttempt(row);
          if (attempt === undefined || attempt.damaged === true) continue;
          change(db, attempt.id, prunedAttempt);
          pruned += 1;
        }
      }, "synced");
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return pruned;
    },
    check: async () => {
      await write(() => undefined, "synced");
      return read(() => {
        const damaged: string[] = [];
        for (const row of database.prepare("SELECT * FROM attempts ORDER BY seq DESC LIMIT 100000").iterate()) {
          const attempt = toAttempt(row);
          if (attempt?.damaged === true) damaged.push(attempt.id);
        }
        return damaged;
      });
    },
    lost,
    dispose: () => {
      if (disposed) return;
      disposed = true;
      queue.flush();
      database.close();
      for (const lock of locks) lock.close();
      locks.clear();
      claims.dispose();
    },
  };
};

const prunable = "SELECT * FROM attempts WHERE state IN ('accepted', 'refused') AND coalesce(closed_at, started_at) < ? AND body IS NOT NULL";

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

type Change = (attempt: Attempt, db: Database) => Attempt;
const listAttempts = (db: Database, filter: AttemptFilter): readonly Attempt[] => {
  const { sql, values } = toQuery(filter);
  const statement = db.prepare(sql);
  const found: Attempt[] = [];
  // Of a million rows those that are not wanted are not read.
  for (const row of filter.limit === undefined ? statement.all(...values) : statement.iterate(...values)) {
    const attempt = toAttempt(row);
    if (attempt !== undefined && isAskedFor(attempt, filter)) found.push(attempt);
    if (found.length === filter.limit) break;
  }
  return found;
};

/** Without `attempt` there is no such attempt; with `heldBy` it was not changed. */
type Changed = { readonly attempt?: Attempt; readonly heldBy?: string };

const change = (db: Database, id: string, to: Change, isHeld: (holder: string) => boolean = () => false): Changed => {
  const attempt = toAttempt(db.prepare("SELECT * FROM attempts WHERE id = ?").get(id));
  if (attempt === undefined) return {};
  if (attempt.heldBy !== undefined && isHeld(attempt.heldBy)) return { attempt, heldBy: attempt.heldBy };
  const changed = to(attempt, db);
  db.prepare(updateAttempt).run(...updateValues(changed));
  return { attempt: changed };
};

const underWay = ({ id, idempotencyKey }: Attempt): CliError =>
  new CliError(
    "duplicate",
    `This payment is being sent at this moment, by another process or another part of this one (journal ${id}); it was not sent once more`,
    {
      hint: "Wait for that to end. To look at it then",
      command: ["journal", "show", id],
      sent: "unknown",
      idempotencyKey,
      journalId: id,
    },
  );

/** A key is scoped by endpoint (rules.md, Money safety): two processes may have been given the same one at once. */
const keyIsTaken = (db: Database, { id, idempotencyKey, endpoint, baseUrl }: NewAttempt): CliError => {
  const row = db.prepare("SELECT * FROM attempts WHERE idempotency_key = ? AND endpoint = ? AND base_url = ?").get(idempotencyKey, endpoint, baseUrl);
  const like = toAttempt(row);
  // Ids are random: one that is taken is no coincidence, and what is not recorded is not sent.
  if (like === undefined) return cannotRecord(id, new Error("its id is in the journal already"));
  return new CliError("duplicate", `Another process has just begun a payment with the key ${idempotencyKey} (journal ${like.id}); nothing was sent`, {
    hint: "The same command again goes on with it. To look at it",
    command: ["journal", "show", like.id],
    idempotencyKey,
    journalId: like.id,
  });
};

const throwIfLikeAppeared = (db: Database, { guardKey, baseUrl }: NewAttempt, judged: readonly string[] | undefined): void => {
  if (judged === undefined) return;
  for (const like of listAttempts(db, { guardKey, baseUrl })) {
    if (like.state === "refused" || judged.includes(like.id)) continue;
    throw new CliError("duplicate", `Another process has just begun the same payment (journal ${like.id}); nothing was sent`, {
      hint: "--allow-duplicate sends another one. To look at the earlier one",
      command: ["journal", "show", like.id],
      idempotencyKey: like.idempotencyKey,
      journalId: like.id,
    });
  }
};

const exclusively = async <T>(path: string, locks: Set<Database>, work: () => Promise<T>): Promise<T | undefined> => {
  const lock = await tryLock(path).catch((error: unknown) => {
    throw error instanceof CliError ? error : cannotRecord(path, error);
  });
  if (lock === undefined) return undefined;
  locks.add(lock);
  try {
    return await work();
  } finally {
    if (locks.delete(lock)) lock.close();
  }
};

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../ports.ts";
import { tryLock } from "../storage/lock.ts";
import type { Database } from "../storage/sqlite.ts";
import { createApprovals, readUser, throwIfNotApproved } from "./approvals-file.ts";
import { closedAttempt, openedAttempt, prunedAttempt, reopenedAttempt, triedAttempt, withStatus } from "./attempt.ts";
import { noSuchAttempt, underWay } from "./attempt-errors.ts";
import { type Change, change, listAttempts, throwIfLikeAppeared, throwTaken } from "./attempt-store.ts";
import { type JournalCore, type JournalOptions, openCore } from "./journal-core.ts";
import { checkVersion } from "./journal-file.ts";
import { insertAttempt, insertValues, toAttempt } from "./journal-rows.ts";
import type { Attempt, Journal } from "./port.ts";

/** The journal in one SQLite file with a write-ahead log. Throws CliError usage where the file can be neither written nor read. */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const core = await openCore(options);
  const locks = new Set<Database>();
  let disposed = false;
  return {
    ...createSending(core),
    ...createReading(core),
    ...createKeeping(core, options.clock),
    exclusively: (name, work) => exclusively(core, locks, name, work),
    approvals: createApprovals(core),
    nowMs: async () => options.clock.now(),
    lost: core.lost,
    dispose: () => {
      if (disposed) return;
      disposed = true;
      for (const lock of locks) lock.close();
      locks.clear();
      core.dispose();
    },
  };
};

/**
 * What opens an attempt is on disk before it resolves. What closes one may be lost with the machine's power, though not with the
 * process: the attempt is then open again, and settling it finds the same end. So a batch pays one sync a row, not three.
 */
const createSending = (core: JournalCore): Pick<Journal, "open" | "reopen" | "confirm" | "addTry" | "close" | "setStatus"> => {
  const { claims, nowIso, recorded, write } = core;
  // Whether a process has ended can't be asked within a transaction: who holds the attempt is looked at again after.
  const changeUnlessHeld = async (id: string, durability: "synced" | "committed", to: Change): Promise<Attempt | undefined> => {
    let ended: string | undefined;
    for (let looks = 1; ; looks += 1) {
      const { attempt, heldBy } = await write((db) => change(db, id, to, (holder) => holder !== ended && !claims.isOwn(holder)), durability);
      if (attempt === undefined || heldBy === undefined) return attempt;
      if (looks > 2 || (await recorded(() => claims.isAlive(heldBy)))) throw underWay(attempt);
      ended = heldBy;
    }
  };
  return {
    open: async (attempt, judged) => {
      const opened = openedAttempt(attempt, await recorded(claims.own));
      await write((db) => {
        checkVersion(db);
        throwIfLikeAppeared(db, attempt, judged);
        throwIfNotApproved(db, attempt, nowIso());
        if (Number(db.prepare(insertAttempt).run(...insertValues(opened)).changes) === 0) throwTaken(db, attempt);
      }, "synced");
      return opened;
    },
    reopen: async (id, judged) => {
      const own = await recorded(claims.own);
      const reopened = await changeUnlessHeld(id, "synced", (attempt, db) => {
        checkVersion(db);
        if (attempt.heldBy === own) throw underWay(attempt);
        throwIfLikeAppeared(db, attempt, judged);
        // What was approved when it was begun may end; what was refused since begins anew.
        if (attempt.state !== "accepted" && (attempt.approvalId === undefined || attempt.state === "refused")) throwIfNotApproved(db, attempt, nowIso());
        return reopenedAttempt(attempt, own);
      });
      if (reopened === undefined) throw noSuchAttempt(id);
      return reopened;
    },
    // Whoever else would send it asks whether this process is alive.
    confirm: async () => undefined,
    addTry: async (id, tried) => {
      await write((db) => change(db, id, (attempt) => triedAttempt(attempt, tried)));
    },
    close: async (id, end) => {
      await changeUnlessHeld(id, "committed", (attempt) => closedAttempt(attempt, end, nowIso()));
    },
    setStatus: async (id, status) => {
      await write((db) => change(db, id, (attempt) => withStatus(attempt, status)));
    },
  };
};

const createReading = ({
  path,
  database,
  read,
  write,
}: JournalCore): Pick<Journal, "find" | "list" | "seeTransactions" | "newestTime" | "check" | "status"> => ({
  find: async (idOrKey) =>
    read(
      () => toAttempt(database.prepare("SELECT * FROM attempts WHERE id = ?").get(idOrKey)) ?? listAttempts(database, { idempotencyKey: idOrKey, limit: 1 })[0],
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
  status: async () =>
    read(() => {
      const counts = database.prepare("SELECT count(*) AS attempts, count(*) FILTER (WHERE state IN ('started', 'unknown')) AS open FROM attempts").get();
      const { attempts, open } = { attempts: 0, open: 0, ...Object(counts) };
      return { journal: "file", where: path, who: readUser().name, role: "none", attempts: Number(attempts), open: Number(open) };
    }),
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
});

const prunable = "SELECT * FROM attempts WHERE state IN ('accepted', 'refused') AND coalesce(closed_at, started_at) < ? AND body IS NOT NULL";

const createKeeping = ({ database, write }: JournalCore, clock: Pick<Clock, "now">): Pick<Journal, "prune"> => ({
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
});

const exclusively = async <T>(core: JournalCore, locks: Set<Database>, name: string, work: () => Promise<T>): Promise<T | undefined> => {
  const file = `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.lock`;
  // Where there is no journal no lock may be left: it would look as if the journal were missing.
  const lock = await core.recorded(() => tryLock(join(core.locksFolder, file)));
  if (lock === undefined) return undefined;
  locks.add(lock);
  try {
    return await work();
  } finally {
    if (locks.delete(lock)) lock.close();
  }
};

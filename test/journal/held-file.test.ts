import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../src/journal/journal.ts";
import { createCommitQueue } from "../../src/storage/commit-queue.ts";
import { createHome } from "../support/ends.ts";
import { newAttempt } from "../support/new-attempt.ts";
import { createClock } from "../support/payment-context.ts";

test("writes that find the file held by another program fail together: the waiting time is spent once", async () => {
  const executed: string[] = [];
  const held = {
    exec: (sql: string) => {
      executed.push(sql);
      if (sql.includes("BEGIN")) throw new Error("database is locked");
    },
    prepare: () => {
      throw new Error("not reached");
    },
    close: () => undefined,
  };
  const queue = createCommitQueue(held, () => undefined);
  const ends = await Promise.allSettled(Array.from({ length: 32 }, () => queue.commit(() => undefined, "synced")));
  expect(ends.every(({ status }) => status === "rejected")).toBe(true);
  expect(executed.filter((sql) => sql.includes("BEGIN"))).toHaveLength(1);
});

test("a journal that was moved away or replaced under a process records no more, so nothing more is sent", async () => {
  const folder = createHome();
  const clock = createClock({ nowMs: Date.UTC(2026, 2, 1) });
  const journal = await openJournal({ dataFolder: folder, clock });
  await journal.open(newAttempt("a"));
  copyFileSync(join(folder, "journal.db"), join(folder, "copy.db"));
  renameSync(join(folder, "journal.db"), join(folder, "old.db"));
  await expect(journal.open(newAttempt("b"))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("nothing was sent") });
  await expect(openJournal({ dataFolder: folder, clock })).rejects.toMatchObject({ kind: "usage" });
  renameSync(join(folder, "copy.db"), join(folder, "journal.db"));
  await expect(journal.open(newAttempt("c"))).rejects.toMatchObject({ kind: "usage" });
  await expect(journal.close("a", { state: "accepted" })).rejects.toMatchObject({ kind: "usage" });
  journal.dispose();
});

import { expect, test } from "vitest";
import type { Attempt, AttemptFilter } from "../../src/journal/port.ts";
import { findNewestRun } from "../../src/payments/batch/find-run.ts";

test("what the journal knows is read some rows at a time, and of two attempts of a row the one that may have moved money counts", async () => {
  const asked: AttemptFilter[] = [];
  const attempts = Array.from({ length: 2_500 }, (_, at) => ({
    batchRow: at + 1,
    state: at % 2 === 0 ? "accepted" : "unknown",
    tries: [],
    startedAt: "2026-03-01T00:00:00Z",
  }));
  const refused = { batchRow: 2_400, state: "refused", tries: [{ at: "", httpStatus: 402 }], startedAt: "2026-03-02T00:00:00Z" };
  const list = async (filter: AttemptFilter): Promise<readonly Attempt[]> => {
    asked.push(filter);
    const [first, last] = filter.batchRows ?? [1, 1];
    const found = [refused, ...attempts].filter(({ batchRow }) => batchRow >= first && batchRow <= last);
    return filter.batchId === "b" ? (found as unknown as readonly Attempt[]) : [];
  };
  const run = await findNewestRun("b", 2_501, { list });
  expect(run?.lastAtMs).toBe(Date.parse("2026-03-02T00:00:00Z"));
  expect([1, 2, 2_400, 2_500, 2_501].map((row) => run?.rows.get(row)?.state)).toEqual(["accepted", "unknown", "unknown", "unknown", undefined]);
  expect(asked.every(({ batchRows, limit }) => limit === 1 || (batchRows !== undefined && batchRows[1] - batchRows[0] < 1_000))).toBe(true);
});

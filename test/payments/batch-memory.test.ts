import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Attempt, AttemptFilter } from "../../src/journal/port.ts";
import { checkFile } from "../../src/payments/batch/check-file.ts";
import { findNewestRun } from "../../src/payments/batch/find-run.ts";
import { createPacked } from "../../src/payments/batch/packed.ts";
import type { TableRow } from "../../src/tables/read-table.ts";
import { createHome, runCli } from "../support/cli.ts";

test("packed texts come back as they were, the later of two, and large ones too", () => {
  const packed = createPacked();
  const texts = ["", "ä山🎉", "x".repeat(1024 * 1024 - 3), "\u0000", "y".repeat(3 * 1024 * 1024), "end"];
  for (const [at, text] of texts.entries()) packed.set(at * 700 + 1, text);
  packed.set(1, "again");
  expect(texts.map((_, at) => packed.get(at * 700 + 1))).toEqual(["again", ...texts.slice(1)]);
  expect([packed.get(2), packed.get(1e6)]).toEqual([undefined, undefined]);
});

const heapUsed = (): number => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
};

test("rows take next to no heap, and are all there", async () => {
  const rows = 20_000;
  const scan = async (onRow: (row: TableRow) => void): Promise<void> => {
    onRow({ line: 1, cells: ["phone", "amount", "reference", "note"] });
    for (let row = 1; row <= rows; row++)
      onRow({ line: row + 1, cells: [`07${10_000_000 + row}`, `${10 + (row % 9)}.50`, `R-${row}`, "a note of some length"] });
  };
  const before = heapUsed();
  const file = await checkFile({ kind: "csv", scan });
  expect(heapUsed() - before).toBeLessThan(2.5e6);
  expect(file.rows.at(rows)).toMatchObject({ row: rows, line: rows + 1, phone: `2547${10_000_000 + rows}`, reference: `R-${rows}`, cells: { length: 4 } });
});

test("more rows than are held for a table are all shown, in their order", async () => {
  const file = join(createHome(), "pay.csv");
  writeFileSync(file, `phone,amount,reference\n${Array.from({ length: 5_001 }, (_, row) => `07${10_000_000 + row},10,R-${row}`).join("\n")}\n`);
  const { stdout } = await runCli(["b2c", "batch", file, "--dry-run", "-o", "csv"], { service: () => ({}) });
  expect(stdout.trim().split("\n").slice(1)).toEqual(Array.from({ length: 5_001 }, (_, row) => `${row + 1},notSent,,,`));
});

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

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceOfFile } from "../../src/tables/table-source.ts";
import { createHome, runCli } from "../support/cli.ts";

const write = (rows: number): string => {
  const path = join(createHome(), "orders.csv");
  writeFileSync(path, `reference,amount,status\n${Array.from({ length: rows }, (_, index) => `INV-${index},100,paid\n`).join("")}`);
  return path;
};

test("an interruption ends the reading of a long file at the next piece", async () => {
  const stop = new AbortController();
  const pieces = (await sourceOfFile(write(50_000), stop.signal)).pieces();
  expect((await pieces.next()).done).toBe(false);
  stop.abort();
  await expect(pieces.next()).rejects.toThrow(/abort/i);
});

test("an interrupted comparison of two files is 130, and prints nothing", async () => {
  const path = write(10);
  const stop = new AbortController();
  stop.abort();
  const { code, stdout } = await runCli(["tx", "reconcile", path, "--against", path, "--json"], { signal: stop.signal });
  expect([code, stdout]).toEqual([130, ""]);
});

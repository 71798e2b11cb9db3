import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const tests = fileURLToPath(new URL("..", import.meta.url));
/** `"O1: …`, `"W4, W7: …` or `… (A7)"`, `… (reports.md, D2)"`. */
const inFront = /["'`]((?:[A-Z]\d, )*[A-Z]\d): /g;
const inBrackets = /\((?:reports\.md, )?([A-Z]\d)\)["'`]/g;

it("every row of cases/reports.md has a test named by its id", () => {
  const ids = [...readFileSync(join(tests, "cases/reports.md"), "utf8").matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id]) => id);
  expect(ids.length).toBeGreaterThan(60);
  expect(new Set(ids).size).toBe(ids.length);
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".test.ts"));
  const text = files.map((path) => readFileSync(join(tests, path), "utf8")).join("\n");
  const named = new Set([inFront, inBrackets].flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, found]) => (found ?? "").split(", "))));
  expect(ids.filter((id) => id === undefined || !named.has(id))).toEqual([]);
});

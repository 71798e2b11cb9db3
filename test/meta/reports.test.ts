import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const tests = fileURLToPath(new URL("..", import.meta.url));
/** `"O1: …`, `"R2-15, R2-16: …` or `… (A7)"`, `… (reports.md, D2)"`. */
const inFront = /["'`]((?:[A-Z]\d+(?:-\d+v?)?, )*[A-Z]\d+(?:-\d+v?)?): /g;
const inBrackets = /\((?:reports\.md, )?([A-Z]\d(?:-\d+v?)?)\)["'`]/g;

const namedIds = (): ReadonlySet<string> => {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".test.ts"));
  const text = files.map((path) => readFileSync(join(tests, path), "utf8")).join("\n");
  return new Set([inFront, inBrackets].flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, found]) => (found ?? "").split(", "))));
};
const idsOf = (text: string): string[] => [...text.matchAll(/^\| ([A-Z]\d+(?:-\d+v?)?) \|/gm)].map(([, id]) => id ?? "");

it("every row of cases/reports.md has a test named by its id", () => {
  const ids = idsOf(readFileSync(join(tests, "cases/reports.md"), "utf8"));
  expect(ids.length).toBeGreaterThan(60);
  expect(new Set(ids).size).toBe(ids.length);
  const named = namedIds();
  expect(ids.filter((id) => !named.has(id))).toEqual([]);
});

it("every row of cases/reports-2.md has a test named by its id", () => {
  const text = readFileSync(join(tests, "cases/reports-2.md"), "utf8");
  const ids = idsOf(text);
  expect(ids.length).toBeGreaterThan(30);
  const named = namedIds();
  expect(ids.filter((id) => !named.has(id))).toEqual([]);
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const tests = fileURLToPath(new URL("..", import.meta.url));
/** `"service 1.7b, 1.7c: …`. */
const named = /["'`]service ((?:\d[\d.]*[a-z], )*\d[\d.]*[a-z]): /g;

it("every sentence of cases/service.md has a test named by its id, and no test names another", () => {
  const ids = [...readFileSync(join(tests, "cases/service.md"), "utf8").matchAll(/^\| ([\d.]+[a-z]) \|/gm)].map(([, id]) => id ?? "");
  expect(ids.length).toBeGreaterThan(80);
  expect(new Set(ids).size).toBe(ids.length);
  const files = readdirSync(join(tests, "service/contract")).filter((path) => path.endsWith(".test.ts"));
  const text = files.map((path) => readFileSync(join(tests, "service/contract", path), "utf8")).join("\n");
  const found = new Set([...text.matchAll(named)].flatMap(([, list]) => (list ?? "").split(", ")));
  expect(ids.filter((id) => !found.has(id))).toEqual([]);
  expect([...found].filter((id) => !ids.includes(id))).toEqual([]);
});

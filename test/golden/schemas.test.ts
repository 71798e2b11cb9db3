import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import written from "../../src/commands/schema/schemas.json" with { type: "json" };
import { exitCodes } from "../../src/errors.ts";
import { categories } from "../../src/reconcile/judge.ts";
import { published, schemaFaults } from "../support/schemas.ts";

const path = fileURLToPath(new URL("derived-schemas.json", import.meta.url));

// What scripts rely on. A change here is a change of the promise: keys may be added, never taken away or renamed.
test("the schemas of the service's answers and of layouts are the golden ones (made anew with UPDATE_GOLDEN=1)", () => {
  const made = Object.fromEntries(Object.entries(published).filter(([name]) => !Object.hasOwn(written, name)));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, `${JSON.stringify(made, undefined, 1)}\n`);
  expect(made).toEqual(JSON.parse(readFileSync(path, "utf8")));
});

test("names are in kebab case and stand in the schemas; requests are strict, outputs leave room", () => {
  for (const [name, schema] of Object.entries(published)) {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(schema).toMatchObject({ title: name, type: "object", $comment: expect.stringMatching(/^(Printed by|Sent to): /) });
    expect(schema["additionalProperties"], name).toEqual(String(schema["$comment"]).startsWith("Sent to") ? false : {});
  }
});

test("the error schema knows every kind, and the schema of tx reconcile every category", () => {
  const error = (kind: string) => ({ error: { kind, message: "m", retryable: false, sent: "no" } });
  for (const kind of Object.keys(exitCodes)) expect(schemaFaults("error", error(kind)), kind).toEqual([]);
  expect(schemaFaults("error", error("other"))).not.toEqual([]);
  const side = { rows: 1, amount: "1.00" };
  const report = (category: string) => ({ inputs: [], summary: { [category]: { count: 1, amount: "1.00", ours: side, theirs: side } }, rows: [] });
  for (const category of categories) expect(schemaFaults("tx-reconcile", report(category)), category).toEqual([]);
  expect(schemaFaults("tx-reconcile", report("other"))).not.toEqual([]);
});

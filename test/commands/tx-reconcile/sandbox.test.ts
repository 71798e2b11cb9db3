import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";

const differs: Readonly<Record<string, string>> = {
  "missing-row": "missing_here",
  "wrong-amount": "amount_mismatch",
  duplicate: "duplicate_here",
  reversal: "status_conflict",
};

it("finds exactly the defects of the sandbox's statement, and none without them", async () => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 3, 8) };
  const run = (argv: readonly string[]) => runCli([...argv, "--sandbox", "--no-input"], { home, clock });
  for (let index = 0; index < 7; index += 1) {
    const { code, stderr } = await run(["stk", "--phone", `071234500${index}`, "--amount", String(100 + index), "--reference", `INV-${index}`]);
    expect(stderr).not.toContain("rror:");
    expect(code).toBe(0);
    clock.nowMs += 60_000;
  }
  clock.nowMs += 60_000;
  const export_ = async (query: string) => {
    const { stdout } = await run(["api", "GET", `/_sandbox/statement.csv${query}`]);
    const path = join(createHome(), "statement.csv");
    writeFileSync(path, stdout);
    return path;
  };
  const clean = await run(["tx", "reconcile", await export_(""), "--exit-code", "--json"]);
  expect(JSON.parse(clean.stdout).summary).toMatchObject({ matched: { count: 7 } });
  expect(clean.code).toBe(0);
  const { defects } = JSON.parse((await run(["api", "GET", "/_sandbox/statement-defects", "--json"])).stdout);
  expect(defects).toHaveLength(5);
  const found = await run(["tx", "reconcile", await export_("?defects=1"), "--exit-code", "--json"]);
  expect(found.code).toBe(12);
  const document = JSON.parse(found.stdout);
  const rows = document.rows.map(({ category, reference }: { category: string; reference: string }) => `${category} ${reference}`).sort();
  const wanted = defects
    .flatMap(({ kind, reference }: { kind: string; reference: string }) => (differs[kind] === undefined ? [] : [`${differs[kind]} ${reference}`]))
    .sort();
  expect(rows).toEqual(wanted);
  expect(document.inputs[0].control.holds).toBe(true);
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../support/cli.ts";

type Want = Readonly<Record<string, number | readonly string[]>>;
type Pair = {
  readonly name: string;
  readonly ours: string /** A text, or the bytes of a workbook in base64. */;
  readonly theirs?: string;
  readonly bytes?: string;
  readonly want: Want;
};
const pairs: readonly Pair[] = JSON.parse(readFileSync(new URL("exports.json", import.meta.url), "utf8"));

type Shown = { readonly reference?: string | null; readonly amount?: string };
type Row = { readonly category: string; readonly ours: readonly Shown[]; readonly theirs: readonly Shown[] };
const nameOf = (row: Row): string => {
  const [shown] = row.ours.length > 0 ? row.ours : row.theirs;
  return shown?.reference ?? `@${Number(shown?.amount)}`;
};

/** Made from public descriptions of exports that are not among the cases: other headings, orders of columns, decimals. */
describe("exports that no case has", () => {
  for (const { name, ours, theirs = "", bytes, want } of pairs) {
    it(name, async () => {
      const home = createHome();
      const [here, there] = [join(home, "ours.csv"), join(home, "theirs.csv")];
      writeFileSync(here, ours);
      writeFileSync(there, bytes === undefined ? theirs : Buffer.from(bytes, "base64"));
      const argv = ["tx", "reconcile", here, "--against", there, "--json"];
      const first = await runCli(argv, { home });
      const { command }: { command?: string[] } = first.code === 0 ? {} : JSON.parse(first.stderr).error;
      const { stdout, stderr } = command === undefined ? first : await runCli(command, { home });
      expect(stdout, stderr).not.toBe("");
      const { summary, rows, inputs } = JSON.parse(stdout);
      const found = Object.fromEntries(
        Object.entries(want).map(([category, wanted]) => [
          category,
          typeof wanted === "number"
            ? (summary[category]?.count ?? 0)
            : rows
                .filter((row: Row) => row.category === category)
                .map(nameOf)
                .sort(),
        ]),
      );
      const sorted = Object.fromEntries(Object.entries(want).map(([category, wanted]) => [category, typeof wanted === "number" ? wanted : [...wanted].sort()]));
      expect(
        found,
        JSON.stringify([command, inputs.map(({ notes }: { notes: string[] }) => notes), rows.filter((row: Row) => row.category === "unreadable")]),
      ).toEqual(sorted);
    });
  }
});

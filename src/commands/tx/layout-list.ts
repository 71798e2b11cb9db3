import type { Run } from "../../command.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";
import { allLayouts } from "../../reconcile/find-layout.ts";
import { openKeptLayouts } from "../../reconcile/kept-layouts.ts";
import type { txLayoutListSpec } from "./spec-layout.ts";

export const run: Run<typeof txLayoutListSpec> = async (_, context) => {
  const kept = openKeptLayouts(context.paths.config);
  const own = new Set((await kept.list()).map(({ name }) => name));
  const layouts = await allLayouts(kept);
  const text = (name: string) => (row: Parameters<typeof fieldOf>[0]) => textOf(fieldOf(row, name)) ?? "";
  return {
    rows: layouts.map(({ name, title, kind }) => ({ name, title, kind, source: own.has(name) ? "kept" : "built-in" })),
    document: (rows) => ({ layouts: rows }),
    columns: ["name", "title", "kind", "source"],
    view: {
      kind: "table",
      columns: [
        { heading: "Layout", cell: (row) => ({ text: text("name")(row), tone: "strong" }) },
        { heading: "Reads", cell: text("title") },
        { heading: "Kind", cell: text("kind"), sheds: 1 },
        { heading: "Source", cell: text("source"), sheds: 2 },
      ],
      empty: "No layouts.",
    },
  };
};

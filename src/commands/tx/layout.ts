import { type Input, type Run, retyped } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import type { Outcome } from "../../outcome.ts";
import { fieldText, linesOutcome, listOutcome, textColumn } from "../../output/outcomes.ts";
import type { Context } from "../../ports.ts";
import { parseColumns } from "../../reconcile/columns.ts";
import { usualZone } from "../../reconcile/dates.ts";
import { allLayouts } from "../../reconcile/find-layout.ts";
import { checkZone, layoutOf, openInput } from "../../reconcile/input.ts";
import { openKeptLayouts, parseLayout } from "../../reconcile/kept-layouts.ts";
import { isRefusal } from "../../reconcile/layout.ts";
import type { LayoutData } from "../../reconcile/layout-schema.ts";
import { toLayoutData } from "../../reconcile/to-layout-data.ts";
import type { Opening } from "./reconcile-inputs.ts";
import type { txLayoutListSpec, txLayoutRemoveSpec, txLayoutSaveSpec, txLayoutShowSpec } from "./spec-layout.ts";

/** A layout as it is written in its file. */
const layoutOutcome = (layout: LayoutData, said?: string): Outcome => {
  // A layout is JSON: its schema allows nothing else.
  const json: Json = JSON.parse(JSON.stringify(layout));
  return linesOutcome(json, [...(said === undefined ? [] : [said]), ...JSON.stringify(layout, undefined, 2).split("\n")]);
};

/** The layout of a name in any letter case. Throws CliError not-found (4). */
const layoutNamed = (layouts: readonly LayoutData[], name: string, hint: string): LayoutData => {
  const layout = layouts.find((each) => each.name === name.toLowerCase());
  if (layout === undefined) throw new CliError("not-found", `There is no layout "${name}".`, { hint, command: ["tx", "layout", "list"] });
  return layout;
};

export const list: Run<typeof txLayoutListSpec> = async (_, context) => {
  const kept = openKeptLayouts(context.paths.config);
  const own = new Set((await kept.list()).map(({ name }) => name));
  const rows = (await allLayouts(kept)).map(({ name, title, kind }) => ({ name, title, kind, source: own.has(name) ? "kept" : "built-in" }));
  return listOutcome("layouts", rows, ["name", "title", "kind", "source"], {
    columns: [
      { heading: "Layout", cell: (row) => ({ text: fieldText("name")(row), tone: "strong" }) },
      textColumn("Reads", "title"),
      textColumn("Kind", "kind"),
      textColumn("Source", "source"),
    ],
    empty: "No layouts.",
  });
};

export const show: Run<typeof txLayoutShowSpec> = async ({ args }, context) =>
  layoutOutcome(layoutNamed(await allLayouts(openKeptLayouts(context.paths.config)), args.name, "To list them"));

export const remove: Run<typeof txLayoutRemoveSpec> = async ({ args }, context) => {
  const kept = openKeptLayouts(context.paths.config);
  const layout = layoutNamed(await kept.list(), args.name, "Only layouts that you saved can be removed. To list them");
  await kept.remove(layout.name);
  return layoutOutcome(layout, "Removed.");
};

export const save: Run<typeof txLayoutSaveSpec> = async (input, context) => {
  const name = input.args.name.toLowerCase();
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name)) throw usageError(`"${input.args.name}" is no name for a layout.`, "Small letters, digits and hyphens");
  const layout = input.flags.from === undefined ? await fromStdin(name, context) : await fromFile(name, input.flags.from, input, context);
  await openKeptLayouts(context.paths.config).save(layout);
  return layoutOutcome(layout, `Kept as ${name}: files with these headings are read by it, and --layout ${name} chooses it.`);
};

const fromStdin = async (name: string, context: Pick<Context, "readStdin">): Promise<LayoutData> => {
  const text = new TextDecoder().decode(await context.readStdin());
  if (text.trim() === "") throw usageError("There is no layout on standard input.", "Add --from FILE, or give the layout as JSON");
  return { ...(await parseLayout(text, "Standard input")), name };
};

const fromFile = async (name: string, path: string, input: Input<typeof txLayoutSaveSpec>, context: Opening): Promise<LayoutData> => {
  const { flags } = input;
  const zone = flags.zone ?? usualZone;
  checkZone(zone, "--zone");
  const told = parseColumns(flags.columns);
  const layouts = await allLayouts(openKeptLayouts(context.paths.config));
  const sheetCommand = (sheet: string): readonly string[] => retyped(input, { add: ["--sheet", sheet] });
  const opened = await openInput(
    path,
    { ...told, as: flags.as, layouts, usually: "statement", zone, sheet: flags.sheet, sheetFlag: "--sheet", sheetCommand },
    context,
  );
  const layout = await layoutOf(opened);
  if (!isRefusal(layout)) return toLayoutData(name, layout, { ...told, zone: flags.zone }, layouts);
  const { problem, hint, proposal, kind } = layout;
  if (proposal.length === 0) throw usageError(`${path}: ${problem}`, hint);
  const add = [...(flags.as === undefined ? ["--as", kind] : []), "--columns", proposal.join(",")];
  throw new CliError("usage", `${path}: ${problem}`, { hint: `${hint}. If the columns are right, run`, command: retyped(input, { add }) });
};

import { type Input, retyped } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Context } from "../../ports.ts";
import { type FileKind, parseColumns } from "../../reconcile/columns.ts";
import { usualZone } from "../../reconcile/dates.ts";
import { allLayouts, findLayout } from "../../reconcile/find-layout.ts";
import { checkZone, type InputOptions, type OpenInput, openInput } from "../../reconcile/input.ts";
import { openKeptLayouts } from "../../reconcile/kept-layouts.ts";
import type { LayoutData } from "../../reconcile/layout-schema.ts";
import type { Refused } from "../../reconcile/settle-sides.ts";
import { isStdin } from "../../tables/input-file.ts";
import type { txReconcileSpec } from "./spec-reconcile.ts";

/** What `tx reconcile` is given. */
export type ReconcileInput = Input<typeof txReconcileSpec>;
export type Inputs = { readonly ours: OpenInput; readonly theirs: OpenInput | undefined; readonly zone: string };

export type Opening = Pick<Context, "paths" | "readStdin" | "signal" | "progress" | "clock">;
/** The files that the command names, each opened as its flags say. Throws CliError usage. */
export const openInputs = async (input: ReconcileInput, context: Opening): Promise<Inputs> => {
  const { flags } = input;
  const path = input.args.file;
  const { against } = flags;
  if (against !== undefined && isStdin(against) && isStdin(path)) throw usageError("Only one of the two files can be standard input.");
  if (against === undefined) refuseTwins(flags);
  const zone = flags.zone ?? usualZone;
  const layouts = await allLayouts(openKeptLayouts(context.paths.config));
  const own = await optionsOf({ flag: "--", ...flags, zone, usually: "orders", layouts, input });
  const { againstColumns: columns, againstAs: as, againstSheet: sheet, againstLayout: layout, againstZone = zone } = flags;
  const other = await optionsOf({ flag: "--against-", columns, as, sheet, layout, zone: againstZone, usually: "statement", layouts, input });
  const ours = await openInput(path, own, context);
  return { ours, theirs: against === undefined ? undefined : await openInput(against, other, context), zone };
};

const refuseTwins = ({ againstColumns, againstAs, againstSheet, againstLayout, againstZone }: ReconcileInput["flags"]): void => {
  const twins = { columns: againstColumns[0], as: againstAs, sheet: againstSheet, layout: againstLayout, zone: againstZone };
  for (const [name, value] of Object.entries(twins))
    if (value !== undefined) throw usageError(`--against-${name} is about the file that --against names.`, "Add --against FILE2");
};

/** The flags about one file. */
type FileFlags = {
  readonly flag: "--" | "--against-";
  readonly columns: readonly string[];
  readonly as: FileKind | undefined;
  readonly sheet: string | undefined;
  readonly layout: string | undefined;
  readonly zone: string;
  readonly usually: FileKind;
  readonly layouts: readonly LayoutData[];
  readonly input: ReconcileInput;
};

const optionsOf = async ({ flag, columns, as, sheet, layout, zone, usually, layouts, input }: FileFlags): Promise<InputOptions> => {
  checkZone(zone, `${flag}zone`);
  return {
    ...parseColumns(columns, `${flag}columns`),
    as,
    layout: layout === undefined ? undefined : await findLayout(layout, layouts, `${flag}layout`),
    layouts,
    usually,
    zone,
    sheet,
    sheetFlag: `${flag}sheet`,
    sheetCommand: (chosen) => retyped(input, { add: [`${flag}sheet`, chosen] }),
  };
};

/** The words that make the command read the files as proposed. */
const proposedWords = (input: ReconcileInput, refused: readonly Refused[]): readonly string[] => {
  const add = refused.flatMap(({ input: { options }, refusal, beside }) => {
    const prefix = options.sheetFlag === "--sheet" ? "--" : "--against-";
    const other = beside === undefined || input.flags.as !== undefined ? [] : ["--as", beside];
    return [...other, ...(options.as === undefined ? [`${prefix}as`, refusal.kind] : []), `${prefix}columns`, refusal.proposal.join(",")];
  });
  return retyped(input, { add });
};

/** Exit 2 with one sentence, and the whole command that reads the files if there is a proposal. */
export const refusalError = (input: ReconcileInput, refused: readonly Refused[]): CliError => {
  const message = refused.map(({ input: { name }, refusal }) => `${name}: ${refusal.problem}`).join(" ");
  const hint = refused.map(({ refusal }) => refusal.hint).join("; ");
  if (refused.some(({ refusal }) => refusal.proposal.length === 0)) return new CliError("usage", message, { hint });
  return new CliError("usage", message, { hint: `${hint}. If the columns are right, run`, command: proposedWords(input, refused) });
};

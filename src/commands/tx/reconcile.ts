import { accountWords, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { groupedCount } from "../../money/grouped.ts";
import type { Context } from "../../ports.ts";
import { createDateReader } from "../../reconcile/dates.ts";
import { provePayouts } from "../../reconcile/payout-list.ts";
import { parsePeriod } from "../../reconcile/period.ts";
import { type Compared, compareSides, countDifferences } from "../../reconcile/reconcile.ts";
import { checkZone, type FileOptions, type FileSide, inputOf, notesOf, parseColumns, readFileSide, usualZone } from "../../reconcile/reconcile-files.ts";
import { shellOf } from "../../shell.ts";
import { isStdin } from "../../tables/input-file.ts";
import { flatColumns, toCarried, toFlatRows, toRow, toSummary } from "./reconcile-rows.ts";
import { compareService, payoutNote, type There } from "./reconcile-there.ts";
import { reconcileView, replayCommands } from "./reconcile-view.ts";
import type { ReportInput } from "./report.ts";
import type { txReconcileSpec } from "./spec-reconcile.ts";

/** `tx reconcile` (rules.md, `tx reconcile --json`; cases/README.md has the rules). */
export const run: Run<typeof txReconcileSpec> = async ({ flags, args }, context) => {
  const { file: path } = args;
  if (path === "") throw usageError("Which file? Give your records or the provider's statement.", "payments-cli tx reconcile orders.csv");
  const zone = flags.zone ?? usualZone;
  checkZone(zone);
  const told = parseColumns(flags.columns);
  const { against, againstSheet, report, as: kind, flow } = flags;
  const days = flags.period === undefined ? undefined : parsePeriod(flags.period);
  if (against !== undefined && isStdin(against) && isStdin(path)) throw usageError("Only one of the two files can be standard input.");
  if (against === undefined && againstSheet !== undefined)
    throw usageError("--against-sheet is a sheet of the file that --against names.", "add --against FILE2");
  const read = await readFile(path, { ...told, as: kind, zone, sheet: flags.sheet, sheetFlag: "--sheet" }, context);
  const ours = days === undefined ? read : { ...read, period: days };
  const there =
    against === undefined
      ? await compareService(ours, { zone, flow, forget: flags.forget }, context)
      : await compareOther(ours, against, { zone, sheet: againstSheet }, context);
  const { compared } = there;
  if (!there.dated && compared.summary.has("missing_here")) {
    context.note("No dates are known there, so what is missing here may belong to other days than this file.");
  }
  for (const note of there.notes) context.note(note);
  const isFlat = context.flags.output === "csv";
  const rows = isFlat ? toFlatRows(compared) : compared.differing.map(toRow);
  const inputs = [inputOf(ours), there.notes.length === 0 ? there.input : { ...there.input, notes: there.notes }];
  const summary = toSummary(compared);
  const replays = against === undefined ? { account: accountWords(context.flags), shell: shellOf(context.env) } : undefined;
  if (report !== undefined) {
    const { reportPage, writeReport } = await import("./report.ts");
    const commands = replays === undefined ? undefined : replayCommands(compared, replays);
    const madeAt = new Date(context.clock.now()).toISOString();
    await writeReport(report, reportPage(compared, { inputs: [shownInput(ours), there.shown], madeAt, zone, profile: there.profile, commands }));
    context.note(`The report is in ${report}.`);
  }
  return {
    rows,
    document: (chosen) => ({ inputs, summary, rows: chosen, ...toCarried(compared) }),
    columns: isFlat ? flatColumns : ["category", "reference", "transactionId", "reason", "ours", "theirs"],
    view: reconcileView(compared, { here: path, there: against ?? "the service", replays }),
    verdict: () => (flags.exitCode ? verdictOf(compared) : undefined),
  };
};

const verdictOf = (compared: Compared): CliError | undefined => {
  const count = countDifferences(compared.summary);
  if (count === 0) return undefined;
  return new CliError("differences", `${groupedCount(count)} ${count === 1 ? "difference was" : "differences were"} found.`);
};

const readFile = async (path: string, options: FileOptions, context: Context): Promise<FileSide> => {
  const side = await readFileSide(path, options, context);
  for (const note of notesOf(side)) context.note(note);
  return side;
};

const shownInput = ({ name, side, period, faults }: FileSide): ReportInput => ({
  name,
  kind: side.kind,
  rows: side.records.length,
  period,
  sumsHold: faults.length === 0,
});

const compareOther = async (
  ours: FileSide,
  path: string,
  { zone, sheet }: { readonly zone: string; readonly sheet: string | undefined },
  context: Context,
): Promise<There> => {
  const theirs = await readFile(path, { told: new Map(), zone, sheet, sheetFlag: "--against-sheet" }, context);
  const proved = provePayouts(ours.side, theirs.side);
  const compared = compareSides(proved?.side ?? ours.side, theirs.side, { period: ours.period, dayOf: createDateReader(zone).dayOf });
  const notes = proved === undefined ? [] : [payoutNote(ours.name, proved.proofs)];
  return { compared, input: inputOf(theirs), shown: shownInput(theirs), dated: theirs.period !== undefined, notes };
};

import { accountWords, type Input, isSet, listFlag, type Run, textFlag } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import { groupedCount } from "../../money/grouped.ts";
import { progressLine } from "../../output/progress-line.ts";
import type { Context } from "../../ports.ts";
import { compareWithService } from "../../reconcile/compare-service.ts";
import { createDateReader } from "../../reconcile/dates.ts";
import type { Result } from "../../reconcile/judge.ts";
import { parsePeriod } from "../../reconcile/period.ts";
import { type CategorySum, type Compared, compareSides, countDifferences, type Total } from "../../reconcile/reconcile.ts";
import { checkZone, type FileOptions, type FileSide, inputOf, notesOf, parseColumns, readFileSide, usualZone } from "../../reconcile/reconcile-files.ts";
import { formatMinor, toShownRecord } from "../../reconcile/record.ts";
import { shellOf } from "../../shell.ts";
import { isStdin } from "../../tables/input-file.ts";
import { type Mirror, openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-account.ts";
import { reconcileView, replayCommands } from "./reconcile-view.ts";
import type { ReportInput } from "./report.ts";

/** What the file was compared with, and the result; `dated` if the date of each row left over there is known. */
type There = { readonly compared: Compared; readonly input: Json; readonly shown: ReportInput; readonly dated: boolean };

/** `tx reconcile` (rules.md, `tx reconcile --json`; cases/README.md has the rules). */
export const run: Run = async (input, context) => {
  const path = input.args[0] ?? "";
  if (path === "") throw usageError("Which file? Give your records or the provider's statement.", "payments-cli tx reconcile orders.csv");
  const zone = textFlag(input, "zone") ?? usualZone;
  checkZone(zone);
  const told = parseColumns(listFlag(input, "columns"));
  const against = textFlag(input, "against");
  if (against !== undefined && isStdin(against) && isStdin(path)) throw usageError("Only one of the two files can be standard input.");
  const againstSheet = textFlag(input, "against-sheet");
  if (against === undefined && againstSheet !== undefined)
    throw usageError("--against-sheet is a sheet of the file that --against names.", "add --against FILE2");
  const report = textFlag(input, "report");
  const as = textFlag(input, "as");
  const kind = as === "orders" || as === "statement" ? as : undefined;
  const wanted = textFlag(input, "period");
  const days = wanted === undefined ? undefined : parsePeriod(wanted);
  const flow = textFlag(input, "flow") ?? "all";
  const read = await readFile(path, { ...told, as: kind, zone, sheet: textFlag(input, "sheet"), sheetFlag: "--sheet" }, context);
  const ours = days === undefined ? read : { ...read, period: days };
  const there =
    against === undefined ? await compareService(ours, { zone, flow }, context) : await compareOther(ours, against, { zone, sheet: againstSheet }, context);
  const { compared } = there;
  if (!there.dated && compared.summary.has("missing_here")) {
    context.note("No dates are known there, so what is missing here may belong to other days than this file.");
  }
  const rows = compared.differing.map(toRow);
  const inputs = [inputOf(ours), there.input];
  const summary = toSummary(compared);
  const replays = against === undefined ? { account: accountWords(context.flags), shell: shellOf(context.env) } : undefined;
  if (report !== undefined) {
    const { reportPage, writeReport } = await import("./report.ts");
    const commands = replays === undefined ? undefined : replayCommands(compared, replays);
    const madeAt = new Date(context.clock.now()).toISOString();
    await writeReport(report, reportPage(compared, { inputs: [shownInput(ours), there.shown], madeAt, zone, commands }));
    context.note(`The report is in ${report}.`);
  }
  return {
    rows,
    document: (chosen) => ({ inputs, summary, rows: chosen }),
    columns: ["category", "reference", "transactionId", "reason", "ours", "theirs"],
    view: reconcileView(compared, { here: path, there: against ?? "the service", replays }),
    verdict: () => verdictOf(input, compared),
  };
};

const verdictOf = (input: Input, compared: Compared): CliError | undefined => {
  const count = countDifferences(compared.summary);
  if (!isSet(input, "exit-code") || count === 0) return undefined;
  return new CliError("differences", `${groupedCount(count)} ${count === 1 ? "difference was" : "differences were"} found.`);
};

const toRow = (result: Result): Json => {
  const [transaction] = result.theirs;
  const id = result.theirs.length === 1 && transaction?.line === undefined ? transaction?.id : undefined;
  return {
    category: result.category,
    reference: result.reference ?? null,
    ...(id === undefined ? {} : { transactionId: id }),
    ours: result.ours.map(toShownRecord),
    theirs: result.theirs.map(toShownRecord),
    reason: result.reason,
  };
};

const toSummary = ({ summary }: Compared): Json => {
  const total = ({ rows, amountMinor }: Total): Json => ({ rows, amount: formatMinor(amountMinor) });
  const shown = ({ count, amountMinor, ours, theirs }: CategorySum): Json => ({
    count,
    amount: formatMinor(amountMinor),
    ours: total(ours),
    theirs: total(theirs),
  });
  return Object.fromEntries([...summary].map(([category, sum]) => [category, shown(sum)]));
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
  const compared = compareSides(ours.side, theirs.side, { period: ours.period, dayOf: createDateReader(zone).dayOf });
  return { compared, input: inputOf(theirs), shown: shownInput(theirs), dated: theirs.period !== undefined };
};

const compareService = async (ours: FileSide, { zone, flow }: { readonly zone: string; readonly flow: string }, context: Context): Promise<There> => {
  const account = await context.account();
  const client = await context.client({ bulk: true });
  const mirror = await mirrorIfUsable(context, mirrorKey(account));
  const line = context.progress();
  const startedMs = context.clock.monotonic();
  try {
    const { theirs, compared, dated } = await compareWithService(client, ours.side, {
      flow: flow === "standard" || flow === "b2c" ? flow : "all",
      zone,
      period: ours.period,
      mirror,
      signal: context.signal,
      now: () => new Date(context.clock.now()).toISOString(),
      onProgress: (label, done, total) =>
        line.update(progressLine({ label, done, ...(total === undefined ? {} : { total }), startedMs, nowMs: context.clock.monotonic() })),
    });
    const rows = theirs.records.length;
    return {
      compared,
      input: { kind: "service", baseUrl: account.baseUrl, records: rows },
      shown: { name: `the service at ${account.baseUrl}`, kind: "service", rows, period: undefined, sumsHold: true },
      dated,
    };
  } finally {
    line.end();
    mirror?.dispose();
  }
};

/** The mirror only spares requests: without it the comparison is the same. */
const mirrorIfUsable = async (context: Pick<Context, "paths">, key: string): Promise<Mirror | undefined> => {
  try {
    return await openMirror(context.paths.data, key);
  } catch {
    return undefined;
  }
};

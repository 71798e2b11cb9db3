import { accountWords, type Run } from "../../command.ts";
import { CliError } from "../../errors.ts";
import { countOf } from "../../money/grouped.ts";
import type { Context } from "../../ports.ts";
import type { OpenInput } from "../../reconcile/input.ts";
import { parsePeriod } from "../../reconcile/period.ts";
import { type Compared, countDifferences } from "../../reconcile/reconcile.ts";
import { Unproved } from "../../reconcile/settle-sides.ts";
import { shellOf } from "../../shell.ts";
import { type Inputs, openInputs, type ReconcileInput, refusalError } from "./reconcile-inputs.ts";
import { flatColumns, toCarried, toFlatRows, toRow, toSummary } from "./reconcile-rows.ts";
import { type Comparing, type Comparison, compareFiles, compareService } from "./reconcile-there.ts";
import { reconcileView, replayCommands } from "./reconcile-view.ts";
import { titlesOf } from "./reconcile-words.ts";
import type { txReconcileSpec } from "./spec-reconcile.ts";

/** `tx reconcile` (rules.md, `tx reconcile --json`; cases/README.md has the rules). */
export const run: Run<typeof txReconcileSpec> = async (input, context) => {
  const { flags, args } = input;
  const { file: path } = args;
  const { against, report } = flags;
  if (report !== undefined) {
    const { requireOtherFile } = await import("./report.ts");
    await requireOtherFile(report, against === undefined ? [path] : [path, against]);
  }
  const { opened, comparison } = await readAndCompare(input, context);
  const { compared, inputs, shown, undated, notes, profile, currency } = comparison;
  for (const note of notes) context.note(note);
  if (undated !== undefined && compared.summary.has("missing_here")) context.note(undated);
  const isFlat = context.flags.output === "csv";
  const rows = isFlat ? toFlatRows(compared) : compared.differing.map(toRow);
  const summary = toSummary(compared);
  const replays = against === undefined ? { account: accountWords(context.flags), shell: shellOf(context.env) } : undefined;
  const titles = titlesOf(against !== undefined);
  if (report !== undefined) {
    const { reportPage, writeReport } = await import("./report.ts");
    const commands = replays === undefined ? undefined : replayCommands(compared, replays);
    const madeAt = new Date(context.clock.now()).toISOString();
    await writeReport(report, reportPage(compared, { inputs: shown, titles, madeAt, zone: opened.zone, currency, profile, commands }));
    context.note(`The report is in ${report}.`);
  }
  return {
    rows,
    document: (chosen) => ({ inputs, summary, rows: chosen, ...toCarried(compared) }),
    columns: isFlat ? flatColumns : ["category", "reference", "transactionId", "reason", "ours", "theirs"],
    view: reconcileView(compared, { here: path, there: against ?? "the service", titles, currency, replays }),
    verdict: () => (flags.exitCode ? verdictOf(compared) : undefined),
  };
};

const verdictOf = (compared: Compared): CliError | undefined => {
  const count = countDifferences(compared.summary);
  if (count === 0) return undefined;
  return new CliError("differences", `${countOf(count, "difference was", "differences were")} found.`);
};

type Read = { readonly opened: Inputs; readonly comparison: Comparison };

/**
 * Reads and compares both sides. On a terminal, what cannot be proved is asked; elsewhere it throws CliError usage, with the
 * command that reads the files.
 */
const readAndCompare = async (input: ReconcileInput, context: Context): Promise<Read> => {
  const opened = await openInputs(input, context);
  try {
    return { opened, comparison: await compare(input, opened, context) };
  } catch (cause) {
    if (!(cause instanceof Unproved)) throw cause;
    if (!context.terminal.interactive) throw refusalError(input, cause.refused);
    const { askColumns, offerLayout } = await import("./reconcile-questions.ts");
    const asked = await askColumns(input, cause.refused, context);
    const read = await readAndCompare(asked, context);
    const isAsked = (file: OpenInput): boolean => cause.refused.some(({ input: refused }) => refused.name === file.name);
    const files = [read.opened.ours, ...(read.opened.theirs === undefined ? [] : [read.opened.theirs])];
    for (const file of files.filter(isAsked)) await offerLayout(file, context);
    return read;
  }
};

const compare = async (input: ReconcileInput, { ours, theirs, zone }: Inputs, context: Comparing): Promise<Comparison> => {
  const { flow, forget, period } = input.flags;
  const days = period === undefined ? undefined : parsePeriod(period);
  return theirs === undefined ? await compareService(ours, { zone, flow, forget, days }, context) : await compareFiles(ours, theirs, { zone, days });
};

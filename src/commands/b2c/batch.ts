import { type Input, isSet, type Run, retyped, textFlag } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Journal } from "../../journal/port.ts";
import { groupedCount } from "../../money/grouped.ts";
import type { Outcome } from "../../outcome.ts";
import { money } from "../../output/format.ts";
import { type BatchRow, minorText, type RowResult, totalOf } from "../../payments/batch/batch-plan.ts";
import { type CheckedFile, checkFile } from "../../payments/batch/check-file.ts";
import { fileIdOf } from "../../payments/batch/find-run.ts";
import { planRun, type RunChoice, type RunPlan } from "../../payments/batch/plan-run.ts";
import { readBalances, runBatch } from "../../payments/batch/run-batch.ts";
import { waitForRows } from "../../payments/batch/wait-rows.ts";
import type { Context } from "../../ports.ts";
import { isShellPipe, isStdin } from "../../tables/input-file.ts";
import { waitMsOf } from "../creating.ts";
import { outcomeOf, rowFields } from "./batch-outcome.ts";
import { type EarlierResult, isInJournal, keepEarlierResult, knowsAll, nameOfResult, openResultFile, readEarlierResult } from "./batch-result.ts";
import { openBatchFile } from "./batch-source.ts";

/** `b2c batch FILE` (rules.md, Money safety): the whole file is checked, then each row is paid once, whatever interrupts it. */
export const run: Run = async (input, context) => {
  const path = input.args[0] ?? "";
  const options = optionsOf(input, path);
  checkFieldNames(context.flags.fields);
  const includeHidden = isSet(input, "include-hidden");
  const file = await checkFile(await openBatchFile(path, { sheet: textFlag(input, "sheet"), includeHidden }, context), includeHidden);
  const account = await context.account();
  const fileId = fileIdOf(file.rows, account.baseUrl);
  if (options.dryRun) {
    const results = file.rows.map(({ row }) => ({ row, state: "notSent" as const }));
    return outcomeOf({ path, batchId: fileId, rows: file.rows, results }, context.flags);
  }
  const journal = await context.journal();
  const job = { path, input, options, file, fileId };
  const done = await journal.exclusively(fileId, async () => {
    const paid = await journal.exclusively(await nameOfResult(options.resultPath), () => payFile(job, context));
    if (paid !== undefined) return paid;
    throw usageError(`Another run is writing its result to ${options.resultPath}; nothing was sent.`, "Name another file: --result FILE");
  });
  if (done !== undefined) return done;
  throw new CliError("duplicate", "Another process is paying this very file at this moment; nothing was sent by this one.", {
    hint: "Wait for it to end, then run this again to see what is left.",
  });
};

/** Told before anything is sent: afterwards an error would say that nothing was paid. */
const checkFieldNames = (fields: readonly string[] | undefined): void => {
  const wrong = fields?.filter((field) => !rowFields.includes(field)) ?? [];
  if (wrong.length > 0) throw usageError(`A row of a batch has no field ${wrong.join(", ")}.`, `fields there are: ${rowFields.join(", ")}`);
};

type Options = {
  readonly concurrency: number;
  readonly resultPath: string;
  readonly choice: RunChoice;
  readonly allowDuplicate: boolean;
  readonly waitMs: number | undefined;
  readonly dryRun: boolean;
};

const choices = ["resume", "retry-failed", "new-run"] as const;

const optionsOf = (input: Input, path: string): Options => {
  const typed = textFlag(input, "concurrency") ?? "8";
  const concurrency = /^\d+$/.test(typed) ? Number(typed) : 0;
  if (concurrency < 1 || concurrency > 64) throw usageError(`--concurrency takes a whole number from 1 to 64, not "${typed}".`);
  const dryRun = isSet(input, "dry-run");
  const resultPath = textFlag(input, "result") ?? (isStdin(path) || isShellPipe(path) ? undefined : `${path}.result.csv`);
  if (resultPath === undefined && !dryRun) throw usageError("From standard input or a pipe the result needs a file of its own.", "Name it: --result FILE");
  const chosen = choices.filter((name) => isSet(input, name));
  if (chosen.length > 1) throw usageError(`${chosen.map((name) => `--${name}`).join(" and ")} contradict each other: give one of them.`);
  return {
    concurrency,
    resultPath: resultPath ?? "",
    choice: chosen[0] ?? "plain",
    allowDuplicate: isSet(input, "allow-duplicate"),
    waitMs: waitMsOf(input),
    dryRun,
  };
};

/** The command as typed, with another way to go on: none of them begins a new run. */
const commandOf = (input: Input, choice: RunChoice | "again"): readonly string[] =>
  retyped(input, { without: choices, add: choice === "again" || choice === "plain" ? [] : [`--${choice}`] });

type Job = { readonly path: string; readonly input: Input; readonly options: Options; readonly file: CheckedFile; readonly fileId: string };

const payFile = async (job: Job, context: Context): Promise<Outcome> => {
  const { options, file, fileId, input } = job;
  const { rows } = file;
  const earlier = await readEarlierResult(options.resultPath, job.path);
  const plan = await planRun(
    {
      ...options,
      rows,
      fileId,
      isResultShort: (found) => earlier.exists && earlier.lines.size < rows.length && knowsAll(earlier, knowledgeOf(found)),
      command: (choice) => commandOf(input, choice),
    },
    context,
  );
  const keeps = await keepsEarlier(job, plan, earlier, await context.journal());
  if (plan.pays.size > 0) await askOnce(job, plan, context);
  else context.note(`${groupedCount(rows.length)} of ${groupedCount(rows.length)} rows are settled; nothing is sent.`);
  if (keeps) context.note(`The result of an earlier run is kept in ${await keepEarlierResult(options.resultPath)}.`);
  return await sendRows(job, plan, earlier, context);
};

const knowledgeOf = ({ before, transactionIds }: RunPlan) => ({ attempted: new Set(before.keys()), transactionIds });

/**
 * Whether the earlier result is kept under another name when this run writes its own (rules.md: a run that knows less never overwrites
 * a result file). Throws CliError usage where that file is one the person has named, or has payments that this journal does not know.
 */
const keepsEarlier = async ({ input, options, fileId }: Job, plan: RunPlan, earlier: EarlierResult, journal: Journal): Promise<boolean> => {
  if (earlier.problem !== undefined) throw earlier.problem;
  if (knowsAll(earlier, knowledgeOf(plan))) return plan.replaced.size > 0 && !plan.goesOn && earlier.lines.size > 0;
  const isNamed = textFlag(input, "result") !== undefined;
  if (!isNamed && (await isInJournal(earlier, journal))) return true;
  throw new CliError("usage", `${options.resultPath} holds the result of another run, which would be lost; nothing was sent.`, {
    hint: "Move that file away, or write the result to another one",
    command: isNamed ? undefined : retyped(input, { add: ["--result", `${options.resultPath.replace(/\.csv$/, "")}.${fileId}.csv`] }),
  });
};

const sendRows = async ({ path, input, options, file }: Job, plan: RunPlan, earlier: EarlierResult, context: Context): Promise<Outcome> => {
  const { rows, headings } = file;
  const { waitMs, concurrency, resultPath } = options;
  const known = plan.goesOn ? plan.before : plan.known;
  const result = await openResultFile({ path: resultPath, headings, rows, earlier, random: context.random }, known.values());
  const progress = context.progress();
  const startedMs = context.clock.monotonic();
  const onProgress = (done: number): void => progress.update(progressText(done, rows.length, context.clock.monotonic() - startedMs));
  const onResult = (one: RowResult): CliError | undefined => {
    if (one !== known.get(one.row)) result.write(one);
    return result.failure();
  };
  const { results, stopped } = await runBatch({ rows, plan, concurrency, onResult, onProgress }, context).finally(() => progress.end());
  if (waitMs !== undefined) await waitForRows(results, { waitMs, concurrency }, context, (one) => result.write(one));
  await result.finish(results);
  const end = { stopped, unwritten: result.failure(), command: (choice: "again" | "resume" | "retry-failed") => commandOf(input, choice) };
  return outcomeOf({ path, batchId: plan.batchId, rows, results, end }, context.flags);
};

const progressText = (done: number, total: number, elapsedMs: number): string => {
  const rate = done / Math.max(0.001, elapsedMs / 1000);
  const leftSeconds = rate > 0 ? Math.ceil((total - done) / rate) : 0;
  return `${groupedCount(done)} of ${groupedCount(total)} rows (${Math.floor((done / total) * 100)}%), ${rate.toFixed(1)} a second, ${leftSeconds} s left`;
};

const shown = (balance: string | undefined): string => (balance === undefined ? "unknown" : money(balance, "KES"));

/** One question for the whole file; rows are then not asked about one by one. */
const askOnce = async (job: Job, plan: RunPlan, context: Context): Promise<void> => {
  if (!context.flags.yes && !context.terminal.interactive)
    throw usageError(
      `Paying ${groupedCount(plan.pays.size)} people needs a yes, and there is no terminal to ask on; nothing was sent.`,
      "Add --yes once you are sure.",
    );
  // Nobody would see the lines.
  if (context.flags.yes && (context.flags.output === "json" || context.flags.quiet)) return;
  const lines = await questionOf(job, plan, context);
  if (context.flags.yes) {
    for (const line of lines) context.note(line);
    return;
  }
  if (!(await context.prompt.confirm({ message: [...lines, "Pay them?"], initial: false }))) throw new CliError("interrupted", "Declined; nothing was sent.");
};

const questionOf = async ({ path, file: { rows }, options }: Job, { pays, goesOn, paidBefore }: RunPlan, context: Context): Promise<readonly string[]> => {
  const account = await context.account();
  const retries = options.choice === "retry-failed";
  const left = rows.filter(({ row }) => pays.has(row));
  const settled = rows.length - left.length;
  const largest = left.reduce((most, row) => (row.amountMinor > most.amountMinor ? row : most));
  const of = `of ${groupedCount(rows.length)} rows`;
  const first = goesOn
    ? retries
      ? `Sending again ${groupedCount(left.length)} ${of}: those that were refused or ended unpaid.`
      : `Continuing: ${groupedCount(settled)} ${of} are settled, ${groupedCount(left.length)} left.`
    : `${left.length === 1 ? "1 payout" : `${groupedCount(left.length)} payouts`} from ${path === "-" ? "standard input" : path}.`;
  const lines = [
    first,
    ...(goesOn || settled === 0 ? [] : [`${groupedCount(settled)} ${of} were sent before by other runs, and are not sent again.`]),
    ...(paidBefore.length === 0 ? [] : [`PAID BEFORE, and now once more: rows ${rangesOf(paidBefore)}, ${shown(minorText(totalOf(paidBefore)))} in all.`]),
    `Total ${shown(minorText(totalOf(left)))}, the largest ${shown(minorText(largest.amountMinor))} to ${largest.phone} (${largest.reference}).`,
    `From profile ${account.profile} at ${new URL(account.baseUrl).host}. Fees are known only after acceptance.`,
  ];
  const balances = await readBalances(context);
  if (balances !== undefined) lines.push(`Payout float available: ${shown(balances.float)}; service credits: ${shown(balances.credits)}.`);
  return lines;
};

const rangesShown = 20;

/** `1-3, 7`: rows by their number in the file. */
const rangesOf = (rows: readonly BatchRow[]): string => {
  const ranges: { readonly from: number; to: number }[] = [];
  for (const { row } of rows) {
    const last = ranges.at(-1);
    if (last?.to === row - 1) last.to = row;
    else ranges.push({ from: row, to: row });
  }
  const texts = ranges.slice(0, rangesShown).map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
  return [...texts, ...(ranges.length > rangesShown ? [`and others, ${groupedCount(rows.length)} together`] : [])].join(", ");
};

import { basename } from "node:path";
import { type Input, type Run, retyped } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Journal } from "../../journal/port.ts";
import { groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import type { Outcome } from "../../outcome.ts";
import { type Proposing, proposeBatch, refuseProposedRows, toItem } from "../../payments/approvals/propose.ts";
import { approvalNote, requireBatchApproval } from "../../payments/approvals/require-approval.ts";
import { type RowResult, totalOf } from "../../payments/batch/batch-plan.ts";
import { type CheckedFile, checkFile } from "../../payments/batch/check-file.ts";
import { closePaid } from "../../payments/batch/close-paid.ts";
import { fileIdOf } from "../../payments/batch/find-run.ts";
import { planRun, type RunChoice, type RunPlan } from "../../payments/batch/plan-run.ts";
import { runBatch } from "../../payments/batch/run-batch.ts";
import { waitForRows } from "../../payments/batch/wait-rows.ts";
import type { Context } from "../../ports.ts";
import { isShellPipe, isStdin } from "../../tables/input-file.ts";
import { openTable, tableOf } from "../../tables/read-table.ts";
import { approvalOutcome, noteSecondLook } from "../approval/approval-view.ts";
import { orPropose, proposingOf } from "../creating.ts";
import { type BatchEnd, outcomeOf, progressText, rowFields } from "./batch-outcome.ts";
import { askConsent } from "./batch-question.ts";
import { type EarlierResult, isInJournal, keepEarlierResult, knowsAll, nameOfResult, openResultFile, readEarlierResult } from "./batch-result.ts";
import type { b2cBatchSpec } from "./spec-batch.ts";

const stdinBytesMax = 256 * 1024 * 1024;

/** `b2c batch FILE` (rules.md, Money safety): the whole file is checked, then each row is paid once, whatever interrupts it. */
export const run: Run<typeof b2cBatchSpec> = async (input, context) => {
  const { includeHidden, sheet } = input.flags;
  const path = input.args.file;
  const options = optionsOf(input, path);
  checkFieldNames(context.flags.fields);
  const read = { sheet, includeHidden };
  const table = isStdin(path) ? await tableOf(await context.readStdin(stdinBytesMax), "standard input", read) : await openTable(path, read, context.signal);
  const file = await checkFile(table, includeHidden);
  const account = await context.account();
  const fileId = fileIdOf(file.rows, account.baseUrl);
  if (options.dryRun) {
    const results = file.rows.map(({ row }) => ({ row, state: "notSent" as const }));
    const needs = await approvalNote({ operation: "b2c", amount: formatMinor(totalOf(file.rows)), currency: "KES" }, context);
    if (needs !== undefined) context.note(needs);
    await noteDuplicates({ path, input, options, file, fileId }, context);
    return outcomeOf({ path, batchId: fileId, rows: file.rows, results, isApprovalRequired: needs !== undefined }, context.flags);
  }
  if (options.proposing !== undefined) return await proposeFile({ path, input, options, file, fileId }, options.proposing, context);
  const journal = await context.journal();
  const job = { path, input, options, file, fileId };
  const done = await journal.exclusively(fileId, async () => {
    const paid = await journal.exclusively(await nameOfResult(options.resultPath), () => payFile(job, context));
    if (paid !== undefined) return paid;
    throw usageError(`Another run is writing its result to ${options.resultPath}; nothing was sent.`, "Name another file: --result FILE");
  });
  if (done !== undefined) return done;
  throw new CliError("duplicate", "Another process is paying this file right now, so this one sent nothing.", {
    hint: "Wait until it ends, then run the same command again to see what is left.",
  });
};

/** Told before anything is sent: afterwards an error would say that nothing was paid. */
const checkFieldNames = (fields: readonly string[] | undefined): void => {
  const wrong = fields?.filter((field) => !rowFields.includes(field)) ?? [];
  if (wrong.length > 0) throw usageError(`A row of a batch has no field ${wrong.join(", ")}.`, `The fields are: ${rowFields.join(", ")}`);
};

type BatchInput = Input<typeof b2cBatchSpec>;
type Options = {
  readonly concurrency: number;
  readonly resultPath: string;
  readonly choice: RunChoice;
  readonly allowDuplicate: boolean;
  readonly waitMs: number | undefined;
  readonly dryRun: boolean;
  readonly proposing: Proposing | undefined;
};

const choices = ["resume", "retry-failed", "new-run"] as const;

const optionsOf = ({ flags }: BatchInput, path: string): Options => {
  const { concurrency, dryRun, allowDuplicate, wait: waitMs } = flags;
  const resultPath = flags.result ?? (isStdin(path) || isShellPipe(path) ? undefined : `${path}.result.csv`);
  const proposing = proposingOf(flags);
  if (resultPath === undefined && !dryRun && proposing === undefined)
    throw usageError("From standard input or a pipe the result needs a file of its own.", "Name it: --result FILE");
  const ways = { resume: flags.resume, "retry-failed": flags.retryFailed, "new-run": flags.newRun };
  const chosen = choices.filter((name) => ways[name]);
  if (chosen.length > 1) throw usageError(`${chosen.map((name) => `--${name}`).join(" and ")} contradict each other: give one of them.`);
  return {
    concurrency,
    resultPath: resultPath ?? "",
    choice: chosen[0] ?? "plain",
    allowDuplicate,
    waitMs,
    dryRun,
    proposing,
  };
};

/** The command as typed, with another way to go on: none of them begins a new run. */
const commandOf = (input: BatchInput, choice: "again" | "resume" | "retry-failed"): readonly string[] =>
  retyped(input, { without: choices, add: choice === "again" ? [] : [`--${choice}`] });

type Job = { readonly path: string; readonly input: BatchInput; readonly options: Options; readonly file: CheckedFile; readonly fileId: string };

/** `--propose`: the file's rows are stored under its name, and nothing is sent. */
const proposeFile = async ({ path, input, options, file, fileId }: Job, proposing: Proposing, context: Context): Promise<Outcome> => {
  const name = isStdin(path) ? "standard input" : basename(path);
  await noteSecondLook(context);
  const proposed = { ...options, file, fileId, name, command: (choice: "resume" | "retry-failed") => commandOf(input, choice) };
  return approvalOutcome(await proposeBatch(proposed, proposing, context));
};

/** `--dry-run`: what the duplicate guard says of the file. Makes no journal. */
const noteDuplicates = async (job: Job, context: Context): Promise<void> => {
  const { input, options, file, fileId } = job;
  if (options.allowDuplicate || (await context.existingJournal()) === undefined) return;
  try {
    const command = (choice: "resume" | "retry-failed"): readonly string[] => commandOf(input, choice);
    const plan = await planRun({ ...options, rows: file.rows, fileId, isResultShort: () => false, command }, context);
    await refuseProposed(job, plan, context);
    const settled = file.rows.length - plan.pays.size;
    if (settled > 0) context.note(`${groupedCount(settled)} of ${groupedCount(file.rows.length)} rows were sent before, and are not sent again.`);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== "duplicate") throw error;
    context.note(error.message);
  }
};

const payFile = async (job: Job, context: Context): Promise<Outcome> => {
  const { options, file, fileId, input } = job;
  const { rows } = file;
  const earlier = await readEarlierResult(options.resultPath, job.path);
  const makePlan = () =>
    planRun(
      {
        ...options,
        rows,
        fileId,
        isResultShort: (found) => earlier.exists && earlier.lines.size < rows.length && knowsAll(earlier, knowledgeOf(found)),
        command: (choice) => commandOf(input, choice),
      },
      context,
    );
  let plan = await makePlan();
  const named = (row: number) => earlier.lines.get(row)?.[2] || undefined;
  if (!knowsAll(earlier, knowledgeOf(plan)) && (await closePaid(rows, plan, named, context))) plan = await makePlan();
  if (plan.pays.size > 0) await checkTogether(job, plan, context);
  const keeps = await keepsEarlier(job, plan, earlier, await context.journal());
  if (plan.pays.size > 0) await askConsent({ path: job.path, rows, plan, isRetry: options.choice === "retry-failed" }, context);
  else context.note(`${groupedCount(rows.length)} of ${groupedCount(rows.length)} rows are settled; nothing is sent.`);
  if (keeps) context.note(`The result of an earlier run is kept in ${await keepEarlierResult(options.resultPath)}.`);
  return await sendRows(job, plan, earlier, context);
};

/** What concerns the file as a whole: its sum may need approval, and rows of it may wait for approval already. */
const checkTogether = async (job: Job, plan: RunPlan, context: Context): Promise<void> => {
  const { file, input, options } = job;
  const journal = await context.journal();
  const check = (): Promise<void> => requireBatchApproval(formatMinor(totalOf(file.rows)), journal);
  await (options.choice === "plain" ? orPropose(input, check) : check());
  if (!options.allowDuplicate) await refuseProposed(job, plan, context);
};

const refuseProposed = async ({ file }: Job, { pays }: RunPlan, context: Context): Promise<void> =>
  await refuseProposedRows(file.rows.filter(({ row }) => pays.has(row)).map(toItem), (await context.account()).baseUrl, context);

const knowledgeOf = ({ before, transactionIds }: RunPlan) => ({ attempted: new Set(before.keys()), transactionIds });

/**
 * Whether the earlier result is kept under another name when this run writes its own (rules.md: a run that knows less never overwrites
 * a result file). Throws CliError usage where that file is one the person has named, or has payments that this journal does not know.
 */
const keepsEarlier = async ({ input, options, fileId }: Job, plan: RunPlan, earlier: EarlierResult, journal: Journal): Promise<boolean> => {
  if (earlier.problem !== undefined) throw earlier.problem;
  if (knowsAll(earlier, knowledgeOf(plan))) return plan.replaced.size > 0 && !plan.goesOn && earlier.lines.size > 0;
  const isNamed = input.flags.result !== undefined;
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
  // Without its record nothing was sent: that is an error of its own, and no unfinished batch.
  if (stopped?.kind === "usage" && results.every((one) => one.state === "notSent" || one === known.get(one.row))) throw stopped;
  const end: BatchEnd = { stopped, unwritten: result.failure(), command: (choice) => commandOf(input, choice) };
  return outcomeOf({ path, batchId: plan.batchId, rows, results, resultPath, end }, context.flags);
};

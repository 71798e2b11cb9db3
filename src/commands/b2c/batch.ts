import { basename } from "node:path";
import { type Input, type Run, retyped } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Journal } from "../../journal/port.ts";
import { countOf, groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import type { Outcome } from "../../outcome.ts";
import { progressLine } from "../../output/progress-line.ts";
import { type Proposing, proposeBatch, refuseProposedRows, toItem } from "../../payments/approvals/propose.ts";
import { approvalNote, requireBatchApproval } from "../../payments/approvals/require-approval.ts";
import { type RowResult, totalOf } from "../../payments/batch/batch-plan.ts";
import { type CheckedFile, checkFile } from "../../payments/batch/check-file.ts";
import { closePaid } from "../../payments/batch/close-paid.ts";
import { fileIdOf } from "../../payments/batch/find-run.ts";
import { type Planning, planRun, type RunPlan } from "../../payments/batch/plan-run.ts";
import { runBatch } from "../../payments/batch/run-batch.ts";
import { waitForRows } from "../../payments/batch/wait-rows.ts";
import type { Context } from "../../ports.ts";
import { isShellPipe, isStdin } from "../../tables/input-file.ts";
import { openTable, tableOf } from "../../tables/read-table.ts";
import { approvalOutcome, noteSecondLook } from "../approval/approval-view.ts";
import { orPropose, proposingOf } from "../creating.ts";
import { type BatchEnd, outcomeOf, rowFields } from "./batch-outcome.ts";
import { askConsent } from "./batch-question.ts";
import { type EarlierResult, isInJournal, keepEarlierResult, knowsAll, nameOfResult, openResultFile, readEarlierResult } from "./batch-result.ts";
import type { b2cBatchSpec } from "./spec.ts";

const stdinBytesMax = 256 * 1024 * 1024;

/** `b2c batch FILE` (rules.md, Money safety): the whole file is checked, then each row is paid once, whatever interrupts it. */
export const run: Run<typeof b2cBatchSpec> = async (input, context) => {
  const options = optionsOf(input);
  checkFieldNames(context.flags.fields);
  const { path } = options;
  const read = { sheet: input.flags.sheet, includeHidden: input.flags.includeHidden };
  const table = isStdin(path) ? await tableOf(await context.readStdin(stdinBytesMax), "standard input", read) : await openTable(path, read, context.signal);
  const file = await checkFile(table, read.includeHidden);
  const { baseUrl } = await context.account();
  const job: Job = { ...options, file, rows: file.rows, fileId: fileIdOf(file.rows, baseUrl), baseUrl };
  if (input.flags.dryRun) return await dryRun(job, context);
  if (job.proposing !== undefined) return await proposeFile(job, job.proposing, context);
  const journal = await context.journal();
  const done = await journal.exclusively(job.fileId, async () => {
    const paid = await journal.exclusively(await nameOfResult(job.resultPath), () => payFile(job, context));
    if (paid !== undefined) return paid;
    throw usageError(`Another run is writing its result to ${job.resultPath}; nothing was sent.`, "Name another file: --result FILE");
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

const choices = ["resume", "retry-failed", "new-run"] as const;

const optionsOf = (input: Input<typeof b2cBatchSpec>) => {
  const { concurrency, allowDuplicate, dryRun, result, wait: waitMs, resume, retryFailed, newRun } = input.flags;
  const path = input.args.file;
  const proposing = proposingOf(input.flags);
  if (result === undefined && (isStdin(path) || isShellPipe(path)) && !dryRun && proposing === undefined)
    throw usageError("From standard input or a pipe the result needs a file of its own.", "Name it: --result FILE");
  const ways = { resume, "retry-failed": retryFailed, "new-run": newRun };
  const [choice = "plain" as const, other] = choices.filter((name) => ways[name]);
  if (other !== undefined) throw usageError(`--${choice} and --${other} contradict each other: give one of them.`);
  const resultPath = result ?? `${path}.result.csv`;
  /** The command as typed, with another way to go on: none of them begins a new run. */
  const command = (way: "again" | "resume" | "retry-failed"): readonly string[] =>
    retyped(input, { without: choices, add: way === "again" ? [] : [`--${way}`] });
  return { path, concurrency, allowDuplicate, waitMs, proposing, choice, resultPath, isNamed: result !== undefined, words: input.words, command };
};

type Job = ReturnType<typeof optionsOf> & {
  readonly file: CheckedFile;
  readonly rows: CheckedFile["rows"];
  readonly fileId: string;
  readonly baseUrl: string;
};

/** `--propose`: the file's rows are stored under its name, and nothing is sent. */
const proposeFile = async (job: Job, proposing: Proposing, context: Planning & Pick<Context, "random" | "note">): Promise<Outcome> => {
  await noteSecondLook(context);
  return approvalOutcome(await proposeBatch({ ...job, name: isStdin(job.path) ? "standard input" : basename(job.path) }, proposing, context));
};

/** `--dry-run`: what the policy and the duplicate guard say of the file. Makes no journal. */
const dryRun = async (job: Job, context: Planning & Pick<Context, "note" | "existingJournal" | "flags">): Promise<Outcome> => {
  const { path, rows, fileId } = job;
  const needs = await approvalNote({ operation: "b2c", amount: formatMinor(totalOf(rows)), currency: "KES" }, context);
  if (needs !== undefined) context.note(needs);
  if (!job.allowDuplicate && (await context.existingJournal()) !== undefined) await noteDuplicates(job, context);
  const results = rows.map(({ row }) => ({ row, state: "notSent" as const }));
  return outcomeOf({ path, batchId: fileId, rows, results, isApprovalRequired: needs !== undefined }, context.flags);
};

const noteDuplicates = async (job: Job, context: Planning & Pick<Context, "note">): Promise<void> => {
  const { rows } = job;
  try {
    const plan = await planRun({ ...job, isResultShort: () => false }, context);
    await refuseProposed(job, plan, context);
    const settled = rows.length - plan.pays.size;
    if (settled > 0) context.note(`Sent before, and not sent again: ${groupedCount(settled)} of ${countOf(rows.length, "row")}.`);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== "duplicate") throw error;
    context.note(error.message);
  }
};

const payFile = async (job: Job, context: Context): Promise<Outcome> => {
  const { rows, path, resultPath } = job;
  const earlier = await readEarlierResult(resultPath, path);
  const isResultShort = (found: RunPlan): boolean => earlier.exists && earlier.lines.size < rows.length && knowsAll(earlier, knowledgeOf(found));
  const makePlan = () => planRun({ ...job, isResultShort }, context);
  let plan = await makePlan();
  const named = (row: number) => earlier.lines.get(row)?.[2] || undefined;
  if (!knowsAll(earlier, knowledgeOf(plan)) && (await closePaid(rows, plan, named, context))) plan = await makePlan();
  if (plan.pays.size > 0) await checkTogether(job, plan, context);
  const keeps = await keepsEarlier(job, plan, earlier, await context.journal());
  if (plan.pays.size > 0) await askConsent({ path, rows, plan, isRetry: job.choice === "retry-failed" }, context);
  else context.note(`Nothing is sent: ${rows.length === 1 ? "the row is" : `all ${groupedCount(rows.length)} rows are`} settled.`);
  if (keeps) context.note(`The result of an earlier run is kept in ${await keepEarlierResult(resultPath)}.`);
  return await sendRows(job, plan, earlier, context);
};

/** What concerns the file as a whole: its sum may need approval, and rows of it may wait for approval already. */
const checkTogether = async (job: Job, plan: RunPlan, context: Pick<Context, "journal">): Promise<void> => {
  const journal = await context.journal();
  const check = (): Promise<void> => requireBatchApproval(formatMinor(totalOf(job.rows)), journal);
  await (job.choice === "plain" ? orPropose(job, check) : check());
  if (!job.allowDuplicate) await refuseProposed(job, plan, context);
};

const refuseProposed = async ({ rows, baseUrl }: Job, { pays }: RunPlan, context: Pick<Context, "journal">): Promise<void> =>
  await refuseProposedRows(rows.filter(({ row }) => pays.has(row)).map(toItem), baseUrl, context);

const knowledgeOf = ({ before, transactionIds }: RunPlan) => ({ attempted: new Set(before.keys()), transactionIds });

/**
 * Whether the earlier result is kept under another name when this run writes its own (rules.md: a run that knows less never overwrites
 * a result file). Throws CliError usage where that file is one the person has named, or has payments that this journal does not know.
 */
const keepsEarlier = async ({ words, isNamed, resultPath, fileId }: Job, plan: RunPlan, earlier: EarlierResult, journal: Journal): Promise<boolean> => {
  if (earlier.problem !== undefined) throw earlier.problem;
  if (knowsAll(earlier, knowledgeOf(plan))) return plan.replaced.size > 0 && !plan.goesOn && earlier.lines.size > 0;
  if (!isNamed && (await isInJournal(earlier, journal))) return true;
  throw new CliError("usage", `${resultPath} holds the result of another run, which would be lost; nothing was sent.`, {
    hint: "Move that file away, or write the result to another one",
    command: isNamed ? undefined : retyped({ words }, { add: ["--result", `${resultPath.replace(/\.csv$/, "")}.${fileId}.csv`] }),
  });
};

const sendRows = async (job: Job, plan: RunPlan, earlier: EarlierResult, context: Context): Promise<Outcome> => {
  const { path, file, rows, waitMs, concurrency, resultPath, command } = job;
  const known = plan.goesOn ? plan.before : plan.known;
  const result = await openResultFile({ path: resultPath, headings: file.headings, rows, earlier, random: context.random }, known.values());
  const progress = context.progress();
  const startedMs = context.clock.monotonic();
  const onProgress = (done: number): void => progress.update(progressLine({ done, total: rows.length, startedMs, nowMs: context.clock.monotonic() }));
  const onResult = (one: RowResult): CliError | undefined => {
    if (one !== known.get(one.row)) result.write(one);
    return result.failure();
  };
  const { results, stopped } = await runBatch({ rows, plan, concurrency, onResult, onProgress }, context).finally(() => progress.end());
  if (waitMs !== undefined) await waitForRows(results, { waitMs, concurrency }, context, (one) => result.write(one));
  await result.finish(results);
  // Without its record nothing was sent: that is an error of its own, and no unfinished batch.
  if (stopped?.kind === "usage" && results.every((one) => one.state === "notSent" || one === known.get(one.row))) throw stopped;
  const end: BatchEnd = { stopped, unwritten: result.failure(), command, isResumed: job.choice === "resume" };
  return outcomeOf({ path, batchId: plan.batchId, rows, results, resultPath, end }, context.flags);
};

import { type BatchRow, type BatchRows, minorText } from "../../domain/batch-plan.ts";
import { groupedCount } from "../../domain/grouped.ts";
import { isShellPipe, isStdin } from "../../files/input-file.ts";
import { type CheckedFile, checkFile } from "../../flows/batch/check-file.ts";
import { type Run as FileRun, fileIdOf, findNewestRun, isFinished, isLeft, type Known, nothingKnown, runIdOf } from "../../flows/batch/find-run.ts";
import { createRowResults, type RowResults } from "../../flows/batch/row-results.ts";
import { readBalances, runBatch } from "../../flows/batch/run-batch.ts";
import { waitForRows } from "../../flows/batch/wait-rows.ts";
import { type Input, isSet, type Run, textFlag } from "../../kernel/command.ts";
import type { Context, Journal } from "../../kernel/context.ts";
import { CliError, usageError } from "../../kernel/errors.ts";
import type { Outcome } from "../../kernel/outcome.ts";
import { money } from "../../output/format.ts";
import { waitMsOf } from "../creating.ts";
import { outcomeOf, rowFields } from "./batch-outcome.ts";
import { openResultFile, type ResultFile } from "./batch-result.ts";
import { readBatchFile } from "./batch-source.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** `b2c batch FILE` (cli.md, Money safety): the whole file is checked, then each row is paid once, whatever interrupts it. */
export const run: Run = async (input, context) => {
  const path = input.args[0] ?? "";
  const options = optionsOf(input, path);
  checkFieldNames(context.flags.fields);
  const file = await checkFile(await readBatchFile(path, context));
  const account = await context.account();
  const fileId = fileIdOf(file.rows, account.baseUrl);
  if (options.dryRun) {
    const results = createRowResults(file.rows.length);
    for (let row = 1; row <= file.rows.length; row++) results.set({ row, state: "notSent" });
    return outcomeOf({ path, batchId: fileId, rows: file.rows, results }, context);
  }
  const journal = await context.journal();
  const done = await journal.exclusively(fileId, () => payFile({ path, options, file, fileId, journal }, context));
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
  readonly resume: boolean;
  readonly newRun: boolean;
  readonly allowDuplicate: boolean;
  readonly waitMs: number | undefined;
  readonly dryRun: boolean;
};

const optionsOf = (input: Input, path: string): Options => {
  const typed = textFlag(input, "concurrency") ?? "8";
  const concurrency = /^\d+$/.test(typed) ? Number(typed) : 0;
  if (concurrency < 1 || concurrency > 64) throw usageError(`--concurrency takes a whole number from 1 to 64, not "${typed}".`);
  const dryRun = isSet(input, "dry-run");
  const resultPath = textFlag(input, "result") ?? (isStdin(path) || isShellPipe(path) ? undefined : `${path}.result.csv`);
  if (resultPath === undefined && !dryRun) throw usageError("From standard input or a pipe the result needs a file of its own.", "Name it: --result FILE");
  if (isSet(input, "resume") && isSet(input, "new-run")) throw usageError("--resume and --new-run contradict each other: give one of them.");
  return {
    concurrency,
    resultPath: resultPath ?? "",
    resume: isSet(input, "resume"),
    newRun: isSet(input, "new-run"),
    allowDuplicate: isSet(input, "allow-duplicate"),
    waitMs: waitMsOf(input),
    dryRun,
  };
};

type Job = { readonly path: string; readonly options: Options; readonly file: CheckedFile; readonly fileId: string; readonly journal: Journal };

const payFile = async (job: Job, context: Context): Promise<Outcome> => {
  const { options, file, fileId, journal } = job;
  const newest = await findNewestRun(fileId, file.rows.length, journal);
  const number = newest === undefined ? 1 : options.newRun ? newest.number + 1 : newest.number;
  const earlier = options.newRun ? undefined : await newest?.read();
  if (earlier !== undefined) requireUnfinished(earlier, file.rows, options, context);
  const batchId = runIdOf(fileId, number);
  const known = earlier?.known ?? nothingKnown;
  const left = leftOf(file.rows, known);
  if (left !== undefined) await askOnce(job.path, file.rows, left, earlier !== undefined, context);
  const result = await openResultFile(options.resultPath, file.headings);
  const progress = context.progress();
  const startedMs = context.clock.monotonic();
  try {
    const end = await runBatch(
      {
        batchId,
        rows: file.rows,
        known,
        concurrency: options.concurrency,
        allowDuplicate: options.allowDuplicate || options.newRun,
        // With --wait a row's line is written once its end is known.
        onResult: async (row, one) => {
          if (options.waitMs === undefined || one.state !== "accepted") result.write(row, one);
          return result.failure();
        },
        onProgress: (done) => progress.update(progressText(done, file.rows.length, context.clock.monotonic() - startedMs)),
      },
      context,
    );
    const waited = options.waitMs !== undefined;
    if (options.waitMs !== undefined) await followRows(file.rows, end.results, options.waitMs, options.concurrency, result, context);
    return outcomeOf({ path: job.path, batchId, rows: file.rows, results: end.results, stopped: end.stopped, waited, unwritten: result.failure() }, context);
  } finally {
    progress.end();
    await result.close();
  }
};

const followRows = async (rows: BatchRows, results: RowResults, waitMs: number, concurrency: number, file: ResultFile, context: Context): Promise<void> =>
  waitForRows(results, { rows: rows.length, waitMs, concurrency }, context, async (one) => {
    file.write(rows.at(one.row), one);
  });

const progressText = (done: number, total: number, elapsedMs: number): string => {
  const rate = done / Math.max(0.001, elapsedMs / 1000);
  const leftSeconds = rate > 0 ? Math.ceil((total - done) / rate) : 0;
  return `${groupedCount(done)} of ${groupedCount(total)} rows (${Math.floor((done / total) * 100)}%), ${rate.toFixed(1)} a second, ${leftSeconds} s left`;
};

const requireUnfinished = (run: FileRun, rows: BatchRows, options: Options, context: Context): void => {
  let paid = 0;
  for (let row = 1; row <= rows.length; row++) if (run.known.state(row) === "accepted") paid++;
  const when = new Date(run.lastAtMs).toISOString();
  if (options.resume) return;
  if (isFinished(run, rows.length)) {
    throw new CliError(
      "duplicate",
      `This file was paid already: ${groupedCount(paid)} of ${groupedCount(rows.length)} rows were accepted, the last at ${when}. Nothing was sent.`,
      {
        hint: "To pay it all once more, with new keys: --new-run",
      },
    );
  }
  if (context.clock.now() - run.lastAtMs > dayMs) {
    throw new CliError(
      "duplicate",
      `A run of this file stopped at ${when} with ${groupedCount(paid)} of ${groupedCount(rows.length)} rows accepted, more than 24 hours ago. Nothing was sent.`,
      {
        hint: "Go on with it: --resume    or pay it all anew: --new-run",
      },
    );
  }
};

const shown = (balance: string | undefined): string => (balance === undefined ? "unknown" : money(balance, "KES"));

type Left = { readonly count: number; readonly totalMinor: bigint; readonly largest: BatchRow };

/** Undefined where nothing is left to pay. */
const leftOf = (rows: BatchRows, known: Known): Left | undefined => {
  if (known === nothingKnown) return { count: rows.length, totalMinor: rows.totalMinor, largest: rows.largest };
  let left: Left | undefined;
  for (const row of rows) {
    if (!isLeft(known, row.row)) continue;
    const largest = left === undefined || row.amountMinor > left.largest.amountMinor ? row : left.largest;
    left = { count: (left?.count ?? 0) + 1, totalMinor: (left?.totalMinor ?? 0n) + row.amountMinor, largest };
  }
  return left;
};

/** One question for the whole file; rows are then not asked about one by one. */
const askOnce = async (path: string, rows: BatchRows, left: Left, goesOn: boolean, context: Context): Promise<void> => {
  const { flags } = context;
  // Nothing is asked and nothing shown: then nothing is read for it either.
  if (flags.yes && (flags.output === "json" || flags.quiet)) return;
  const account = await context.account();
  const { totalMinor, largest } = left;
  const lines = [
    goesOn
      ? `Going on: ${groupedCount(rows.length - left.count)} of ${groupedCount(rows.length)} rows are settled, ${groupedCount(left.count)} are left.`
      : `${left.count === 1 ? "1 payout" : `${groupedCount(left.count)} payouts`} from ${path === "-" ? "standard input" : path}.`,
    `Total ${shown(minorText(totalMinor))}, the largest ${shown(minorText(largest.amountMinor))} to ${largest.phone} (${largest.reference}).`,
    `From profile ${account.profile} at ${new URL(account.baseUrl).host}. Fees are known only after acceptance.`,
  ];
  const balances = await readBalances(context);
  if (balances !== undefined) lines.push(`Payout float available: ${shown(balances.float)}; service credits: ${shown(balances.credits)}.`);
  if (flags.yes) {
    for (const line of lines) context.note(line);
    return;
  }
  if (!context.terminal.interactive)
    throw usageError(
      `Paying ${groupedCount(left.count)} people needs a yes, and there is no terminal to ask on; nothing was sent.`,
      "Add --yes once you are sure.",
    );
  if (!(await context.prompt.confirm({ message: `${lines.join("\n  ")}\n  Pay them?`, initial: false })))
    throw new CliError("interrupted", "Declined; nothing was sent.");
};

import { type BatchRow, minorText, type RowResult, type RowState, totalMinor } from "../../domain/batch-plan.ts";
import { groupedCount } from "../../domain/grouped.ts";
import { isShellPipe, isStdin } from "../../files/input-file.ts";
import { type CheckedFile, checkFile } from "../../flows/batch/check-file.ts";
import { type Run as FileRun, fileIdOf, findNewestRun, isFinished, runIdOf, stateOf } from "../../flows/batch/find-run.ts";
import { readBalances, runBatch } from "../../flows/batch/run-batch.ts";
import { waitForRows } from "../../flows/batch/wait-rows.ts";
import { type Input, isSet, type Run, textFlag } from "../../kernel/command.ts";
import type { Context, Journal } from "../../kernel/context.ts";
import { CliError, usageError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/exact-json.ts";
import type { Outcome } from "../../kernel/outcome.ts";
import { money } from "../../output/format.ts";
import { openResultFile, type ResultFile } from "./batch-result.ts";
import { readBatchFile } from "./batch-source.ts";
import { batchView, waitMsOf } from "./batch-view.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** `b2c batch FILE` (cli.md, Money safety): the whole file is checked, then each row is paid once, whatever interrupts it. */
export const run: Run = async (input, context) => {
  const path = input.args[0] ?? "";
  const options = optionsOf(input, path);
  checkFieldNames(context.flags.fields);
  const file = await checkFile(await readBatchFile(path, context));
  const account = await context.account();
  const fileId = fileIdOf(file.rows, account.baseUrl);
  if (options.dryRun)
    return outcomeOf(
      context,
      path,
      fileId,
      file.rows,
      file.rows.map(({ row }) => ({ row, state: "notSent" as const })),
      undefined,
    );
  const journal = await context.journal();
  const done = await journal.exclusively(fileId, () => payFile({ path, options, file, fileId, journal }, context));
  if (done !== undefined) return done;
  throw new CliError("duplicate", "Another process is paying this very file at this moment; nothing was sent by this one.", {
    hint: "Wait for it to end, then run this again to see what is left.",
  });
};

const rowFields = ["row", "state", "transactionId", "status", "reason"];

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
    waitMs: waitMsOf(input.flags["wait"]),
    dryRun,
  };
};

type Job = { readonly path: string; readonly options: Options; readonly file: CheckedFile; readonly fileId: string; readonly journal: Journal };

const payFile = async (job: Job, context: Context): Promise<Outcome> => {
  const { options, file, fileId, journal } = job;
  const newest = await findNewestRun(fileId, journal);
  const number = newest === undefined ? 1 : options.newRun ? newest.number + 1 : newest.number;
  const earlier = options.newRun ? undefined : newest?.run;
  if (earlier !== undefined) requireUnfinished(earlier, file.rows, options, context);
  const batchId = runIdOf(fileId, number);
  const known = earlier?.attempts ?? new Map();
  const left = file.rows.filter(({ row }) => ["notSent", "unknown"].includes(stateOf(known.get(row))));
  if (left.length > 0) await askOnce(job.path, file.rows, left, earlier !== undefined, context);
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
    const results = options.waitMs === undefined ? end.results : await followRows(file.rows, end.results, options.waitMs, options.concurrency, result, context);
    return outcomeOf(context, job.path, batchId, file.rows, results, end.stopped, options.waitMs !== undefined, result.failure());
  } finally {
    progress.end();
    await result.close();
  }
};

const followRows = async (
  rows: readonly BatchRow[],
  results: readonly RowResult[],
  waitMs: number,
  concurrency: number,
  file: ResultFile,
  context: Context,
): Promise<readonly RowResult[]> => {
  const byRow = new Map(rows.map((row) => [row.row, row]));
  return await waitForRows(results, { waitMs, concurrency }, context, async (one) => {
    const row = byRow.get(one.row);
    if (row !== undefined) file.write(row, one);
  });
};

const progressText = (done: number, total: number, elapsedMs: number): string => {
  const rate = done / Math.max(0.001, elapsedMs / 1000);
  const leftSeconds = rate > 0 ? Math.ceil((total - done) / rate) : 0;
  return `${groupedCount(done)} of ${groupedCount(total)} rows (${Math.floor((done / total) * 100)}%), ${rate.toFixed(1)} a second, ${leftSeconds} s left`;
};

const requireUnfinished = (run: FileRun, rows: readonly BatchRow[], options: Options, context: Context): void => {
  const paid = rows.filter(({ row }) => stateOf(run.attempts.get(row)) === "accepted").length;
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

/** One question for the whole file; rows are then not asked about one by one. */
const askOnce = async (path: string, rows: readonly BatchRow[], left: readonly BatchRow[], goesOn: boolean, context: Context): Promise<void> => {
  const account = await context.account();
  const total = totalMinor(left);
  const largest = left.reduce((top, row) => (row.amountMinor > top.amountMinor ? row : top));
  const lines = [
    goesOn
      ? `Going on: ${groupedCount(rows.length - left.length)} of ${groupedCount(rows.length)} rows are settled, ${groupedCount(left.length)} are left.`
      : `${groupedCount(left.length)} payouts from ${path === "-" ? "standard input" : path}.`,
    `Total ${shown(minorText(total))}, the largest ${shown(minorText(largest.amountMinor))} to ${largest.phone} (${largest.reference}).`,
    `From profile ${account.profile} at ${new URL(account.baseUrl).host}. Fees are known only after acceptance.`,
  ];
  const balances = await readBalances(context);
  if (balances !== undefined) lines.push(`Payout float available: ${shown(balances.float)}; service credits: ${shown(balances.credits)}.`);
  if (context.flags.yes) {
    for (const line of lines) context.note(line);
    return;
  }
  if (!context.terminal.interactive)
    throw usageError(
      `Paying ${groupedCount(left.length)} people needs a yes, and there is no terminal to ask on; nothing was sent.`,
      "Add --yes once you are sure.",
    );
  if (!(await context.prompt.confirm({ message: `${lines.join("\n  ")}\n  Pay them?`, initial: false })))
    throw new CliError("interrupted", "Declined; nothing was sent.");
};

const outcomeOf = (
  context: Pick<Context, "flags">,
  path: string,
  batchId: string,
  rows: readonly BatchRow[],
  results: readonly RowResult[],
  stopped: CliError | undefined,
  waited = false,
  unwritten?: CliError,
): Outcome => {
  const count = (state: RowState): number => results.filter((result) => result.state === state).length;
  const summary = {
    rows: rows.length,
    accepted: count("accepted"),
    refused: count("refused"),
    unknown: count("unknown"),
    notSent: count("notSent"),
    amount: minorText(totalMinor(rows)),
  };
  const sent = stopped !== undefined || summary.accepted + summary.refused + summary.unknown > 0;
  return {
    rows: results.map((result) => rowJson(result, context.flags.fields)),
    document: (picked) => ({ file: path, batchId, summary, rows: picked }),
    view: batchView(summary),
    ...(summary.accepted === 0 ? {} : { made: {} }),
    verdict: () => (sent ? verdictOf(results, summary, stopped, waited, unwritten) : undefined),
  };
};

/** A field asked for is there in every row, as null where the row has none. */
const rowJson = ({ quote: _quote, attemptId: _attempt, ...result }: RowResult, fields: readonly string[] | undefined): Json =>
  fields === undefined ? result : { ...Object.fromEntries(fields.map((field) => [field, null])), ...result };

const verdictOf = (
  results: readonly RowResult[],
  summary: Readonly<Record<RowState, number>> & { readonly rows: number },
  stopped: CliError | undefined,
  waited: boolean,
  unwritten: CliError | undefined,
): CliError | undefined => {
  const unpaid = waited ? results.filter((result) => result.state === "accepted" && result.reason !== undefined).length : 0;
  if (summary.accepted === summary.rows && unpaid === 0 && unwritten === undefined) return undefined;
  const parts = [
    `${groupedCount(summary.accepted)} of ${groupedCount(summary.rows)} rows were accepted`,
    ...(summary.refused > 0 ? [`${groupedCount(summary.refused)} refused`] : []),
    ...(summary.unknown > 0 ? [`${groupedCount(summary.unknown)} unknown`] : []),
    ...(summary.notSent > 0 ? [`${groupedCount(summary.notSent)} not sent`] : []),
    ...(unpaid > 0 ? [`${groupedCount(unpaid)} ended unpaid or are still open`] : []),
  ];
  // All may be paid, with no file that says so.
  const left = summary.notSent + summary.unknown > 0;
  const why = left && stopped !== undefined ? ` It stopped: ${stopped.message}` : unwritten === undefined ? "" : ` ${unwritten.message}`;
  return new CliError("batch-incomplete", `${parts.join(", ")}.${why}`, {
    sent: summary.unknown > 0 ? "unknown" : summary.accepted > 0 ? "yes" : "no",
    retryable: left,
    hint: left
      ? "Run the same command again: it goes on where it stopped and pays no row twice."
      : unwritten === undefined
        ? "The reason of each row is in the result."
        : "The same command with --resume and another --result FILE writes it again; nothing is paid twice.",
    ...(stopped?.status === undefined ? {} : { status: stopped.status }),
  });
};

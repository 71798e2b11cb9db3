import { routes } from "../../contract/routes.ts";
import type { BatchRow, BatchRows, RowResult } from "../../domain/batch-plan.ts";
import type { Attempt, Client, Context } from "../../kernel/context.ts";
import { CliError, type ErrorKind } from "../../kernel/errors.ts";
import { fieldOf, type Json, textOf } from "../../kernel/exact-json.ts";
import { createKeySalt, createPayment } from "../create-payment.ts";
import type { BatchRun } from "../create-payment-plan.ts";
import { withGrace } from "../interrupt.ts";
import { type Known, stateOf } from "./find-run.ts";
import { createRecordAhead, type RecordAhead } from "./record-ahead.ts";
import { createRowResults, type RowResults } from "./row-results.ts";
import { createThrottle, type Throttle, throttledClient } from "./throttle.ts";

export type BatchJob = {
  readonly batchId: string;
  readonly rows: BatchRows;
  readonly known: Known;
  /** Payouts under way at once. */
  readonly concurrency: number;
  readonly allowDuplicate: boolean;
  /** Told of each row once, as it is settled. What it returns stops the run: rows under way are still waited for. */
  readonly onResult: (row: BatchRow, result: RowResult) => Promise<CliError | undefined>;
  readonly onProgress: (done: number) => void;
};
/** Why the run stopped before its end: the account's or the network's fault, not a row's. */
export type BatchEnd = { readonly results: RowResults; readonly stopped?: CliError };

/**
 * Rows are recorded this many times further ahead than they are sent: many attempts then share one sync to disk, and the
 * disk does not hold up the network. What is recorded and not sent when the run is killed is sent by the next, with its key.
 */
const recordedAhead = 16;
/** When fewer than so many times `concurrency` are left of them, the next are recorded: the disk has the time of so many answers. */
const recordedLeast = 3;
/** Of so many rows one is a moment to look whether the journal is still where it was: looking takes as long as a tenth of a row. */
const lookEveryOf = 4;
/** A batch of so many rows is worth a thread that writes the journal: to start one takes as long as some dozen payments. */
const threadRows = 100;

/**
 * Pays the rows that are not paid yet, each through the one payment flow. Stops sending on 401, 402, a first 403, a lost network or
 * Ctrl-C; rows that were under way then are waited for. Never throws for a row: its result says what happened.
 */
export const runBatch = async (job: BatchJob, context: Context): Promise<BatchEnd> => {
  const throttle = createThrottle(job.concurrency, context.clock);
  const results = createRowResults(job.rows.length);
  const state: { next: number; done: number; accepted: boolean; asked: number; stopped: CliError | undefined } = {
    next: 1,
    done: 0,
    accepted: false,
    asked: 0,
    stopped: undefined,
  };
  const bulk = job.rows.length >= threadRows;
  const journal = await context.journal({ bulk });
  const lookEvery = bulk ? lookEveryOf : 1;
  const isStopped = (): boolean => {
    // Asked before each row is sent, as it was recorded some time ago.
    if (state.asked++ % lookEvery === 0) state.stopped ??= journal.lost();
    return state.stopped !== undefined || context.signal.aborted;
  };
  const ahead = createRecordAhead(journal, throttle, job.concurrency * recordedLeast, isStopped);
  const paying = bulkContext(context, throttle, ahead, isStopped);
  const grace = withGrace(context.signal, context.clock, context.hurry);
  const run = { id: job.batchId, keySalt: createKeySalt(context.random), inFlight: grace.signal };
  const settle = async (row: BatchRow, result: RowResult): Promise<void> => {
    results.set(result);
    state.done++;
    const fault = await job.onResult(row, result);
    if (fault !== undefined) state.stopped ??= fault;
    job.onProgress(state.done);
  };
  const worker = async (): Promise<void> => {
    while (state.next <= job.rows.length && state.stopped === undefined && !context.signal.aborted) {
      const row = job.rows.at(state.next++);
      const before = job.known.state(row.row);
      const known = before === "notSent" ? undefined : await job.known.attempt(row.row);
      if (known !== undefined && before !== "unknown") {
        await settle(row, resultOfAttempt(row, known));
        continue;
      }
      const paid = await payRow(row, known, { run, allowDuplicate: job.allowDuplicate }, paying);
      state.accepted ||= paid.result.state === "accepted";
      // Assumed: a 403 where this key has just paid others is about this payee, and must not hold up the rows behind it for ever.
      if (paid.stop !== undefined && !(paid.stop.status === 403 && state.accepted)) state.stopped ??= paid.stop;
      await settle(row, paid.result);
    }
  };
  try {
    await Promise.all(Array.from({ length: job.concurrency * recordedAhead }, worker));
  } finally {
    grace.release();
  }
  if (context.signal.aborted) state.stopped ??= new CliError("interrupted", "Interrupted");
  for (let row = 1; row <= job.rows.length; row++) {
    if (results.get(row) !== undefined) continue;
    const known = job.known.state(row) === "notSent" ? undefined : await job.known.attempt(row);
    const left = job.rows.at(row);
    await settle(left, known === undefined ? { row, state: "notSent" } : resultOfAttempt(left, known));
  }
  return { results, ...(state.stopped === undefined ? {} : { stopped: state.stopped }) };
};

/** Keeps connections, and slows down together where the service says 429. */
const bulkContext = (context: Context, throttle: Throttle, ahead: RecordAhead, isStopped: () => boolean): Context => {
  let made: Promise<Client> | undefined;
  return {
    ...context,
    note: () => undefined,
    journal: async () => ahead.journal,
    client: (options = {}) => {
      made ??= context.client({ ...options, bulk: true }).then((client) => throttledClient(client, throttle, isStopped, ahead.onSent));
      return made;
    },
  };
};

type Paid = { readonly result: RowResult; readonly stop?: CliError };

type Paying = { readonly run: BatchRun; readonly allowDuplicate: boolean };

const payRow = async (row: BatchRow, open: Attempt | undefined, { run, allowDuplicate }: Paying, context: Context): Promise<Paid> => {
  try {
    const { answer, attempt } = await createPayment(
      {
        operation: "b2c",
        body: open?.body ?? row.body,
        reference: row.reference,
        payee: row.phone,
        amount: row.amount,
        currency: "KES",
        allowDuplicate,
        dryRun: false,
        batch: { run, row: row.row },
        // An attempt without an answer goes on with its own key and bytes: that can't pay twice.
        ...(open === undefined ? {} : { idempotencyKey: open.idempotencyKey }),
      },
      context,
    );
    const result = acceptedResult(row, answer.body);
    // An attempt that turned out to be accepted already may know its transaction when the answer is a look-up's.
    return { result: { ...result, attemptId: attempt.id, ...(attempt.transactionId === undefined ? {} : { transactionId: attempt.transactionId }) } };
  } catch (error) {
    const known = error instanceof CliError ? error : new CliError("bug", error instanceof Error ? error.message : String(error), { cause: error });
    return failedRow(row.row, known, open !== undefined);
  }
};

/**
 * What an error before an answer, or an answer that refuses, says about its row. `stops`: it comes from the account, the machine or
 * the network, so the rows behind it would meet the same. A kind that is not decided here does not compile.
 */
const endOfKind: Readonly<Record<ErrorKind, { readonly state: RowResult["state"]; readonly stops: boolean }>> = {
  rejected: { state: "refused", stops: false },
  "not-found": { state: "refused", stops: false },
  auth: { state: "notSent", stops: true },
  "payment-required": { state: "notSent", stops: true },
  unavailable: { state: "notSent", stops: true },
  config: { state: "notSent", stops: true },
  usage: { state: "notSent", stops: true },
  // The reason for it is what stopped the run, and that is shown.
  interrupted: { state: "notSent", stops: false },
  duplicate: { state: "notSent", stops: false },
  "outcome-unknown": { state: "unknown", stops: false },
  // No payment ends like this before it was sent: nobody knows what happened.
  "payment-failed": { state: "unknown", stops: true },
  pending: { state: "unknown", stops: true },
  differences: { state: "unknown", stops: true },
  "batch-incomplete": { state: "unknown", stops: true },
  bug: { state: "unknown", stops: true },
};

/** The result of a row whose payment failed. `wasOpen`: an earlier attempt of it has no known outcome, and a failure to settle that one changes nothing. */
export const failedRow = (row: number, error: CliError, wasOpen: boolean): Paid => {
  const reason = error.journalId === undefined ? error.message : `${error.message} (journal ${error.journalId})`;
  const throttled = error.status === 429;
  const end = endOfKind[error.kind];
  const sent = throttled ? "notSent" : end.state;
  const state = error.sent !== "no" || (wasOpen && sent === "notSent") ? "unknown" : sent;
  return { result: { row, state, reason }, ...(end.stops || throttled ? { stop: error } : {}) };
};

const acceptedResult = (row: BatchRow, body: Json): RowResult => {
  const transactionId = textOf(fieldOf(body, "transactionId"));
  const status = textOf(fieldOf(body, "status"));
  const quote = textOf(fieldOf(fieldOf(body, "pricingQuote"), "fee"));
  return {
    row: row.row,
    state: "accepted",
    ...(transactionId === undefined ? {} : { transactionId }),
    ...(status === undefined ? {} : { status }),
    ...(quote === undefined ? {} : { quote }),
  };
};

const resultOfAttempt = (row: BatchRow, attempt: Attempt): RowResult => {
  const state = stateOf(attempt);
  const last = attempt.tries.at(-1);
  const why = last?.httpStatus === undefined ? last?.error : `answered ${last.httpStatus}`;
  return {
    row: row.row,
    state,
    attemptId: attempt.id,
    ...(attempt.transactionId === undefined ? {} : { transactionId: attempt.transactionId }),
    ...(attempt.status === undefined ? {} : { status: attempt.status }),
    ...(state === "accepted" || why === undefined ? {} : { reason: `${why} (journal ${attempt.id})` }),
  };
};

/** Both balances, where the key may read them: a help for the question, never a condition. */
export const readBalances = async (
  context: Pick<Context, "client" | "signal">,
): Promise<{ readonly float: string | undefined; readonly credits: string | undefined } | undefined> => {
  try {
    const client = await context.client();
    const wallet = fieldOf((await client.call(routes.wallet, { signal: context.signal, budgetMs: 5000 })).body, "wallet");
    return { float: textOf(fieldOf(wallet, "b2cAvailableBalance")) ?? textOf(fieldOf(wallet, "b2cBalance")), credits: textOf(fieldOf(wallet, "balance")) };
  } catch (error) {
    if (error instanceof CliError && error.kind !== "interrupted" && error.kind !== "bug") return undefined;
    throw error;
  }
};

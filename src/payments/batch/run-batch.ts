import { CliError, type ErrorKind } from "../../errors.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Client, Context } from "../../ports.ts";
import { routes } from "../../service/contract/routes.ts";
import { createKeySalt, createPayment } from "../create-payment.ts";
import type { BatchRun } from "../create-payment-plan.ts";
import { withGrace } from "../interrupt.ts";
import type { BatchRow, BatchRows, RowResult } from "./batch-plan.ts";
import { rowOfOther } from "./find-run.ts";
import type { RunPlan } from "./plan-run.ts";
import { createRecordAhead, type RecordAhead } from "./record-ahead.ts";
import { createThrottle, throttledClient, type Watch } from "./throttle.ts";

export type BatchJob = {
  readonly rows: BatchRows;
  readonly plan: Pick<RunPlan, "batchId" | "known" | "pays" | "allowDuplicate" | "replaced">;
  /** Payouts under way at once. */
  readonly concurrency: number;
  /** Told of each row once, as it is settled. What it returns stops the run: rows under way are still waited for. */
  readonly onResult: (row: BatchRow, result: RowResult) => Promise<CliError | undefined>;
  readonly onProgress: (done: number) => void;
};
/** Why the run stopped before its end: the account's or the network's fault, not a row's. */
export type BatchEnd = {
  /** One for each row, in the order of the file. */
  readonly results: RowResult[];
  readonly stopped?: CliError;
};

/**
 * Rows are recorded this many times further ahead than they are sent: many attempts then share one sync to disk, and the
 * disk does not hold up the network. What is recorded and not sent when the run is killed is sent by the next, with its key.
 */
const recordedAhead = 16;
/** When fewer than so many times `concurrency` are left of them, the next are recorded: the disk has the time of so many answers. */
const recordedLeast = 3;

/**
 * Pays the rows that are not paid yet, each through the one payment flow. Stops sending on 401, 402, a first 403, a lost network or
 * Ctrl-C; rows that were under way then are waited for. Never throws for a row: its result says what happened.
 */
export const runBatch = async (job: BatchJob, context: Context): Promise<BatchEnd> => {
  const throttle = createThrottle(job.concurrency, context.clock);
  const results: RowResult[] = [];
  const state: { next: number; done: number; accepted: boolean; stopped: CliError | undefined } = {
    next: 1,
    done: 0,
    accepted: false,
    stopped: undefined,
  };
  const journal = await context.journal();
  const isStopped = (): boolean => {
    // Asked before each row is sent, as it was recorded some time ago.
    state.stopped ??= journal.lost();
    return state.stopped !== undefined || context.signal.aborted;
  };
  const ahead = createRecordAhead(journal, throttle, job.concurrency * recordedLeast, isStopped);
  const stopFor = (stop: CliError | undefined): void => {
    // Assumed: a 403 where this key has just paid others is about this payee, and must not hold up the rows behind it for ever.
    if (stop !== undefined && !(stop.status === 403 && state.accepted)) state.stopped ??= stop;
  };
  const watch: Watch = {
    isStopped,
    onSent: ahead.onSent,
    onAccepted: () => {
      state.accepted = true;
    },
    onFailed: (error) => {
      if (error instanceof CliError) stopFor(failedRow(0, error, false).stop);
    },
  };
  const paying = bulkContext(context, ahead, (client) => throttledClient(client, throttle, watch));
  const grace = withGrace(context.signal, context.clock, context.hurry);
  const { plan } = job;
  const run = { id: plan.batchId, keySalt: createKeySalt(context.random), replaced: plan.replaced, inFlight: grace.signal };
  const settle = async (row: BatchRow, result: RowResult): Promise<void> => {
    results[row.row - 1] = result;
    state.done++;
    const fault = await job.onResult(row, result);
    if (fault !== undefined) state.stopped ??= fault;
    job.onProgress(state.done);
  };
  const worker = async (): Promise<void> => {
    while (state.next <= job.rows.length && state.stopped === undefined && !context.signal.aborted) {
      const row = job.rows.at(state.next++);
      const known = plan.known.get(row.row);
      if (!plan.pays.has(row.row)) {
        if (known !== undefined) await settle(row, known);
        continue;
      }
      const paid = await payRow(row, known?.state === "unknown" ? known.attemptId : undefined, { run, allowDuplicate: plan.allowDuplicate }, paying);
      stopFor(paid.stop);
      await settle(row, paid.result.state === "notSent" ? notSent(known, paid.result) : paid.result);
    }
  };
  try {
    await Promise.all(Array.from({ length: job.concurrency * recordedAhead }, worker));
  } finally {
    grace.release();
  }
  if (context.signal.aborted) state.stopped ??= new CliError("interrupted", "Interrupted");
  for (let row = 1; row <= job.rows.length; row++) {
    if (results[row - 1] !== undefined) continue;
    const known = plan.known.get(row);
    const isReached = known !== undefined && !(plan.pays.has(row) && known.state === "accepted");
    await settle(job.rows.at(row), isReached ? known : notSent(known, { row, state: "notSent" }));
  }
  return { results, ...(state.stopped === undefined ? {} : { stopped: state.stopped }) };
};

/** A row that ended unpaid and was not sent again keeps the name of its earlier payment. */
const notSent = (known: RowResult | undefined, result: RowResult): RowResult => {
  if (known?.state !== "accepted") return result;
  return { ...known, state: "notSent", reason: `It ended unpaid, and was not sent again${result.reason === undefined ? "" : `: ${result.reason}`}` };
};

/** Keeps connections, and slows down together where the service says 429. */
const bulkContext = (context: Context, ahead: RecordAhead, throttled: (client: Client) => Client): Context => {
  let made: Promise<Client> | undefined;
  return {
    ...context,
    note: () => undefined,
    journal: async () => ahead.journal,
    client: (options = {}) => {
      made ??= context.client({ ...options, bulk: true }).then(throttled);
      return made;
    },
  };
};

type Paid = { readonly result: RowResult; readonly stop?: CliError };

type Paying = { readonly run: BatchRun; readonly allowDuplicate: boolean };

/** `openId`: an earlier attempt of the row has no known outcome. It goes on with its own key and bytes, which can't pay twice. */
const payRow = async (row: BatchRow, openId: string | undefined, { run, allowDuplicate }: Paying, context: Context): Promise<Paid> => {
  try {
    const open = openId === undefined ? undefined : await (await context.journal()).find(openId);
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
        ...(open === undefined ? {} : { idempotencyKey: open.idempotencyKey }),
      },
      context,
    );
    const result = acceptedResult(row, answer.body);
    // An attempt that turned out to be accepted already may know its transaction when the answer is a look-up's.
    return { result: { ...result, attemptId: attempt.id, ...(attempt.transactionId === undefined ? {} : { transactionId: attempt.transactionId }) } };
  } catch (error) {
    const known = error instanceof CliError ? error : new CliError("bug", error instanceof Error ? error.message : String(error), { cause: error });
    const other = await standing(known, context);
    // Another payment says nothing about an attempt of this row that has no outcome yet.
    if (other !== undefined && (openId === undefined || other.id === openId)) return { result: rowOfOther(row, other) };
    return failedRow(row.row, known, openId !== undefined);
  }
};

/** The attempt for which the duplicate guard refused a row. */
const standing = async ({ kind, journalId }: CliError, context: Context): Promise<Attempt | undefined> => {
  if (kind !== "duplicate" || journalId === undefined) return undefined;
  return await (await context.journal()).find(journalId).catch(() => undefined);
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

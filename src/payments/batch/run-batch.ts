import { CliError, type ErrorKind, withoutStop } from "../../errors.ts";
import type { Attempt } from "../../journal/port.ts";
import { present } from "../../json/exact-json.ts";
import type { Client, Context } from "../../ports.ts";
import { createKeySalt, createPayment, type Payment } from "../create-payment.ts";
import type { BatchRun } from "../draft.ts";
import { asCliError, withGrace } from "../send-attempt.ts";
import type { BatchRow, RowResult } from "./batch-plan.ts";
import { quotedFee, rowOfOther } from "./find-run.ts";
import type { RunPlan } from "./plan-run.ts";

export type BatchJob = {
  readonly rows: readonly BatchRow[];
  readonly plan: Pick<RunPlan, "batchId" | "known" | "pays" | "allowDuplicate" | "replaced"> & { readonly approvalId?: string };
  /** Payouts under way at once. */
  readonly concurrency: number;
  /** Called once for each row, when it is settled. A result stops the run; rows under way are still waited for. */
  readonly onResult: (result: RowResult) => CliError | undefined;
  readonly onProgress: (done: number) => void;
};
export type BatchEnd = {
  /** One for each row, in the order of the file. */
  readonly results: RowResult[];
  /** Why the run stopped before its end: the account's or the network's fault, not a row's. */
  readonly stopped: CliError | undefined;
};

/**
 * Rows are begun so many times `concurrency` together: one sync to disk then records them all, and the disk does not hold up the
 * network. What a killed run has recorded and not sent the next one sends, with its key.
 */
const begunTogether = 16;
/** When fewer than so many times `concurrency` wait to be sent, the next are begun. */
const waitingLeast = 3;

/**
 * Pays the rows that are not paid yet, each through the one payment flow. Stops sending on 401, 402, a first 403, a lost network or
 * Ctrl-C; rows that were under way then are waited for. Never throws for a row: its result says what happened.
 */
export const runBatch = async ({ rows, plan, concurrency, onResult, onProgress }: BatchJob, context: Context): Promise<BatchEnd> => {
  const journal = await context.journal();
  const results: RowResult[] = [];
  const state: { accepted: boolean; done: number; stopped: CliError | undefined } = { accepted: false, done: 0, stopped: undefined };
  const settle = (result: RowResult): void => {
    results[result.row - 1] = result;
    state.stopped ??= onResult(result);
    state.done++;
    onProgress(state.done);
  };
  const isStopped = (): boolean => {
    state.stopped ??= journal.lost() ?? (context.signal.aborted ? new CliError("interrupted", "Interrupted") : undefined);
    return state.stopped !== undefined;
  };
  const stopFor = (stop: CliError | undefined): void => {
    // Assumed: a 403 where this key has just paid others is about this payee, and must not hold up the rows behind it for ever.
    if (stop !== undefined && !(stop.status === 403 && state.accepted)) state.stopped ??= stop;
  };
  const watch: Watch = {
    isStopped,
    onAccepted: () => {
      state.accepted = true;
    },
    onFailed: (error) => {
      if (error instanceof CliError) stopFor(failedRow(0, error, false).stop);
    },
  };
  const places = createPlaces(concurrency);
  const client = throttledClient(await context.client({ bulk: true }), places, watch);
  const grace = withGrace(context.signal, context.clock, context.hurry);
  const run = { id: plan.batchId, keySalt: createKeySalt(context.random), replaced: plan.replaced, approvalId: plan.approvalId, inFlight: grace.signal };
  const paying = { ...context, note: () => undefined, client: async () => client };
  for (const known of plan.known.values()) if (!plan.pays.has(known.row)) settle(known);
  const left = rows.filter(({ row }) => plan.pays.has(row));
  const pay = async (row: BatchRow): Promise<void> => {
    const known = plan.known.get(row.row);
    const openId = known?.state === "unknown" ? known.attemptId : undefined;
    const paid = await payRow(row, openId, { run, allowDuplicate: plan.allowDuplicate }, paying);
    stopFor(paid.stop);
    settle(paid.result.state === "notSent" ? notSent(known, paid.result) : paid.result);
  };
  try {
    await payAll(left, { concurrency, pay, taken: places.taken, isStopped });
  } finally {
    grace.release();
  }
  for (const { row } of rows) {
    if (results[row - 1] !== undefined) continue;
    const known = plan.known.get(row);
    settle(known === undefined || known.state === "accepted" ? notSent(known, { row, state: "notSent" }) : known);
  }
  return { results, stopped: state.stopped };
};

type PayAll = {
  readonly concurrency: number;
  readonly pay: (row: BatchRow) => Promise<void>;
  /** How many are under way. */
  readonly taken: () => number;
  readonly isStopped: () => boolean;
};
/** Begins the rows in their order, some ahead of those that are under way, until all have ended or the run has stopped. */
const payAll = (rows: readonly BatchRow[], { concurrency, pay, taken, isStopped }: PayAll): Promise<void> =>
  new Promise((resolve, reject) => {
    let begun = 0;
    let open = 0;
    const begin = (): void => {
      if (open - taken() < concurrency * waitingLeast && !isStopped()) {
        const next = rows.slice(begun, begun + concurrency * begunTogether);
        begun += next.length;
        open += next.length;
        for (const row of next) {
          pay(row)
            .then(() => {
              open--;
              begin();
            })
            .catch(reject);
        }
      }
      if (open === 0) resolve();
    };
    begin();
  });

/** A row that ended unpaid and was not sent again keeps the name of its earlier payment. */
const notSent = (known: RowResult | undefined, result: RowResult): RowResult => {
  if (known?.state !== "accepted") return result;
  return { ...known, state: "notSent", reason: `It ended unpaid, and was not sent again${result.reason === undefined ? "" : `: ${result.reason}`}` };
};

type Paid = { readonly result: RowResult; readonly stop?: CliError };

type Paying = { readonly run: BatchRun; readonly allowDuplicate: boolean };

/** `openId`: an earlier attempt of the row has no known outcome. It goes on with its own key and bytes, which can't pay twice. */
const payRow = async (row: BatchRow, openId: string | undefined, { run, allowDuplicate }: Paying, context: Context): Promise<Paid> => {
  try {
    const open = openId === undefined ? undefined : await (await context.journal()).find(openId);
    const plan = { ...row, allowDuplicate, dryRun: false, batch: { run, row: row.row }, idempotencyKey: open?.idempotencyKey };
    const payment = await createPayment(plan, context);
    return { result: acceptedRow(row.row, payment) };
  } catch (error) {
    const known = asCliError(error);
    const other = await standing(known, context);
    // Another payment says nothing about an attempt of this row that has no outcome yet.
    if (other !== undefined && (openId === undefined || other.id === openId)) return { result: rowOfOther(row, other) };
    return failedRow(row.row, known, openId !== undefined);
  }
};

/** The attempt for which the duplicate guard refused a row. */
const standing = async ({ kind, journalId }: CliError, context: Pick<Context, "journal">): Promise<Attempt | undefined> => {
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
  "approval-required": { state: "notSent", stops: true },
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
  const reason = error.journalId === undefined ? error.message : `${withoutStop(error.message)} (journal ${error.journalId})`;
  const throttled = error.status === 429;
  const end = endOfKind[error.kind];
  const sent = throttled ? "notSent" : end.state;
  const state = error.sent !== "no" || (wasOpen && sent === "notSent") ? "unknown" : sent;
  return { result: { row, state, reason }, ...(end.stops || throttled ? { stop: error } : {}) };
};

const acceptedRow = (row: number, { id, status, answer, attempt }: Payment): RowResult => ({
  row,
  state: "accepted",
  attemptId: attempt.id,
  ...present({ transactionId: id, status, quote: quotedFee(answer.body) }),
});

/** What a run does and learns as its rows are sent. */
type Watch = {
  /** Asked when a row's turn comes: one that has not been sent then never is. */
  isStopped(): boolean;
  /** Before the next row has its turn. */
  onAccepted(): void;
  onFailed(error: unknown): void;
};

/**
 * How many creations may be under way at once. The first goes alone: an account that is refused, or a service that asks to be left
 * alone, is met once. Each answer then lets one more in, up to `most`; a 429 halves them, and from then on they grow slowly.
 */
export const createPlaces = (most: number) => {
  let limit = 1;
  let isSlow = false;
  let taken = 0;
  const waiting: (() => void)[] = [];
  const admit = (): void => {
    while (taken < Math.floor(limit) && waiting.length > 0) {
      taken++;
      waiting.shift()?.();
    }
  };
  return {
    enter: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    leave: (): void => {
      taken--;
      admit();
    },
    taken: (): number => taken,
    answered: (status: number): void => {
      if (status === 429) {
        isSlow = true;
        limit = Math.max(1, limit / 2);
      } else if (status < 500) limit = Math.min(most, limit + (isSlow ? 1 / limit : 1));
    },
  };
};

/** The same client with a bound on creations under way, slowed down by 429. Throws CliError interrupted (nothing left) once the run has stopped. */
const throttledClient = (client: Client, places: ReturnType<typeof createPlaces>, watch: Watch): Client => ({
  ...client,
  call: async (route, input = {}) => {
    if (route.effect === "read") return await client.call(route, input);
    await places.enter();
    try {
      if (watch.isStopped()) throw new CliError("interrupted", "The run stopped before this row was sent.");
      const answer = await client.call(route, {
        ...input,
        onTry: async (tried) => {
          if (tried.httpStatus !== undefined) places.answered(tried.httpStatus);
          await input.onTry?.(tried);
        },
      });
      watch.onAccepted();
      return answer;
    } catch (error) {
      watch.onFailed(error);
      throw error;
    } finally {
      places.leave();
    }
  },
});

import { accountWords } from "../command.ts";
import { CliError, withoutStop } from "../errors.ts";
import type { Journal } from "../journal/port.ts";
import type { Context } from "../ports.ts";
import { directionOf, type Operation } from "../service/contract/routes.ts";
import { waitPauseMs } from "../service/retry.ts";
import { failureReasonOf, findReceipt } from "../transactions/fields.ts";
import { hasEndedUnpaid, isPaid, isRecognisedStatus } from "../transactions/status.ts";
import { readTwiceIfUnpaid } from "../transactions/sync-details.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { type ReadingContext, readPayment, type SeenPayment } from "./read-payment.ts";

export type AwaitInput = {
  readonly transactionId: string;
  readonly operation: Operation;
  /** Whole time, ms. */
  readonly waitMs: number;
  readonly attemptId: string;
  readonly idempotencyKey?: string | undefined;
  /** As last seen. */
  readonly status?: string | undefined;
};
export type Awaited = {
  readonly transaction: Transaction | undefined;
  /** Undefined: paid. */
  readonly verdict: CliError | undefined;
  /** Why it ended unpaid, in the service's words. */
  readonly reason?: string | undefined;
};

/** A read gets this much at least, however little of the wait is left, ms. */
const readMsMin = 2_000;

type Deps = ReadingContext & Pick<Context, "clock" | "progress" | "journal" | "note" | "flags">;
/** `gone`: reading can't succeed any more (a refused key). */
type Reading = SeenPayment | "not-yet" | "gone";

/**
 * Follows an accepted payment to its end. Whatever happens to the reading, the verdict is undefined (paid), payment-failed (7, read
 * again 3 s later) or pending (8: time ran out, reading failed, or Ctrl-C). Never throws for what the service or network does.
 */
export const awaitFinal = async (input: AwaitInput, context: Deps): Promise<Awaited> => {
  const { clock, signal } = context;
  const direction = directionOf(input.operation);
  const endsAt = clock.monotonic() + input.waitMs;
  const line = context.progress();
  const journal = tolerant(await context.journal());
  let last: SeenPayment | undefined;
  const read = async (): Promise<Reading> => {
    try {
      const budgetMs = Math.max(readMsMin, endsAt - clock.monotonic());
      const before = { id: input.attemptId, transactionId: input.transactionId, status: last?.status ?? input.status };
      const seen = await readPayment(before, { ...context, journal, budgetMs });
      last = seen ?? last;
      return seen ?? "not-yet";
    } catch (error) {
      if (signal.aborted) throw error;
      return error instanceof CliError && error.kind === "auth" ? "gone" : "not-yet";
    }
  };
  const pending = (why: string): Awaited => ({ transaction: last?.transaction, verdict: pendingError(why, input, last, context.flags) });
  try {
    for (let poll = 0; ; poll += 1) {
      line.update(() => `${inWords(input.operation, last?.status)}… ${Math.max(0, Math.ceil((endsAt - clock.monotonic()) / 1000))} s left`);
      await clock.sleep(Math.max(0, Math.min(waitPauseMs(poll), endsAt - clock.monotonic())), signal);
      const isUnpaid = (reading: Reading): boolean => {
        const unpaid = hasEndedUnpaid(statusOf(reading), direction);
        if (unpaid) line.update("ended unpaid; reading again to be sure");
        return unpaid;
      };
      const reading = await readTwiceIfUnpaid(read, isUnpaid, context);
      if (typeof reading !== "string") {
        if (isPaid(reading.status)) return paidEnd(reading, context);
        if (hasEndedUnpaid(reading.status, direction)) return unpaidEnd(reading, input);
      }
      if (reading === "gone") return pending("The payment was accepted, but its state cannot be read");
      if (clock.monotonic() >= endsAt) return pending("The payment is still open");
    }
  } catch {
    // Whatever broke here, the payment was accepted: no other code would be true.
    return pending(signal.aborted ? "Interrupted; the payment was accepted and is still open" : "The payment was accepted, but its state cannot be read");
  } finally {
    line.end();
  }
};

const statusOf = (reading: Reading): string | undefined => (typeof reading === "string" ? undefined : reading.status);

/** What the journal cannot remember is no reason to stop waiting. */
const tolerant = (journal: Pick<Journal, "setStatus">): Pick<Journal, "setStatus"> => ({
  setStatus: (id, status) => journal.setStatus(id, status).catch(() => undefined),
});

const namesOf = ({ attemptId, idempotencyKey }: AwaitInput) => ({ sent: "yes" as const, journalId: attemptId, idempotencyKey });

const paidEnd = ({ transaction }: SeenPayment, context: Pick<Context, "note">): Awaited => {
  if (findReceipt(transaction.body) === undefined) context.note("It is paid, but the service shows no receipt yet.");
  return { transaction, verdict: undefined };
};

const unpaidEnd = ({ status, transaction }: SeenPayment, input: AwaitInput): Awaited => {
  const reason = failureReasonOf(transaction.body);
  const why = reason === undefined ? "" : ` (${withoutStop(reason)})`;
  return { transaction, reason, verdict: new CliError("payment-failed", `The payment ended unpaid: ${status}${why}`, namesOf(input)) };
};

const pendingError = (why: string, input: AwaitInput, last: SeenPayment | undefined, flags: Context["flags"]): CliError => {
  const known = last === undefined || isRecognisedStatus(last.status, directionOf(input.operation)) ? "" : " (a status this program does not know)";
  return new CliError("pending", `${why}${last === undefined ? "" : `: ${last.status}${known}`}`, {
    ...namesOf(input),
    hint: "To look again",
    command: ["tx", "get", input.transactionId, ...accountWords(flags)],
  });
};

/** Assumed: what a service may call a push that nobody has answered yet; it shows SENT alone (service 3). */
const beforePin: ReadonlySet<string> = new Set(["SENT", "QUEUED", "PENDING"]);

/** What is being waited for, in words: service 1.2 and 3. */
const inWords = (operation: Operation, status: string | undefined): string => {
  const word = status?.toUpperCase();
  if (operation === "stk") return word === undefined || beforePin.has(word) ? "waiting for the customer's PIN" : `the service says ${status}`;
  if (operation === "b2c")
    return word === undefined || word === "QUEUED"
      ? "queued; the money is held until the carrier confirms"
      : `${status}; the money is held until the carrier confirms`;
  return `waiting: ${status ?? "not seen yet"}`;
};

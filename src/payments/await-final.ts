import { accountWords } from "../command.ts";
import { CliError } from "../errors.ts";
import type { Journal } from "../journal/port.ts";
import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";
import type { Context } from "../ports.ts";
import { type Operation, routes } from "../service/contract/routes.ts";
import { secondLookMs, waitPauseMs } from "../service/retry.ts";
import { failureReasonOf } from "../transactions/failure-reason.ts";
import { classifyStatus, isRecognisedStatus, isReversed } from "../transactions/status.ts";

export type AwaitInput = {
  readonly transactionId: string;
  readonly operation: Operation /** Whole time, ms. */;
  readonly waitMs: number;
  readonly attemptId: string;
};
export type Awaited = { readonly transaction: Json | undefined; readonly verdict: CliError | undefined };

/** A read gets this much at least, however little of the wait is left, ms. */
const readMsMin = 2_000;

type Deps = Pick<Context, "client" | "clock" | "signal" | "progress" | "journal" | "note" | "flags">;
type Seen = { readonly status: string; readonly transaction: Json };
/** `gone`: reading can't succeed any more (a refused key). */
type Reading = Seen | "not-yet" | "gone";

/**
 * Follows an accepted payment to its end. Whatever happens to the reading, the verdict is none (paid), payment-failed (7, read
 * again 3 s later) or pending (8: time ran out, reading failed, or Ctrl-C). Never throws for what the service or network does.
 */
export const awaitFinal = async (input: AwaitInput, context: Deps): Promise<Awaited> => {
  const { clock, signal } = context;
  const endsAt = clock.monotonic() + input.waitMs;
  const line = context.progress();
  const watch = await createWatch(input, context);
  try {
    for (let poll = 0; ; poll += 1) {
      line.update(() => `${inWords(input.operation, watch.last?.status)}… ${Math.max(0, Math.ceil((endsAt - clock.monotonic()) / 1000))} s left`);
      await clock.sleep(Math.max(0, Math.min(waitPauseMs(poll), endsAt - clock.monotonic())), signal);
      const reading = await watch.read(endsAt);
      const kind = kindOf(reading, input.operation);
      if (kind === "paid") return finalOf(watch, undefined, context);
      if (kind === "unpaid") {
        line.update("ended unpaid; reading again to be sure");
        await clock.sleep(secondLookMs, signal);
        const again = kindOf(await watch.read(endsAt), input.operation);
        if (again === "paid") return finalOf(watch, undefined, context);
        if (again === "unpaid") return finalOf(watch, watch.failed(), context);
      }
      if (reading === "gone") return finalOf(watch, watch.pending("The payment was accepted, but its state cannot be read"), context);
      if (clock.monotonic() >= endsAt) return finalOf(watch, watch.pending("The payment is still open"), context);
    }
  } catch {
    // Whatever broke here, the payment was accepted: no other code would be true.
    const why = signal.aborted ? "Interrupted; the payment was accepted and is still open" : "The payment was accepted, but its state cannot be read";
    return finalOf(watch, watch.pending(why), context);
  } finally {
    line.end();
  }
};

const directionOf = (operation: Operation): "in" | "out" => (operation === "b2c" || operation === "withdraw" ? "out" : "in");
const kindOf = (reading: Reading, operation: Operation): "open" | "paid" | "unpaid" =>
  typeof reading === "string" ? "open" : classifyStatus(reading.status, directionOf(operation));

type Watch = {
  /** The last readable answer. */
  readonly last: Seen | undefined;
  read(endsAt: number): Promise<Reading>;
  failed(): CliError;
  pending(why: string): CliError;
};

const createWatch = async (input: AwaitInput, context: Deps): Promise<Watch> => {
  const { clock, signal } = context;
  const journal = await context.journal();
  const attempt = await quietly(() => journal.find(input.attemptId));
  const details = { sent: "yes" as const, journalId: input.attemptId, idempotencyKey: attempt?.idempotencyKey };
  let last: Seen | undefined;
  let journalled = attempt?.status;
  const read = async (endsAt: number): Promise<Reading> => {
    try {
      const client = await context.client();
      const { body } = await client.call(routes.getTransaction, {
        params: { transactionId: input.transactionId },
        budgetMs: Math.max(readMsMin, endsAt - clock.monotonic()),
        signal,
      });
      const status = textOf(fieldOf(body, "status"));
      // An answer about another transaction says nothing about this one.
      if (status === undefined || textOf(fieldOf(body, "id")) !== input.transactionId) return "not-yet";
      last = { status, transaction: body };
      if (status !== journalled) await remember(journal, input, journalled, status);
      journalled = status;
      return last;
    } catch (error) {
      if (signal.aborted) throw error;
      return error instanceof CliError && error.kind === "auth" ? "gone" : "not-yet";
    }
  };
  return {
    get last() {
      return last;
    },
    read,
    failed: () => {
      const why = last === undefined ? undefined : failureReasonOf(last.transaction);
      return new CliError("payment-failed", `The payment ended unpaid: ${last?.status ?? "unknown"}${why === undefined ? "" : ` (${why})`}`, details);
    },
    pending: (why) =>
      new CliError("pending", `${why}${last === undefined ? "" : `: ${last.status}${unrecognised(last.status, input.operation)}`}`, {
        ...details,
        hint: "To look again",
        command: ["tx", "get", input.transactionId, ...accountWords(context.flags)],
      }),
  };
};

const unrecognised = (status: string, operation: Operation): string =>
  isRecognisedStatus(status, directionOf(operation)) ? "" : " (a status this program does not know)";

/** The journal keeps what was seen; a payment once seen paid stays so unless it was reversed. */
const remember = async (journal: Journal, input: AwaitInput, before: string | undefined, status: string): Promise<void> => {
  const wasPaid = before !== undefined && classifyStatus(before, directionOf(input.operation)) === "paid";
  if (wasPaid && !isReversed(status)) return;
  await quietly(() => journal.setStatus(input.attemptId, status));
};

const quietly = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};

const finalOf = (watch: Watch, verdict: CliError | undefined, context: Deps): Awaited => {
  const transaction = watch.last?.transaction;
  if (verdict === undefined && transaction !== undefined && !hasReceipt(transaction)) context.note("It is paid, but the service shows no receipt yet.");
  return { transaction, verdict };
};

/** The receipt is whichever field of `metadata` has "receipt" in its name (rules.md, Living with what is not shown). */
const hasReceipt = (transaction: Json): boolean => {
  const metadata = fieldOf(transaction, "metadata");
  return isObject(metadata) && Object.entries(metadata).some(([name, value]) => /receipt/i.test(name) && (textOf(value) ?? "").trim() !== "");
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

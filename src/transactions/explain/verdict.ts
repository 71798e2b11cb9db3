import { withoutStop } from "../../errors.ts";
import { isUnsettled } from "../../journal/attempt.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, parseExact, textOf } from "../../json/exact-json.ts";
import { money } from "../../output/format.ts";
import { commandOf } from "../../payments/command-of.ts";
import { canonicalAmount } from "../../payments/guard-key.ts";
import { isGlobal } from "../../service/contract/routes.ts";
import type { LoggedCallback } from "../../webhooks/callback-log.ts";
import { failureReasonOf, findReceipt } from "../fields.ts";
import { classifyStatus, type Direction, isReversed, type StatusClass } from "../status.ts";
import type { Transaction } from "../transaction.ts";
import type { Story } from "./story.ts";

export type Verdict = StatusClass | "unknown";
export type Judged = {
  readonly verdict: Verdict;
  /** A sentence for the customer. */
  readonly say: string;
  /** What does not fit together, one sentence each, for the person who looks. */
  readonly contradictions: readonly string[];
  /** The one command to run next: the words after payments-cli. */
  readonly command: readonly string[] | undefined;
  /** What this machine saw of its callbacks, as a sentence; undefined for a payment that has none. */
  readonly callback: string | undefined;
};

/** What became of the payment, as sure as its sources allow. Ended unpaid is only said if the service says so now and nothing speaks against it. */
export const judgeStory = (story: Story): Judged => {
  const verdict = verdictOf(story);
  const command = nextCommand(story, verdict);
  return { verdict, say: sentenceFor(story, verdict), contradictions: contradictionsOf(story), command, callback: callbackOf(story, command) };
};

const statusOf = (transaction: Transaction | undefined): string => transaction?.status ?? "";

const verdictOf = (story: Story): Verdict => {
  const { transaction, attempts, isLive, direction } = story;
  if (transaction === undefined) return verdictOfAttempts(story);
  const status = statusOf(transaction);
  const state = classifyStatus(status, direction);
  if (state === "paid" || (story.contradicted !== undefined && classifyStatus(story.contradicted, direction) === "paid")) return "paid";
  if (!isLive) return "unknown";
  if (state === "open") return "open";
  if (attempts.some(isUnsettled)) return "unknown";
  if (isReversed(status)) return "unpaid";
  const isOpposed = wasCharged(story) || paidCallback(story) !== undefined;
  return isOpposed || !isBorneOut(story) ? "unknown" : "unpaid";
};

/** A bare word such as FAILED is not enough: the service says why, or its ledger would show the charge and does not. */
const isBorneOut = ({ transaction, own, ledgerSinceMs }: Story): boolean =>
  failureReasonOf(transaction?.body) !== undefined || ledgerSinceMs <= (own === undefined ? Number.NEGATIVE_INFINITY : Date.parse(own.startedAt));

/** How long the answer to a creation is news, ms: a payment abroad cannot be looked up, and may have ended at any moment since. */
const newsMs = 10 * 60_000;

/** No transaction can be shown: only the journal speaks, and for payments abroad the Global Wallet beside it (service 2.5: they cannot be looked up). */
const verdictOfAttempts = ({ tried, unread, direction, readAt }: Story): Verdict => {
  // Somebody else may have paid with this reference.
  if (tried.some(isUnsettled) || unread.some(({ source }) => source === "service")) return "unknown";
  const accepted = tried.filter(({ state }) => state === "accepted");
  if (accepted.length === 0) return "unpaid";
  if (accepted.some(({ status = "" }) => classifyStatus(status, direction) === "paid")) return "paid";
  const isNews = accepted.every(({ transactionId, startedAt }) => transactionId !== undefined && Date.parse(readAt) - Date.parse(startedAt) < newsMs);
  return isNews ? "open" : "unknown";
};

/**
 * The ledger took the fee of a push or the amount of a payout: that happens on completion alone (service 1.7). Its entries name the
 * reference: where it shows them all, as many charges as paid payments of the same reference are those payments' own.
 */
const wasCharged = ({ ledger, ledgerSinceMs, others, direction }: Story): boolean => {
  const charge = direction === "out" ? "B2C_PAYOUT" : "FEE";
  const charges = ledger.filter((entry) => textOf(fieldOf(entry, "type")) === charge && (textOf(fieldOf(entry, "amount")) ?? "").startsWith("-"));
  const paid = others.map(statusOf).filter((status) => classifyStatus(status, direction) === "paid" || isReversed(status));
  return charges.length > (ledgerSinceMs === Number.NEGATIVE_INFINITY ? paid.length : 0);
};

const paidCallback = ({ callbacks, direction }: Story): LoggedCallback | undefined =>
  callbacks.find(({ valid, status }) => valid && classifyStatus(status, direction) === "paid");

const contradictionsOf = (story: Story): readonly string[] => {
  const { transaction, attempts, others, direction } = story;
  const status = statusOf(transaction);
  const state = classifyStatus(status, direction);
  const found: string[] = [];
  if (story.contradicted !== undefined)
    found.push(`The service says ${status} now, but said ${story.contradicted} before. Paid is not undone by that: ask the service.`);
  if (transaction !== undefined && state !== "paid" && !isReversed(status)) {
    const whose = others.length === 0 ? "" : ", unless that charge is for another payment with this reference";
    if (wasCharged(story)) found.push(`The service says ${status}, but its ledger has charged for the payment as if it were complete${whose}.`);
    const paid = paidCallback(story);
    if (paid !== undefined) found.push(`The service says ${status}, but a callback said ${paid.status}.`);
  }
  if (state === "paid" && transaction !== undefined && findReceipt(transaction.body)?.text === undefined)
    found.push("It is paid, but the service gives no receipt.");
  const id = transaction?.id;
  const own = attempts.find(({ transactionId }) => transactionId !== undefined && transactionId === id);
  if (state === "paid" && own?.status !== undefined && classifyStatus(own.status, direction) === "unpaid")
    found.push(`It is paid, but the service said ${own.status} when this machine last looked.`);
  const amount = transaction?.amount;
  if (own !== undefined && amount !== undefined && canonicalAmount(own.amount) !== canonicalAmount(amount))
    found.push(`${money(own.amount, own.currency)} was asked for, but the service has ${money(amount, own.currency)}.`);
  for (const attempt of attempts.filter((one) => isUnsettled(one) && one !== own && transaction !== undefined))
    found.push(
      own === undefined
        ? `The attempt ${attempt.id} is not settled yet. It is probably this transaction.`
        : `The attempt ${attempt.id} has the same reference, and nobody knows yet if it became a second payment.`,
    );
  for (const other of others) found.push(`There is a second transaction with the same reference: ${other.id ?? ""}, ${statusOf(other)}.`);
  return found;
};

const subjects: Readonly<Record<Direction, string>> = { in: "Your payment", out: "Our payment", unknown: "The payment" };

const sentenceFor = (story: Story, verdict: Verdict): string => {
  const { transaction, own, direction } = story;
  const amount = money(transaction?.amount ?? own?.amount, own?.currency ?? "KES");
  const reference = transaction?.reference ?? own?.reference ?? "";
  const what = `${subjects[direction]} of ${amount}${reference === "" ? "" : ` for ${reference}`}`;
  const isOut = direction === "out";
  if (verdict === "unknown") return `${what}: we do not know yet if it went through. ${isOut ? "We" : "Please do not pay again; we"} are checking.`;
  if (verdict === "paid") {
    const receipt = transaction === undefined ? undefined : findReceipt(transaction.body)?.text;
    return `${what} went through${receipt === undefined ? "" : `, receipt ${receipt}`}.`;
  }
  if (verdict === "open")
    return isOut
      ? `${what} is still being processed.`
      : `${what} is not confirmed yet. If you were asked to confirm it, please do; otherwise please wait, and do not pay again.`;
  const rival = rivalOf(story);
  const end = classifyStatus(statusOf(rival), direction) === "paid" ? "went through" : `is not final yet${isOut ? "" : ", so please do not pay again"}`;
  const also = rival === undefined ? "" : ` Another one for ${reference} ${end}.`;
  if (isReversed(statusOf(transaction))) return `${what} went through and was then reversed.${also}`;
  const reason = failureReasonOf(transaction?.body);
  return `${what} did not go through${reason === undefined ? "" : `: ${withoutStop(reason)}`}.${also}`;
};

/** Another transaction with the same reference that is paid or may still be: to pay again would be to pay twice. */
const rivalOf = ({ others, direction }: Story): Transaction | undefined => {
  const of = (state: StatusClass): Transaction | undefined => others.find((row) => classifyStatus(statusOf(row), direction) === state);
  return of("paid") ?? of("open");
};

const nextCommand = (story: Story, verdict: Verdict): readonly string[] | undefined => {
  const { transaction, attempts, own } = story;
  const unsettled = attempts.find(isUnsettled);
  if (unsettled !== undefined) return ["journal", "resume", unsettled.id];
  if (verdict === "unpaid") {
    const rival = rivalOf(story)?.id;
    if (rival !== undefined) return ["tx", "explain", rival];
    if (isReversed(statusOf(transaction))) return transaction?.id === undefined ? undefined : deliverAgain(story, transaction.id);
    return payAgain(own);
  }
  if (transaction === undefined && own !== undefined && isGlobal(own.operation)) return verdict === "paid" ? undefined : ["global", "wallet"];
  const id = transaction?.id ?? own?.transactionId;
  if (id === undefined) return undefined;
  if (verdict === "open") return ["tx", "watch", id];
  if (verdict === "unknown") return ["tx", "get", id];
  return deliverAgain(story, id);
};

/** Of a pruned attempt the payee is not known any more. */
const payAgain = (attempt: Attempt | undefined): readonly string[] | undefined =>
  attempt === undefined || attempt.body === null ? undefined : commandOf({ operation: attempt.operation, body: attempt.body });

/** The status of a payment that is paid, or was reversed, is delivered again if it was not seen to arrive: to the URL that the payment was made with. */
const deliverAgain = ({ attempts, callbacks, direction, transaction }: Story, id: string): readonly string[] | undefined => {
  const isReversal = isReversed(statusOf(transaction));
  const says = (status: string): boolean => (isReversal ? isReversed(status) : classifyStatus(status, direction) === "paid");
  const arrived = callbacks.some(({ answered, status }) => answered >= 200 && answered < 300 && says(status));
  const to = callbackUrlOf(attempts.find(({ transactionId }) => transactionId === id));
  return arrived || to === undefined ? undefined : ["webhook", "replay", id, "--to", to];
};

const callbackUrlOf = (attempt: Attempt | undefined): string | undefined =>
  attempt === undefined || attempt.body === null ? undefined : textOf(fieldOf(parseExact(attempt.body), "callbackUrl"));

/** Callbacks go to the merchant's own system: this machine knows of those that passed through it. */
const callbackOf = ({ transaction, own, callbacks, unread }: Story, command: readonly string[] | undefined): string | undefined => {
  if (transaction === undefined || unread.some(({ source }) => source === "callback")) return undefined;
  const count = (found: readonly LoggedCallback[]): string => (found.length === 1 ? "one" : `${found.length}, the last`);
  const seen = (["received", "posted"] as const).flatMap((way) => {
    const found = callbacks.filter((callback) => callback.way === way);
    const last = found.at(-1);
    return last === undefined ? [] : [`${way === "received" ? "saw" : "itself sent"} ${count(found)}: ${callbackWords(last)}`];
  });
  if (seen.length > 0) return `This machine ${seen.join("; it ")}.`;
  const url = callbackUrlOf(own);
  if (url === undefined) return own?.transactionId === transaction.id && own?.body !== null ? "None was asked for." : "This machine saw none.";
  const next = command?.[1] === "replay" ? " The next command sends it one more." : "";
  return `This machine saw none, but your system at ${url} may have received one.${next}`;
};
export const callbackWords = ({ way, status, valid, answered }: LoggedCallback): string =>
  `${status === "" ? "without a status" : status} ${way}, ${valid ? "" : "its signature is not valid, "}answered ${answered}`;

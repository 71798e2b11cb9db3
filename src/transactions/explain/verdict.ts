import { isUnsettled } from "../../journal/attempt.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, type Json, parseExact, textOf } from "../../json/exact-json.ts";
import { money } from "../../output/format.ts";
import { canonicalAmount } from "../../payments/guard-key.ts";
import { isGlobal } from "../../service/contract/routes.ts";
import { failureReasonOf } from "../failure-reason.ts";
import { findReceipt } from "../receipt.ts";
import { classifyStatus, isReversed, type StatusClass } from "../status.ts";
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
};

/** What became of the payment, as sure as its sources allow. Ended unpaid is only said if the service says so now and nothing speaks against it. */
export const judgeStory = (story: Story): Judged => {
  const contradictions = contradictionsOf(story);
  const verdict = verdictOf(story, contradictions.length > 0);
  return { verdict, say: sentenceFor(story, verdict), contradictions, command: nextCommand(story, verdict) };
};

const statusOf = (transaction: Json | undefined): string => textOf(fieldOf(transaction, "status")) ?? "";
const idOf = (transaction: Json | undefined): string | undefined => textOf(fieldOf(transaction, "id"));

const verdictOf = (story: Story, contradicted: boolean): Verdict => {
  const { transaction, attempts, isLive, direction } = story;
  if (transaction === undefined) return verdictOfAttempts(story);
  const state = classifyStatus(statusOf(transaction), direction);
  if (state === "paid" || (story.contradicted !== undefined && classifyStatus(story.contradicted, direction) === "paid")) return "paid";
  if (!isLive) return "unknown";
  if (state === "open") return "open";
  const opposed = contradicted && (wasCharged(story) || story.callbacks.some(({ valid, status }) => valid && classifyStatus(status, direction) === "paid"));
  return (opposed && !isReversed(statusOf(transaction))) || attempts.some(isUnsettled) ? "unknown" : "unpaid";
};

/** No transaction can be shown: only the journal speaks, and for payments abroad the Global Wallet beside it (service 2.5: they cannot be looked up). */
const verdictOfAttempts = ({ attempts, unread, direction }: Story): Verdict => {
  if (attempts.some(isUnsettled)) return "unknown";
  const accepted = attempts.filter(({ state }) => state === "accepted");
  if (accepted.length === 0) return "unpaid";
  if (unread.some(({ source }) => source === "service") || accepted.some(({ transactionId }) => transactionId === undefined)) return "unknown";
  const states = accepted.map(({ status }) => classifyStatus(status ?? "", direction));
  return states.includes("paid") ? "paid" : "open";
};

/** The ledger took the fee of a push or the amount of a payout: that happens on completion alone (service 1.7). */
const wasCharged = ({ ledger, direction }: Story): boolean => {
  const charge = direction === "out" ? "B2C_PAYOUT" : "FEE";
  return ledger.some((entry) => textOf(fieldOf(entry, "type")) === charge && (textOf(fieldOf(entry, "amount")) ?? "").startsWith("-"));
};

const contradictionsOf = (story: Story): readonly string[] => {
  const { transaction, attempts, others, direction, callbacks } = story;
  const status = statusOf(transaction);
  const state = classifyStatus(status, direction);
  const found: string[] = [];
  if (story.contradicted !== undefined)
    found.push(`The service says ${status} now, but said ${story.contradicted} before. Paid is not undone by that: ask the service.`);
  if (state === "unpaid" && !isReversed(status)) {
    if (wasCharged(story)) found.push(`The service says ${status}, but its ledger has charged for the payment as if it were complete.`);
    const paid = callbacks.find(({ valid, status: said }) => valid && classifyStatus(said, direction) === "paid");
    if (paid !== undefined) found.push(`The service says ${status}, but a callback said ${paid.status}.`);
  }
  if (state === "paid" && transaction !== undefined && findReceipt(transaction)?.text === undefined)
    found.push("It is paid, but the service gives no receipt.");
  const id = idOf(transaction);
  const own = attempts.find(({ transactionId }) => transactionId !== undefined && transactionId === id);
  const amount = textOf(fieldOf(transaction, "amount"));
  if (own !== undefined && amount !== undefined && canonicalAmount(own.amount) !== canonicalAmount(amount))
    found.push(`${money(own.amount, own.currency)} was asked for, but the service has ${money(amount, own.currency)}.`);
  for (const attempt of attempts.filter((one) => isUnsettled(one) && one !== own && transaction !== undefined))
    found.push(
      own === undefined
        ? `The attempt ${attempt.id} is not settled yet. It is probably this transaction.`
        : `The attempt ${attempt.id} has the same reference, and nobody knows yet if it became a second payment.`,
    );
  for (const other of others) found.push(`There is a second transaction with the same reference: ${idOf(other) ?? ""}, ${statusOf(other)}.`);
  return found;
};

const sentenceFor = (story: Story, verdict: Verdict): string => {
  const { transaction, attempts, direction } = story;
  const own = attempts.at(-1);
  const amount = money(fieldOf(transaction, "amount") ?? own?.amount, own?.currency ?? "KES");
  const reference = textOf(fieldOf(transaction, "reference")) ?? own?.reference ?? "";
  const what = `${direction === "out" ? "Our payment" : "Your payment"} of ${amount}${reference === "" ? "" : ` for ${reference}`}`;
  const status = statusOf(transaction);
  if (verdict === "unknown") return `${what}: we do not know yet if it went through. Please do not pay again; we are checking.`;
  if (verdict === "paid") {
    const receipt = transaction === undefined ? undefined : findReceipt(transaction)?.text;
    return `${what} went through${receipt === undefined ? "" : `, receipt ${receipt}`}.`;
  }
  if (verdict === "open") {
    const waits = direction === "in" && status.toUpperCase() === "SENT";
    return waits ? `${what} waits for your PIN: please look at your phone.` : `${what} is still being processed.`;
  }
  if (isReversed(status)) return `${what} went through and was then reversed.`;
  const reason = failureReasonOf(transaction);
  return `${what} did not go through${reason === undefined ? "" : `: ${reason}`}.`;
};

const nextCommand = (story: Story, verdict: Verdict): readonly string[] | undefined => {
  const { transaction, attempts } = story;
  const unsettled = attempts.find(isUnsettled);
  if (unsettled !== undefined) return ["journal", "resume", unsettled.id];
  const id = idOf(transaction) ?? attempts.at(-1)?.transactionId;
  const own = attempts.at(-1);
  const isAbroad = transaction === undefined && own !== undefined && isGlobal(own.operation);
  if (verdict === "unpaid") return isReversed(statusOf(transaction)) ? undefined : payAgain(own);
  if (isAbroad) return verdict === "paid" ? undefined : ["global", "wallet"];
  if (id === undefined) return undefined;
  if (verdict === "open") return ["tx", "watch", id];
  if (verdict === "unknown") return ["tx", "get", id];
  return deliverAgain(story, id);
};

const payAgain = (attempt: Attempt | undefined): readonly string[] | undefined =>
  attempt === undefined || attempt.payee === "" || (attempt.operation !== "stk" && attempt.operation !== "b2c")
    ? undefined
    : [attempt.operation, "--phone", attempt.payee, "--amount", attempt.amount, "--reference", attempt.reference];

/** A paid payment whose callback was not seen to arrive is delivered again, to the URL that the payment was made with. */
const deliverAgain = ({ attempts, callbacks, direction }: Story, id: string): readonly string[] | undefined => {
  const arrived = callbacks.some(({ answered, status }) => answered >= 200 && answered < 300 && classifyStatus(status, direction) === "paid");
  const body = attempts.find(({ transactionId }) => transactionId === id)?.body;
  const to = body === null || body === undefined ? undefined : textOf(fieldOf(parseExact(body), "callbackUrl"));
  return arrived || to === undefined ? undefined : ["webhook", "replay", id, "--to", to];
};

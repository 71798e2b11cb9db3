import { CliError, notKnownYet, withoutStop } from "../errors.ts";
import { closedAttempt, damagedError, isUnsettled } from "../journal/attempt.ts";
import { importedBy } from "../journal/attempt-errors.ts";
import type { Attempt, Journal } from "../journal/port.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Account, Client, Context } from "../ports.ts";
import { isMoneyOut } from "../service/contract/routes.ts";
import { isWithinReplayTime } from "../service/retry.ts";
import { mirrorKey } from "../transactions/mirror-schema.ts";
import { utcTime } from "../utc-time.ts";
import { heldBackAttempt } from "./approvals/require-approval.ts";
import { askConsent, creatingClient } from "./consent.ts";
import { describeEvidence, readEvidence } from "./evidence.ts";
import { canonicalAmount } from "./guard-key.ts";
import { resumeCommand, sendAttempt } from "./send-attempt.ts";
import { type Elsewhere, otherKeyError, settledElsewhere } from "./settle-elsewhere.ts";
import { type Candidate, type LookUp, lookUpAttempts } from "./settle-lookup.ts";

export type Settled = {
  readonly attempt: Attempt;
  /** Why it is still unknown, in a sentence. */
  readonly why?: string | undefined;
  /** A policy holds back what would be sent again: it was never approved. */
  readonly heldBack?: CliError | undefined;
  /** It belongs to another profile, address or key, which settles it. */
  readonly elsewhere?: Elsewhere | undefined;
  /** What the service says that the journal did not. */
  readonly contradiction?: string | undefined;
  readonly evidence?: string | undefined;
  /** The flags with which it is sent again where nobody can be asked. */
  readonly again?: readonly string[];
};
export type SettleOptions = {
  /** One attempt was named by its id: withdrawals are only settled so, and another key or place is an error instead of a reason. */
  readonly byId: boolean;
  readonly passphraseStdin: boolean;
};

type Bench = { readonly account: Account; readonly client: Client; readonly journal: Journal; readonly context: Context; readonly options: SettleOptions };

/**
 * Settles open attempts (rules.md, Money safety): first a look-up among the transactions, then, while the service still knows
 * the key, the same key and bytes again. What can't be settled stays unknown, with the reason; a refusal never closes an
 * attempt that may have been paid.
 *
 * Throws CliError auth or config (3) for a single attempt of another key or place.
 */
export const settleAttempts = async (attempts: readonly Attempt[], context: Context, options: SettleOptions): Promise<readonly Settled[]> => {
  const bench: Bench = { account: await context.account(), client: await context.client(), journal: await context.journal(), context, options };
  const whole = attempts.filter(({ damaged }) => damaged !== true);
  const elsewhere = new Map<string, Elsewhere>();
  for (const attempt of whole) {
    const other = settledElsewhere(attempt, bench.account, bench.client, context.env);
    if (other !== undefined && options.byId) throw other.error;
    if (other !== undefined) elsewhere.set(attempt.id, other);
  }
  const found = await lookUp(
    whole.filter(({ id }) => !elsewhere.has(id)),
    bench,
  );
  const settled: Settled[] = [];
  for (const attempt of attempts) {
    const other = elsewhere.get(attempt.id);
    settled.push(other === undefined ? await settleOne(attempt, found.get(attempt.id), bench) : { attempt, why: other.error.message, elsewhere: other });
  }
  return settled;
};

/** A look-up that fails is no reason to give up: the same key and bytes can still be sent again. */
const lookUp = async (attempts: readonly Attempt[], { account, client, journal, context }: Bench): Promise<ReadonlyMap<string, LookUp>> => {
  const { openMirrorToRead } = await import("../transactions/mirror.ts");
  const mirror = await openMirrorToRead(context.paths.data, mirrorKey(account));
  try {
    return await lookUpAttempts(attempts, { client, journal, mirror, signal: context.signal });
  } catch (error) {
    if (context.signal.aborted) throw error;
    context.note(`The transactions could not be searched: ${error instanceof Error ? error.message : String(error)}`);
    return new Map();
  } finally {
    mirror?.dispose();
  }
};

const settleOne = async (before: Attempt, found: LookUp | undefined, bench: Bench): Promise<Settled> => {
  const { journal } = bench;
  if (bench.context.signal.aborted) return { attempt: before, why: "interrupted before its turn" };
  // Another process may have settled it, or claimed the transaction, since it was read.
  const attempt = (await journal.find(before.id)) ?? before;
  if (!isUnsettled(attempt)) return contradictionOf(attempt, found);
  if (attempt.damaged === true) return { attempt, why: damagedError(attempt).message };
  const candidates = found?.candidates ?? [];
  const [only] = candidates;
  if (
    found?.complete === true &&
    only !== undefined &&
    candidates.length === 1 &&
    !(await hasRival(attempt, journal)) &&
    !(await isClaimed(attempt, only.id, journal))
  ) {
    return closeAsFound(attempt, only, bench);
  }
  const several =
    candidates.length > 1 ? `${candidates.length} transactions have its reference and amount (${candidates.map(({ id }) => id).join(", ")})` : undefined;
  const never = several ?? (await whyNotAgain(attempt, bench));
  const heldBack = never === undefined ? await heldBackAttempt(attempt, journal) : undefined;
  const why = never ?? heldBack?.message ?? whyNotNow(attempt, bench);
  if (why !== undefined) return withEvidence({ attempt, why, heldBack }, bench);
  return sendAgain(attempt, bench);
};

const closeAsFound = async (attempt: Attempt, { id, status }: Candidate, { journal, context }: Bench): Promise<Settled> => {
  const end = { state: "accepted", transactionId: id, status } as const;
  try {
    await journal.close(attempt.id, end);
  } catch (error) {
    // Whoever is sending it at this moment closes it.
    if (!(error instanceof CliError) || error.kind !== "duplicate") throw error;
    return { attempt, why: error.message };
  }
  return { attempt: closedAttempt(attempt, end, new Date(context.clock.now()).toISOString()) };
};

/** Another attempt of the same reference and amount may own the one transaction as well: open, or accepted by hand without its id. */
const mayOwnOne = (other: Attempt): boolean => isUnsettled(other) || (other.state === "accepted" && other.transactionId === undefined);
const hasRival = async (attempt: Attempt, journal: Journal): Promise<boolean> => {
  const likes = await journal.list({ reference: attempt.reference, operation: attempt.operation, baseUrl: attempt.baseUrl });
  return likes.some((other) => other.id !== attempt.id && mayOwnOne(other) && canonicalAmount(other.amount) === canonicalAmount(attempt.amount));
};
const isClaimed = async (attempt: Attempt, transactionId: string, journal: Journal): Promise<boolean> =>
  (await journal.list({ transactionId, baseUrl: attempt.baseUrl })).some(({ id }) => id !== attempt.id);

/** Why the same key and bytes can't be sent again, or undefined. */
const whyNotAgain = async (attempt: Attempt, { journal }: Bench): Promise<string | undefined> => {
  if (attempt.body === null) return "its request is no longer stored";
  if (attempt.recordedBy?.imported === true) return importedBy(attempt.recordedBy.login, attempt).message;
  const [nowMs, newestTime] = [await journal.nowMs(), await journal.newestTime()];
  if (!isWithinReplayTime(attempt, nowMs, newestTime)) {
    return nowMs < Date.parse(newestTime ?? attempt.startedAt)
      ? "this machine's clock is behind the journal's, so its age is not known"
      : "it is 24 hours old or nearly so, and the service may forget its key";
  }
  return undefined;
};

/** Why nobody has agreed to it. */
const whyNotNow = (attempt: Attempt, { context, options }: Bench): string | undefined => {
  if (attempt.operation === "withdraw" && !options.byId) return "withdrawals are settled one at a time, by id";
  if (isMoneyOut(attempt.operation) && !context.flags.yes && !context.terminal.interactive)
    return "sending money out again needs --yes, or a terminal to ask on";
  return undefined;
};

const sendAgain = async (attempt: Attempt, bench: Bench): Promise<Settled> => {
  try {
    return await askAndSend(attempt, bench);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // This command sent nothing; what was sent before may have been paid.
    const own = { sent: "unknown", idempotencyKey: attempt.idempotencyKey, journalId: attempt.id } as const;
    if (error.kind === "usage" || (error.kind === "auth" && bench.options.byId)) throw error.with(own);
    // Another process may have settled it meanwhile.
    const now = (await bench.journal.find(attempt.id)) ?? attempt;
    // The sentence around this one says already that the outcome is not known: only the last answer is added.
    const { message } = error.kind === "outcome-unknown" && error.cause instanceof CliError ? error.cause : error;
    return withEvidence({ attempt: now, why: error.kind === "interrupted" ? "it was not sent again" : message }, bench);
  }
};

const askAndSend = async (attempt: Attempt, bench: Bench): Promise<Settled> => {
  const { account, journal, context, options } = bench;
  await askConsent({ ...attempt, question: questionOf(attempt) }, account, context);
  const client = await creatingClient(attempt.operation, account, context, options.passphraseStdin);
  if (client.keyFingerprint(attempt.keySalt) !== attempt.keyFingerprint) throw otherKeyError(attempt, account);
  // A question may have stood for hours: what was so before it is looked at again.
  const asked = (await journal.find(attempt.id)) ?? attempt;
  if (!isUnsettled(asked)) return { attempt: asked };
  const barred = await whyNotAgain(asked, bench);
  if (barred !== undefined || asked.body === null) return withEvidence({ attempt: asked, why: barred }, bench);
  const begun = await journal.reopen(attempt.id);
  if (begun.state === "accepted") return { attempt: begun };
  const verdict = await sendAttempt({ ...begun, body: asked.body }, { ...context, journal, client });
  if ("answer" in verdict) return { attempt: verdict.attempt, contradiction: await doubleClaim(verdict.attempt, journal) };
  throw verdict.error;
};

const questionOf = (attempt: Attempt): readonly string[] => [
  `Send again with the same key: ${attempt.operation === "b2c" ? "payout" : "withdrawal"} of ${attempt.currency} ${groupedAmount(attempt.amount, attempt.currency)} to ${attempt.payee}`,
  ...(attempt.reference === "" ? [] : [`Reference ${attempt.reference}`]),
  `First sent ${utcTime(attempt.startedAt)}, journal ${attempt.id}`,
];

/** The service answered with a transaction that another attempt already has: one of the two was not made. */
const doubleClaim = async (attempt: Attempt, journal: Journal): Promise<string | undefined> => {
  if (attempt.transactionId === undefined) return undefined;
  const others = (await journal.list({ transactionId: attempt.transactionId, baseUrl: attempt.baseUrl })).filter(({ id }) => id !== attempt.id);
  return others[0] === undefined ? undefined : `The service answered with ${attempt.transactionId}, which attempt ${others[0].id} has too`;
};

const contradictionOf = (attempt: Attempt, found: LookUp | undefined): Settled => {
  const [candidate] = found?.candidates ?? [];
  if (attempt.state === "refused" && candidate !== undefined) {
    return { attempt, contradiction: `The journal says refused, but the service lists ${candidate.id} (${candidate.status}) with its reference and amount` };
  }
  const listed = found?.candidates.some(({ id }) => id === attempt.transactionId) ?? true;
  if (attempt.state === "accepted" && attempt.transactionId !== undefined && found?.complete === true && !listed) {
    return { attempt, contradiction: `The journal says accepted, but the service does not list ${attempt.transactionId} with its reference and amount` };
  }
  return { attempt };
};

/** What helps a person with an attempt that stays unknown. */
const withEvidence = async (settled: Settled, { account, client, context }: Bench): Promise<Settled> => {
  const { operation, evidence: before } = settled.attempt;
  const again = ["--yes", ...(operation === "withdraw" && account.hasWithdrawalKey ? ["--passphrase-stdin"] : [])];
  const left = isMoneyOut(operation) && !context.terminal.interactive ? { ...settled, again } : settled;
  if (before === undefined) return left;
  return { ...left, evidence: describeEvidence(before, await readEvidence(operation, client, context)) };
};

/** Exit 9 while any attempt stays unknown; undefined where all are settled. */
export const unsettledError = (settled: readonly Settled[], flags: Parameters<typeof resumeCommand>[1]): CliError | undefined => {
  const left = settled.filter(({ attempt }) => isUnsettled(attempt));
  // What this account can settle comes first; the rest is for others, each named.
  const first = left.find(({ elsewhere }) => elsewhere === undefined) ?? left[0];
  if (first === undefined) return undefined;
  if (left.every(({ heldBack }) => heldBack !== undefined)) return first.heldBack;
  const command = first.elsewhere === undefined ? resumeCommand(first.attempt.id, flags, first.again) : first.elsewhere.command;
  const others = new Set(left.flatMap(({ elsewhere }) => elsewhere?.says ?? []));
  if (first.elsewhere?.command !== undefined) others.delete(first.elsewhere.says);
  const { attempt, why, evidence } = first;
  const more = left.length === 1 ? "" : `, nor ${left.length - 1} more`;
  const reason = why === undefined ? "" : `: ${withoutStop(why)}`;
  return new CliError("outcome-unknown", `${notKnownYet(`the payment ${attempt.id}`)}${more}${reason}${evidence === undefined ? "" : `. ${evidence}`}`, {
    idempotencyKey: attempt.idempotencyKey,
    journalId: attempt.id,
    sent: "unknown",
    hint: [
      "If you learn the outcome from the service, record it: add the ID and --mark accepted or --mark refused.",
      ...[...others].map((says) => `To settle what belongs to another profile or key: ${says}.`),
      ...(command === undefined ? [] : [first.elsewhere === undefined ? "To try again" : "To settle what belongs to that profile"]),
    ].join(" "),
    command,
  });
};

export const isMarked = (text: string): text is "accepted" | "refused" => text === "accepted" || text === "refused";

/** `--mark`: closed by hand, at any age, without the network. Throws CliError usage where a payment is known to exist. */
export const markAttempt = async (attempt: Attempt, state: "accepted" | "refused", journal: Journal): Promise<Attempt> => {
  if (attempt.state === "accepted" && state === "refused") {
    const what = attempt.transactionId === undefined ? "" : ` as ${attempt.transactionId}`;
    throw new CliError("usage", `Attempt ${attempt.id} was accepted${what}; that is not taken back`, {
      journalId: attempt.id,
      idempotencyKey: attempt.idempotencyKey,
    });
  }
  await journal.close(attempt.id, { state, byHand: true });
  // Another process may have accepted it meanwhile: what the journal says counts.
  return (await journal.find(attempt.id)) ?? attempt;
};

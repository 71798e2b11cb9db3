import { CliError, dontPayAgain, notKnownYet, withoutNotSent } from "../errors.ts";
import { alreadyProposed } from "../journal/approval.ts";
import { damagedError, isUnsettled } from "../journal/attempt.ts";
import type { Attempt, Journal } from "../journal/port.ts";
import { parseExact, present, stringifyExact } from "../json/exact-json.ts";
import type { Account, Answer, Client, Context, Random } from "../ports.ts";
import { isGlobal, isMoneyOut, operationRoutes } from "../service/contract/routes.ts";
import { createdRecordOf } from "../service/judge.ts";
import { isWithinReplayTime } from "../service/retry.ts";
import { readTransaction } from "../transactions/sync-details.ts";
import { payers, requireApproval, requireRole } from "./approvals/require-approval.ts";
import { accountLine, askConsent, cancelled, creatingClient, requireConsentPossible } from "./consent.ts";
import type { PaymentPlan } from "./draft.ts";
import { readEvidence } from "./evidence.ts";
import { describeDuplicate, duplicateError, findDuplicates } from "./guard.ts";
import { guardKeyOf } from "./guard-key.ts";
import type { ReadingContext } from "./read-payment.ts";
import { resumeCommand, type Sendable, sendAttempt } from "./send-attempt.ts";

/** A payment that the service has accepted. */
export type Payment = {
  readonly attempt: Attempt;
  /** The service's answer, or if a look-up had settled it the transaction as it is now. */
  readonly answer: Answer;
  /** Its id and last known status; a global one's is its reference (service 2.5). */
  readonly id: string | undefined;
  readonly status: string | undefined;
  /** Nothing was sent: the attempt's own key had been accepted before. */
  readonly replayed: boolean;
};

/**
 * The one way a payment is made (rules.md, Money safety), from the commands, `api`, batches and stored drafts: permission, journal synced
 * to disk, sent, closed. The attempt stays open exactly while its outcome is unknown.
 *
 * Throws CliError duplicate (11), interrupted (130: declined, or Ctrl-C before sending), usage (2: no `--yes`, cannot be
 * recorded, a key reused with another body), a refusal (3 to 6, 10), or outcome-unknown (9), each with what is known.
 */
export const createPayment = async (plan: PaymentPlan, context: Context): Promise<Payment> => {
  const account = await context.account();
  const journal = await context.journal();
  const earlier = await findOwn(plan, account, journal);
  if (earlier?.state === "accepted") return acceptedBefore(earlier, account, context);
  const creation: Creation = { plan, account, journal, context, guardKey: guardKeyOf(plan) };
  const { begun, client } = await begin(creation, earlier);
  // Another process was quicker, with the same key.
  if (begun.state === "accepted") return acceptedBefore(begun, account, context);
  const verdict = await sendAttempt(begun, { ...context, journal, client, inFlight: plan.batch?.run.inFlight, again: flagsToSendAgain(plan, context) });
  if ("error" in verdict) throw verdict.error;
  const { attempt, answer } = verdict;
  return { attempt, answer, id: attempt.transactionId, status: attempt.status, replayed: false };
};

/** The attempt, open in the journal, and who sends it. An error says of an earlier attempt with the same key that it may have been paid. */
const begin = async (creation: Creation, earlier: Attempt | undefined): Promise<{ readonly begun: Sendable; readonly client: Client }> => {
  const { plan, account, context } = creation;
  try {
    const judged = await requirePermission(creation, earlier?.id);
    const client = await creatingClient(plan.operation, account, context, plan.passphraseStdin === true);
    const begun = earlier === undefined ? await openNew(creation, client, judged) : await reopenOwn(creation, client, judged, earlier);
    return { begun, client };
  } catch (error) {
    if (!(error instanceof CliError) || earlier === undefined || !isUnsettled(earlier)) throw error;
    throw error.with({ sent: "unknown", journalId: error.journalId ?? earlier.id, idempotencyKey: error.idempotencyKey ?? earlier.idempotencyKey });
  }
};

type Creation = {
  readonly plan: PaymentPlan;
  readonly account: Account;
  readonly journal: Journal;
  readonly context: Context;
  readonly guardKey: string;
};

/**
 * Whatever can forbid a creation before it is recorded: a policy that wants another person's approval, the duplicate guard, then the
 * person's consent. Returns the ids of the like attempts that were looked at; undefined if duplicates are allowed.
 */
const requirePermission = async (creation: Creation, own: string | undefined): Promise<readonly string[] | undefined> => {
  const { plan, account, context, journal } = creation;
  // A batch, or the person who approves it, was looked at as a whole.
  if (plan.batch === undefined) await requireRole(payers, journal);
  await requireApproval(plan, journal);
  requireConsentPossible(plan, context);
  const judged = plan.allowDuplicate ? undefined : await passGuard(creation, own);
  await askConsent(plan, account, context);
  return judged;
};

type Looking = Omit<Creation, "context"> & { readonly context: Pick<Context, "account" | "clock" | "flags"> & ReadingContext };

/** What stands in the way of a payment, as an error and in a sentence without its full stop. `seen`: what was looked at. */
const lookForLikes = async ({ plan, account, journal, context, guardKey }: Looking, own: string | undefined) => {
  const { judged, blocking } = await findDuplicates(
    { guardKey, baseUrl: account.baseUrl },
    { own, replaced: plan.batch?.run.replaced },
    { ...context, journal },
  );
  const seen = own === undefined ? judged : [...judged, own];
  const error = blocking === undefined ? await proposedLike(plan, { guardKey, baseUrl: account.baseUrl }, journal) : duplicateError(blocking, context.flags);
  return { seen, error, says: blocking === undefined ? error?.message : describeDuplicate(blocking, context.flags).message };
};

const passGuard = async (creation: Creation, own: string | undefined): Promise<readonly string[] | undefined> => {
  const { plan, account, context } = creation;
  const { seen, error, says } = await lookForLikes(creation, own);
  if (error === undefined) return seen;
  if (!context.terminal.interactive || context.flags.yes || plan.batch !== undefined) throw error;
  if (!(await context.prompt.confirm({ message: [`${says}.`, accountLine(account), "Send another one anyway?"], initial: false }))) throw cancelled();
  return undefined;
};

/** For `--dry-run`: a sentence if the duplicate guard would refuse the payment. Makes no journal. */
export const duplicateNote = async (plan: PaymentPlan, context: Looking["context"] & Pick<Context, "existingJournal">): Promise<string | undefined> => {
  const journal = plan.allowDuplicate ? undefined : await context.existingJournal();
  if (journal === undefined) return undefined;
  const account = await context.account();
  const own = await findOwn(plan, account, journal);
  if (own?.state === "accepted") return `The payment with this key was accepted before (journal ${own.id}), and is not sent again.`;
  const { says } = await lookForLikes({ plan, account, journal, context, guardKey: guardKeyOf(plan) }, own?.id);
  return says === undefined ? undefined : `${withoutNotSent(says)}. Without --allow-duplicate it is not sent.`;
};

/** An open proposal of the same payment. A batch has looked for those of all its rows before; a proposal's own proposer has. */
const proposedLike = async (
  { operation, batch, approvalId }: PaymentPlan,
  { guardKey, baseUrl }: Pick<Attempt, "guardKey" | "baseUrl">,
  { approvals }: Pick<Journal, "approvals">,
): Promise<CliError | undefined> => {
  if (!isMoneyOut(operation) || batch !== undefined || approvalId !== undefined) return undefined;
  const [like] = await approvals.list({ guardKeys: [guardKey], baseUrl });
  return like === undefined ? undefined : alreadyProposed(like);
};

/**
 * The duplicate guard alone, for a payment that is proposed or approved: true if a person has said that a duplicate is allowed. Throws
 * CliError duplicate (11), interrupted (130).
 */
export const isDuplicateAllowed = async (plan: PaymentPlan, context: Context): Promise<boolean> => {
  if (plan.allowDuplicate) return true;
  const [account, journal] = [await context.account(), await context.journal()];
  return (await passGuard({ plan, account, journal, context, guardKey: guardKeyOf(plan) }, undefined)) === undefined;
};

/** An earlier attempt with the person's own key, the same operation and place. Throws CliError usage if its body differs. */
const findOwn = async (plan: PaymentPlan, account: Account, journal: Journal): Promise<Attempt | undefined> => {
  if (plan.idempotencyKey === undefined) return undefined;
  const [earlier] = await journal.list({ idempotencyKey: plan.idempotencyKey, operation: plan.operation, baseUrl: account.baseUrl });
  if (earlier === undefined) return undefined;
  if (earlier.damaged === true) throw damagedError(earlier);
  // A pruned attempt has no body left: likeness and amount then decide.
  const same = earlier.body === null ? earlier.guardKey === guardKeyOf(plan) && earlier.amount === plan.amount : earlier.body === plan.body;
  if (same) return earlier;
  throw new CliError("usage", `Not sent: the idempotency key ${plan.idempotencyKey} was used for another payment (journal ${earlier.id}).`, {
    hint: "Each payment needs its own key. Leave --idempotency-key out, or give a new one.",
    ...namesOf(earlier),
  });
};

/** A withdrawal is never found, only sent again: with the flags with which it was sent. */
const flagsToSendAgain = ({ operation, passphraseStdin }: PaymentPlan, { flags }: Pick<Context, "flags">): readonly string[] | undefined =>
  operation === "withdraw" ? [...(flags.yes ? ["--yes"] : []), ...(passphraseStdin === true ? ["--passphrase-stdin"] : [])] : undefined;

const namesOf = ({ id, idempotencyKey }: Pick<Attempt, "id" | "idempotencyKey">) => ({ idempotencyKey, journalId: id });

/** Nothing is sent: the stored answer, or if a look-up had settled it the transaction as it is now. */
const acceptedBefore = async (attempt: Attempt, account: Account, context: Pick<Context, "client" | "signal">): Promise<Payment> => {
  const { operation, transactionId, status } = attempt;
  // A profile's key may have been replaced since; what another person recorded proves nothing with another key.
  if (attempt.profile !== account.profile || attempt.recordedBy !== undefined) requireSameKey(attempt, await context.client());
  if (attempt.answer !== undefined) {
    const body = parseExact(attempt.answer);
    const answer = { status: 200, headers: {}, body, text: attempt.answer };
    return { attempt, answer, id: transactionId ?? createdRecordOf(operation, body).id, status, replayed: true };
  }
  if (transactionId === undefined || isGlobal(operation)) {
    throw new CliError("duplicate", `Not sent: this payment was already accepted (journal ${attempt.id}). Its answer is no longer stored.`, {
      hint: "To see what is known",
      command: ["journal", "show", attempt.id],
      ...namesOf(attempt),
    });
  }
  const client = await context.client();
  const now = await readTransaction(client, transactionId, context.signal);
  const answer = { status: 200, headers: {}, body: now.body, text: stringifyExact(now.body) };
  return { attempt, answer, id: transactionId, status: now.status, replayed: true };
};

/** The service scopes a key by merchant: an attempt goes on with the API key that made it, or not at all. */
const requireSameKey = (attempt: Attempt, client: Client): void => {
  if (client.keyFingerprint(attempt.keySalt) === attempt.keyFingerprint) return;
  throw new CliError("auth", `Not sent: the payment ${attempt.id} was first sent with another API key.`, {
    hint: "Use the profile or key that first sent it.",
    ...namesOf(attempt),
  });
};

const throwIfInterrupted = ({ signal }: Pick<Context, "signal">): void => {
  if (signal.aborted) throw new CliError("interrupted", "Interrupted. Nothing was sent.");
};

export const createKeySalt = (random: Pick<Random, "bytes">): string => Buffer.from(random.bytes(16)).toString("hex");

/** On disk before the first byte leaves. */
const openNew = async ({ plan, account, context, journal, guardKey }: Creation, client: Client, judged: readonly string[] | undefined): Promise<Sendable> => {
  const { random, clock } = context;
  const { operation, body, reference, payee, amount, currency, batch } = plan;
  const evidence = await readEvidence(operation, client, context);
  throwIfInterrupted(context);
  const keySalt = batch?.run.keySalt ?? createKeySalt(random);
  const approvalId = plan.approvalId ?? batch?.run.approvalId;
  const { method, path } = operationRoutes[operation];
  const attempt = {
    id: random.uuid(),
    idempotencyKey: plan.idempotencyKey ?? random.uuid(),
    operation,
    endpoint: `${method} ${path}`,
    body,
    profile: account.profile,
    baseUrl: account.baseUrl,
    reference,
    payee,
    amount,
    currency,
    startedAt: new Date(clock.now()).toISOString(),
    keyFingerprint: client.keyFingerprint(keySalt),
    keySalt,
    guardKey,
    ...present({ batchId: batch?.run.id, batchRow: batch?.row, evidence, approvalId }),
  };
  return { ...(await journal.open(attempt, judged)), body };
};

/** The same key and the very same bytes again, while the service can be trusted to remember them. */
const reopenOwn = async ({ plan, context, journal }: Creation, client: Client, judged: readonly string[] | undefined, earlier: Attempt): Promise<Sendable> => {
  requireSameKey(earlier, client);
  if (earlier.state !== "refused" && !isWithinReplayTime(earlier, await journal.nowMs(), await journal.newestTime())) {
    throw new CliError("outcome-unknown", `${notKnownYet(`the payment ${earlier.id}`)}, and it is too old to be sent again with its key.`, {
      hint: `${dontPayAgain} When you know the outcome from the service, record it with --mark accepted or --mark refused. To look it up`,
      command: resumeCommand(earlier.id, context.flags),
      ...namesOf(earlier),
    });
  }
  throwIfInterrupted(context);
  return { ...(await journal.reopen(earlier.id, judged)), body: earlier.body ?? plan.body };
};

import { CliError } from "../errors.ts";
import { damagedError } from "../journal/attempt.ts";
import type { Attempt, Journal } from "../journal/port.ts";
import type { Account, Answer, Client, Context, Random } from "../ports.ts";
import { routes } from "../service/contract/routes.ts";
import { isWithinReplayTime } from "../service/replay-time.ts";
import { guardKeyOf, type PaymentPlan, pathOf, resumeCommand, storedAnswer } from "./create-payment-plan.ts";
import { askConsent, creatingClient, requireConsentPossible } from "./create-payment-question.ts";
import { type Sendable, sendAttempt } from "./create-payment-send.ts";
import { readEvidence } from "./evidence.ts";
import { describeLike, duplicateError, judgeLikes } from "./guard.ts";

export { dryRunOutcome } from "./create-payment-dry-run.ts";
export type { PaymentPlan } from "./create-payment-plan.ts";
export type PaymentResult = {
  readonly answer: Answer;
  readonly attempt: Attempt /** Nothing was sent: the attempt's own key had been accepted before. */;
  readonly replayed: boolean;
};

/**
 * The one way a payment is made (rules.md, Money safety): guard, question, journal synced to disk, sent, closed. The attempt
 * stays open exactly while its outcome is unknown.
 *
 * Throws CliError duplicate (11), interrupted (130: declined, or Ctrl-C before sending), usage (2: no `--yes`, cannot be
 * recorded, a key reused with another body), a refusal (3 to 6, 10), or outcome-unknown (9), each with what is known.
 */
export const createPayment = async (plan: PaymentPlan, context: Context): Promise<PaymentResult> => {
  const account = await context.account();
  const journal = await context.journal();
  const earlier = await findOwn(plan, account, journal);
  if (earlier?.state === "accepted") return answerAgain(earlier, account, context, journal);
  requireConsentPossible(plan, context);
  const guardKey = guardKeyOf(plan);
  const judged = await passGuard(plan, { guardKey, baseUrl: account.baseUrl, operation: plan.operation }, earlier?.id, context, journal);
  await askConsent(plan, account, context);
  const client = await creatingClient(plan.operation, account, context, plan.passphraseStdin === true);
  const begin = earlier === undefined ? openNew : resumeOwn;
  const begun = await begin({ plan, account, context, journal, client, guardKey, judged, earlier });
  // Another process was quicker, with the same key.
  if (begun.state === "accepted") return answerAgain(begun, account, context, journal);
  return { ...(await sendAttempt(begun, { ...pick(context), journal, client, inFlight: plan.batch?.run.inFlight })), replayed: false };
};

const pick = ({ clock, signal, hurry, note, flags }: Context): Pick<Context, "clock" | "signal" | "hurry" | "note" | "flags"> => ({
  clock,
  signal,
  ...(hurry === undefined ? {} : { hurry }),
  note: (text) => note(text),
  flags,
});

/** An earlier attempt with the person's own key, the same operation and place. Throws CliError usage where its body differs. */
const findOwn = async (plan: PaymentPlan, account: Account, journal: Journal): Promise<Attempt | undefined> => {
  if (plan.idempotencyKey === undefined) return undefined;
  const [earlier] = await journal.list({ idempotencyKey: plan.idempotencyKey, operation: plan.operation, baseUrl: account.baseUrl });
  if (earlier === undefined) return undefined;
  if (earlier.damaged === true) throw damagedError(earlier);
  // A pruned attempt has no body left: likeness and amount then decide.
  const same = earlier.body === null ? earlier.guardKey === guardKeyOf(plan) && earlier.amount === plan.amount : earlier.body === plan.body;
  if (same) return earlier;
  throw new CliError("usage", `The idempotency key ${plan.idempotencyKey} was used for another payment (journal ${earlier.id}); nothing was sent`, {
    hint: "a key belongs to one payment: leave --idempotency-key out, or give a new one",
    idempotencyKey: earlier.idempotencyKey,
    journalId: earlier.id,
  });
};

/** Nothing is sent: the stored answer, or where a look-up had settled it, the transaction as it is now. */
const answerAgain = async (attempt: Attempt, account: Account, context: Context, journal: Journal): Promise<PaymentResult> => {
  if (attempt.profile !== account.profile) await checkSameKey(attempt, await context.client());
  if (attempt.answer !== undefined) return { answer: storedAnswer(attempt.answer), attempt, replayed: true };
  if (attempt.transactionId === undefined || isGlobal(attempt)) {
    throw new CliError("duplicate", `This payment was accepted (journal ${attempt.id}), but its answer is not kept; nothing was sent`, {
      command: ["journal", "show", attempt.id],
      idempotencyKey: attempt.idempotencyKey,
      journalId: attempt.id,
    });
  }
  const client = await context.client();
  const answer = await client.call(routes.getTransaction, { params: { transactionId: attempt.transactionId }, signal: context.signal });
  return { answer, attempt: (await journal.find(attempt.id)) ?? attempt, replayed: true };
};
const isGlobal = ({ operation }: Pick<Attempt, "operation">): boolean => operation === "collect" || operation === "withdraw";

/** The service scopes a key by merchant: an attempt goes on with the API key that made it, or not at all. */
const checkSameKey = async (attempt: Pick<Attempt, "id" | "keySalt" | "keyFingerprint" | "idempotencyKey">, client: Client): Promise<void> => {
  if (client.keyFingerprint(attempt.keySalt) === attempt.keyFingerprint) return;
  throw new CliError("auth", `Attempt ${attempt.id} was made with another API key; nothing was sent`, {
    hint: "use the profile or key that made it",
    idempotencyKey: attempt.idempotencyKey,
    journalId: attempt.id,
  });
};

type Like = { readonly guardKey: string; readonly baseUrl: string; readonly operation: PaymentPlan["operation"] };
/** Ids of the attempts that were looked at; undefined where the person said that duplicates are allowed. */
const passGuard = async (
  plan: PaymentPlan,
  like: Like,
  own: string | undefined,
  context: Context,
  journal: Journal,
): Promise<readonly string[] | undefined> => {
  if (plan.allowDuplicate) return undefined;
  const { judged, blocking } = await judgeLikes(
    like,
    { own, replaced: plan.batch?.run.replaced },
    { journal, client: () => context.client(), clock: context.clock, signal: context.signal },
  );
  const seen = own === undefined ? judged : [...judged, own];
  if (blocking === undefined) return seen;
  if (!context.terminal.interactive || context.flags.yes || plan.batch !== undefined) throw duplicateError(blocking, context.flags);
  const { message } = describeLike(blocking, context.flags);
  if (!(await context.prompt.confirm({ message: [`${message}.`, "Send another one all the same?"], initial: false }))) {
    throw new CliError("interrupted", "Declined; nothing was sent");
  }
  return undefined;
};

type Opening = {
  readonly plan: PaymentPlan;
  readonly account: Account;
  readonly context: Context;
  readonly journal: Journal;
  readonly client: Client;
  readonly guardKey: string;
  readonly judged: readonly string[] | undefined;
  readonly earlier: Attempt | undefined;
};

const throwIfInterrupted = ({ signal }: Pick<Context, "signal">): void => {
  if (signal.aborted) throw new CliError("interrupted", "Interrupted; nothing was sent");
};

export const createKeySalt = (random: Pick<Random, "bytes">): string => Buffer.from(random.bytes(16)).toString("hex");

/** On disk before the first byte leaves. */
const openNew = async ({ plan, account, context, journal, client, guardKey, judged }: Opening): Promise<Sendable> => {
  const { random, clock } = context;
  const evidence = await readEvidence(plan.operation, client, context);
  throwIfInterrupted(context);
  const keySalt = plan.batch?.run.keySalt ?? createKeySalt(random);
  const attempt = {
    id: random.uuid(),
    idempotencyKey: plan.idempotencyKey ?? random.uuid(),
    operation: plan.operation,
    endpoint: `POST ${pathOf(plan.operation)}`,
    body: plan.body,
    profile: account.profile,
    baseUrl: account.baseUrl,
    reference: plan.reference,
    payee: plan.payee,
    amount: plan.amount,
    currency: plan.currency,
    startedAt: new Date(clock.now()).toISOString(),
    keyFingerprint: client.keyFingerprint(keySalt),
    keySalt,
    guardKey,
    ...(plan.batch === undefined ? {} : { batchId: plan.batch.run.id, batchRow: plan.batch.row }),
    ...(evidence === undefined ? {} : { evidence }),
  };
  return { ...(await journal.open(attempt, judged)), body: plan.body };
};

/** The same key and the very same bytes again, while the service can be trusted to remember them. */
const resumeOwn = async (opening: Opening): Promise<Sendable> => {
  const { earlier, context, journal, client, judged } = opening;
  if (earlier === undefined) return openNew(opening);
  await checkSameKey(earlier, client);
  const open = earlier.state !== "refused";
  if (open && !isWithinReplayTime(earlier, context.clock.now(), await journal.newestTime())) {
    throw new CliError("outcome-unknown", `Attempt ${earlier.id} is too old to be sent again with its key; its outcome is unknown`, {
      hint: "Once you know from the service, --mark accepted (or refused) closes it. To look it up",
      command: resumeCommand(earlier.id, context.flags),
      idempotencyKey: earlier.idempotencyKey,
      journalId: earlier.id,
    });
  }
  throwIfInterrupted(context);
  const body = earlier.body ?? opening.plan.body;
  return { ...(await journal.reopen(earlier.id, judged)), body };
};

import { type FlagValues, flagWords, type Input, retyped } from "../command.ts";
import { CliError, usageError } from "../errors.ts";
import { proposeInstead } from "../journal/approval.ts";
import { groupedCount } from "../money/grouped.ts";
import { withoutGrouping } from "../money/money.ts";
import type { Block, Outcome } from "../outcome.ts";
import { awaitedView, createdView } from "../output/views/created.ts";
import type { Proposing } from "../payments/approvals/propose.ts";
import { flagOf, ownFlag } from "../payments/command-of.ts";
import { createPayment, type Payment } from "../payments/create-payment.ts";
import {
  type Creation,
  checkLocal,
  creationFields,
  type Given,
  kenyanPhoneProblem,
  type Names,
  payoutAmountProblem,
  pushAmountProblem,
  referenceProblem,
} from "../payments/creation.ts";
import { dryRunOutcome } from "../payments/dry-run.ts";
import { offerReference } from "../payments/reference.ts";
import type { Context } from "../ports.ts";
import { payoutBounds } from "../service/contract/limits.ts";
import { isGlobal, type Operation } from "../service/contract/routes.ts";
import type { creatingFlags, proposeFlags } from "./creating-flags.ts";

/** Every missing flag named in one error (reports P1 and P6): these names without dashes, and others as they are. Undefined if none is missing. */
export const missingOf = <K extends string>(
  command: string,
  flags: Readonly<Record<NoInfer<K>, string | undefined>>,
  names: readonly K[],
  others: readonly string[] = [],
): Error | undefined => {
  const missing = [...names.filter((name) => flags[name] === undefined).map((name) => `--${name}`), ...others];
  return missing.length === 0 ? undefined : usageError(`Missing: ${missing.join(", ")}.`, `See: payments-cli ${command} --help`);
};

const asked = ["phone", "amount", "reference"] as const;
type LocalFlags = Readonly<Record<(typeof asked)[number], string | undefined>>;

/** What is asked for a push or payout that its flags do not give. `check` says what is wrong with a text. */
const questionsOf = (operation: "stk" | "b2c", { clock, random }: Pick<Context, "clock" | "random">) => {
  const initial = offerReference(operation.toUpperCase(), new Date(clock.now()).toISOString().slice(0, 10), random.bytes(4));
  const [phone, amount, check] =
    operation === "stk"
      ? (["Customer's phone", "Amount (KES, whole shillings)", pushAmountProblem] as const)
      : (["Recipient's phone", `Amount (KES, ${payoutBounds.min} to ${groupedCount(payoutBounds.max)})`, payoutAmountProblem] as const);
  return {
    phone: { message: phone, check: kenyanPhoneProblem },
    amount: { message: amount, check },
    reference: { message: "Reference", initial, check: referenceProblem },
  };
};

type Gathering = Pick<Context, "terminal" | "prompt" | "account" | "clock" | "random">;
/**
 * A push or payout by its flags, checked; what is missing is asked once an account is found. Throws CliError usage naming all that is
 * missing if nobody can be asked, and for a given value that is wrong; config (3) without an account.
 */
export const gatherLocal = async <O extends "stk" | "b2c">(operation: O, flags: LocalFlags, context: Gathering): Promise<Creation<O>> => {
  const missing = missingOf(operation, flags, asked);
  if (missing !== undefined && !context.terminal.interactive) throw missing;
  const questions = questionsOf(operation, context);
  for (const name of asked) {
    const fault = flags[name] === undefined ? undefined : questions[name].check(flags[name]);
    if (fault !== undefined) throw usageError(fault);
  }
  // Nobody answers questions for an account that is not there.
  if (missing !== undefined) await context.account();
  const answers: Record<string, string> = {};
  for (const name of asked) {
    if (flags[name] !== undefined) continue;
    const { check, ...question } = questions[name];
    // A flag's amount is taken as it is; an answer may be grouped like the one on the screen.
    const read = (text: string): string => (name === "amount" ? withoutGrouping(text) : text);
    answers[name] = read(await context.prompt.text({ ...question, check: (text) => check(read(text)), words: (text) => flagWords(name, read(text)) }));
  }
  return checkLocal(operation, { ...givenBy(operation, flags), ...answers }, flagNames);
};

/** A creation's fields by their flags (rules.md: the field's name in kebab case). */
export const flagNames: Names = { of: (field) => `--${flagOf(field)}` };
export const givenBy = (operation: Operation, flags: Readonly<Record<string, unknown>>): Given =>
  Object.fromEntries(
    creationFields[operation].map((field) => {
      const value = flags[ownFlag(field)];
      return [field, typeof value === "string" ? value : undefined];
    }),
  );

/** Those of `creatingFlags` that say how a payment is made. */
export const planFlags = ({ allowDuplicate, dryRun, idempotencyKey }: FlagValues<typeof creatingFlags>) => ({ allowDuplicate, dryRun, idempotencyKey });

const hourMs = 3_600_000;
const expiresHours = 7 * 24;

/** What `--propose` says; undefined without it. Throws CliError usage for flags that mean nothing together. */
export const proposingOf = ({ propose, expires, wait }: FlagValues<typeof proposeFlags> & { readonly wait?: number | undefined }): Proposing | undefined => {
  if (propose === undefined && expires !== undefined) throw usageError("--expires is for a proposal: give it together with --propose.");
  if (propose === undefined) return undefined;
  if (wait !== undefined) throw usageError("--propose sends nothing, so there is nothing to --wait for.");
  return { note: propose === "" ? undefined : propose, expiresMs: (expires ?? expiresHours) * hourMs };
};

/** What `pay` gives; the error that asks for another person's approval has the command, as typed, that proposes the payment. */
export const orPropose = async <T>(input: Pick<Input, "words">, pay: () => Promise<T>): Promise<T> => {
  try {
    return await pay();
  } catch (error) {
    if (!(error instanceof CliError) || error.hint !== proposeInstead || input.words.some((word) => /^--wait(?:=|$)/.test(word))) throw error;
    const command = retyped(input, { without: ["yes"], add: ["--propose"] });
    throw error.with({ hint: "To store it for approval instead of sending it", command });
  }
};

const nouns: Readonly<Record<Operation, string>> = { stk: "payment", b2c: "payment", collect: "collection", withdraw: "withdrawal" };

/** What names the payment that exists by now. Says so if it was not sent again. */
export const madeOf = ({ attempt, replayed }: Payment, { note }: Pick<Context, "note">): NonNullable<Outcome["made"]> => {
  if (replayed) note(`Not sent again: this ${nouns[attempt.operation]} was already accepted with the same key (journal ${attempt.id}).`);
  return { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id };
};

type Paying = Pick<Input, "words"> & {
  readonly flags: FlagValues<typeof creatingFlags> & { readonly wait?: number | undefined; readonly passphraseStdin?: boolean };
  readonly proposing?: Proposing | undefined;
  /** What comes between the record of a collection and what is next. */
  readonly extra?: (payment: Payment) => Promise<readonly Block[]>;
};

/** What a creating command does once all is checked: it shows the request, proposes the payment, or makes it, and with `--wait` follows it to its end. */
export const pay = async (creation: Creation, { words, flags, proposing, extra }: Paying, context: Context): Promise<Outcome> => {
  if (creation.note !== undefined) context.note(creation.note);
  const plan = { ...creation, ...planFlags(flags), passphraseStdin: flags.passphraseStdin };
  if (plan.dryRun) return dryRunOutcome(plan, context);
  if (proposing !== undefined) return await (await import("./approval/approval-view.ts")).propose(plan, proposing, context);
  const isStk = plan.operation === "stk";
  if (isStk && !plan.allowDuplicate && plan.idempotencyKey === undefined) {
    const { askAgain, findRecent } = await import("./stk/ask-again.ts");
    const recent = await findRecent(plan, context);
    if (recent !== undefined) await askAgain(recent, context);
  }
  const payment = await orPropose({ words }, () => createPayment(plan, context));
  const { answer, attempt, id, status } = payment;
  const named = madeOf(payment, context);
  const made = { ...plan, ...(isGlobal(plan.operation) ? { payee: creation.to } : {}) };
  const view = createdView(made, answer.body, context.flags, await extra?.(payment));
  const created: Outcome = { rows: [answer.body], single: true, view, made: named };
  if (flags.wait === undefined || id === undefined) return created;
  if (isStk) await (await import("./stk/ask-again.ts")).notePhone(context);
  const { awaitFinal } = await import("../payments/await-final.ts");
  const waited = { transactionId: id, operation: plan.operation, waitMs: flags.wait, attemptId: attempt.id, idempotencyKey: attempt.idempotencyKey, status };
  const { transaction, verdict } = await awaitFinal(waited, context);
  const seen: Outcome = transaction === undefined ? created : { ...created, rows: [transaction.body], view: awaitedView(plan, context.flags) };
  return { ...seen, verdict: () => verdict };
};

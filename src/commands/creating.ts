import { type FlagValues, flagWords, type Input, retyped } from "../command.ts";
import { CliError, usageError } from "../errors.ts";
import type { Outcome } from "../outcome.ts";
import { awaitedView, createdView } from "../output/views/created.ts";
import type { Proposing } from "../payments/approvals/propose.ts";
import { createPayment } from "../payments/create-payment.ts";
import type { Names } from "../payments/creation.ts";
import type { CreateOptions, PaymentPlan } from "../payments/draft.ts";
import { dryRunOutcome } from "../payments/dry-run.ts";
import type { Context } from "../ports.ts";
import type { Operation } from "../service/contract/routes.ts";
import type { creatingFlags, proposeFlags } from "./creating-flags.ts";

/** A value that has to be there: from its flag, else asked on a terminal. */
export type Wanted = {
  /** The question, if the flag was not given. */
  readonly message: string;
  /** Offered as the answer. */
  readonly initial?: string;
  /** What is wrong with a text, as a sentence; undefined if it is fine. */
  readonly check?: (text: string) => string | undefined;
};

const notEmpty = (text: string): string | undefined => (text.trim() === "" ? "Please type a value." : undefined);

/** Every missing flag named in one error (reports P1 and P6). `names` without dashes. */
export const missingFlags = (command: string, names: readonly string[]): Error =>
  usageError(`Missing: ${names.map((name) => `--${name}`).join(", ")}.`, `See: payments-cli ${command} --help`);

/**
 * The values of flags, those not given asked in the order of `wanted`, once an account is found. Throws CliError usage naming all
 * that is missing if nobody can be asked, and for a given value that is wrong; config (3) without an account.
 */
export const gather = async <K extends string>(
  command: string,
  flags: Readonly<Record<NoInfer<K>, string | undefined>>,
  wanted: Readonly<Record<K, Wanted>>,
  context: Pick<Context, "terminal" | "prompt" | "account">,
): Promise<Readonly<Record<K, string>>> => {
  const entries = Object.entries(wanted) as [K, Wanted][];
  const missing = entries.filter(([name]) => flags[name] === undefined);
  if (missing.length > 0 && !context.terminal.interactive) {
    throw missingFlags(
      command,
      missing.map(([name]) => name),
    );
  }
  const found: Partial<Record<K, string>> = {};
  for (const [name, { check }] of entries) {
    const given = flags[name];
    if (given === undefined) continue;
    const fault = check?.(given) ?? (given.trim() === "" ? `--${name} is empty.` : undefined);
    if (fault !== undefined) throw usageError(fault);
    found[name] = given;
  }
  // Nobody answers questions for an account that is not there.
  if (missing.length > 0) await context.account();
  for (const [name, { message, initial, check }] of missing) {
    const question = { message, check: check ?? notEmpty, words: (text: string) => flagWords(name, text), ...(initial === undefined ? {} : { initial }) };
    found[name] = await context.prompt.text(question);
  }
  return found as Record<K, string>;
};

const flagsByField: Readonly<Record<string, string>> = { customerEmail: "email", payeeMsisdn: "msisdn", callbackReturnUrl: "return-url" };
export const flagOf = (field: string): string => flagsByField[field] ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** A creation's fields by their flags (rules.md: the field's name in kebab case). */
export const flagNames: Names = { of: (field) => `--${flagOf(field)}` };
export type PlanFlags = Pick<CreateOptions, "allowDuplicate" | "dryRun" | "idempotencyKey">;
/** What the common flags of a creation say. */
export const planFlags = ({ allowDuplicate, dryRun, idempotencyKey }: FlagValues<typeof creatingFlags>): PlanFlags => ({
  allowDuplicate,
  dryRun,
  idempotencyKey,
});

const hourMs = 3_600_000;
const expiresHours = 7 * 24;

/** What `--propose` says; undefined without it. Throws CliError usage for flags that mean nothing together. */
export const proposingOf = ({ propose, expires, wait }: FlagValues<typeof proposeFlags> & { readonly wait?: number | undefined }): Proposing | undefined => {
  if (propose === undefined && expires !== undefined) throw usageError("--expires says how long a proposal stands: give it with --propose.");
  if (propose === undefined) return undefined;
  if (wait !== undefined) throw usageError("--propose sends nothing, so there is nothing to --wait for.");
  return { note: propose === "" ? undefined : propose, expiresMs: (expires ?? expiresHours) * hourMs };
};

/** What `pay` gives; the error that asks for another person's approval has the command, as typed, that proposes the payment. */
export const orPropose = async <T>(input: Pick<Input, "words">, pay: () => Promise<T>): Promise<T> => {
  try {
    return await pay();
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== "approval-required" || input.words.some((word) => /^--wait(?:=|$)/.test(word))) throw error;
    const command = retyped(input, { without: ["yes"], add: ["--propose"] });
    throw error.with({ hint: "To store it for approval instead of sending it", command });
  }
};

/** Pays by `stk` or `b2c`, and with `--wait` follows it to its end. */
export const payLocal = async (
  plan: PaymentPlan & { readonly operation: Operation & ("stk" | "b2c") },
  waitMs: number | undefined,
  context: Context,
): Promise<Outcome> => {
  if (plan.dryRun) return dryRunOutcome(plan, context);
  const { answer, attempt, id, status, replayed } = await createPayment(plan, context);
  if (replayed) context.note(`Not sent again: this payment was already accepted with the same key (journal ${attempt.id}).`);
  const created: Outcome = {
    rows: [answer.body],
    single: true,
    view: createdView(plan, answer.body, context.flags),
    made: { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id },
  };
  if (waitMs === undefined || id === undefined) return created;
  if (plan.operation === "stk") await (await import("./stk/note-phone.ts")).notePhone(context);
  const { awaitFinal } = await import("../payments/await-final.ts");
  const waited = { transactionId: id, operation: plan.operation, waitMs, attemptId: attempt.id, idempotencyKey: attempt.idempotencyKey, status };
  const { transaction, verdict } = await awaitFinal(waited, context);
  const seen: Outcome = transaction === undefined ? created : { ...created, rows: [transaction], view: awaitedView(plan, context.flags) };
  return { ...seen, verdict: () => verdict };
};

import { usageError } from "../errors.ts";
import { ExactNumber, stringifyExact } from "../json/exact-json.ts";
import { groupedAmount, groupedCount } from "../money/grouped.ts";
import { type Amount, type AmountReading, readAmount } from "../money/money.ts";
import { type PhoneReading, readKenyanPhone } from "../money/phone.ts";
import { payoutBounds, payoutKinds } from "../service/contract/limits.ts";
import type { Operation } from "../service/contract/routes.ts";
import type { Draft } from "./draft.ts";
import { lookAlikeOf, readReference } from "./reference.ts";

/** The fields of each creation's body (service 4). */
export const creationFields = {
  stk: ["phone", "amount", "reference", "channelId", "description", "callbackUrl"],
  b2c: ["phone", "amount", "reference", "remarks", "description", "commandId", "callbackUrl"],
  collect: ["rail", "msisdn", "customerEmail", "amount", "currency", "description", "callbackReturnUrl"],
  withdraw: ["rail", "channel", "operator", "payeeMsisdn", "bankCode", "accountNumber", "accountName", "amount", "currency"],
} as const satisfies Record<Operation, readonly string[]>;

/** Values by the names above, as text; an amount in its digits. An empty value counts as missing. */
export type Given = Readonly<Record<string, string | undefined>>;

/** A draft with the notes for the person about it. */
export type Creation<O extends Operation = Operation> = Draft<O> & {
  readonly amountMinor: bigint;
  /** The payee as a person reads it. */
  readonly to: string;
  /** What was corrected in a phone number. */
  readonly note?: string | undefined;
};

/** What is wrong with a field: a sentence, or in small letters the end of one that begins with the field's name. */
export type Problem = { readonly field: string; readonly says: string };

/** How a caller calls the fields, and how a missing one is given. */
export type Names = { readonly of: (field: string) => string; readonly howTo?: (field: string) => string };

export const problemError = ({ field, says }: Problem, names: Names): Error => {
  const sentence = /^[A-Z"]/.test(says) ? says : `${names.of(field)} ${says}.`;
  return usageError(sentence, says === missing ? names.howTo?.(field) : undefined);
};
export const missing = "is missing";

/** A checked amount of the currency. Throws CliError usage that says what is wrong with it. */
export const parseAmount = (text: string, currency: string): Amount => {
  const read = readAmount(text, currency);
  if ("problem" in read) throw usageError(read.problem);
  return read.amount;
};

/** Assumed (service 8.2 shows no bounds of a push): whole shillings. */
const readPushAmount = (text: string): AmountReading => {
  const read = readAmount(text, "KES");
  if ("problem" in read || read.amount.minor % 100n === 0n) return read;
  return { problem: `Amount must be in whole shillings (you gave ${text.trim()}).` };
};

const readPayoutAmount = (text: string): AmountReading => {
  const read = readAmount(text, "KES");
  if ("problem" in read) return read;
  const { minor } = read.amount;
  if (minor >= BigInt(payoutBounds.min) * 100n && minor <= BigInt(payoutBounds.max) * 100n) return read;
  return { problem: `Amount must be KES ${payoutBounds.min} to ${groupedCount(payoutBounds.max)} (you gave ${text.trim()}).` };
};

const problemIn = (read: object): string | undefined => ("problem" in read ? String(read.problem) : undefined);
/** For a value on its own, as it is typed at a question. */
export const pushAmountProblem = (text: string): string | undefined => problemIn(readPushAmount(text));
export const payoutAmountProblem = (text: string): string | undefined => problemIn(readPayoutAmount(text));
export const referenceProblem = (text: string): string | undefined => problemIn(readReference(text));
export const kenyanPhoneProblem = (text: string): string | undefined => phoneProblem(text, readKenyanPhone(text));
export const phoneProblem = (text: string, read: PhoneReading): string | undefined =>
  "problem" in read ? `${text.trim() === "" ? "The phone number" : `"${text.trim().slice(0, 80)}"`} ${read.why}.` : undefined;
/** What was corrected in a phone number, as a sentence. */
export const phoneNote = ({ phone, warning }: { readonly phone: string; readonly warning?: string }): string | undefined =>
  warning === undefined ? undefined : `The phone number was read as ${phone}: ${warning}.`;

/** What is wrong with an address that the service or a browser will call. */
export const httpUrlProblem = (text: string): string | undefined =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? undefined : "must be a complete URL that begins with https:// or http://";

const required: readonly string[] = ["phone", "amount", "reference"];

/** A push or payout with every check made, or all that is wrong with it in the order of its fields (rules.md, Checks before sending). */
export const readLocal = <O extends "stk" | "b2c">(
  operation: O,
  given: Given,
): { readonly creation: Creation<O> } | { readonly problems: readonly Problem[] } => {
  const text = (field: string): string => given[field] ?? "";
  const phone = readKenyanPhone(text("phone"));
  const amount = (operation === "stk" ? readPushAmount : readPayoutAmount)(text("amount"));
  const reference = readReference(text("reference"));
  // service 4: each is an alias of the other.
  const twoTexts = text("remarks") !== text("description") && text("description") !== "";
  const says: Readonly<Record<string, string | undefined>> = {
    phone: phoneProblem(text("phone"), phone),
    amount: problemIn(amount),
    reference: problemIn(reference),
    remarks: twoTexts ? "is the same field as description: give only one of them" : undefined,
    commandId: payoutKinds.some((kind) => kind === text("commandId")) ? undefined : `must be one of ${payoutKinds.join(", ")}`,
    callbackUrl: httpUrlProblem(text("callbackUrl")),
  };
  const problems = creationFields[operation].flatMap((field): readonly Problem[] => {
    const problem = text(field) === "" ? (required.includes(field) ? missing : undefined) : says[field];
    return problem === undefined ? [] : [{ field, says: problem }];
  });
  if (problems.length > 0 || "problem" in phone || "problem" in amount || "problem" in reference) return { problems };
  const own = Object.fromEntries(creationFields[operation].map((field) => [field, text(field)]));
  const checked = { phone: phone.phone, amount: amount.amount, reference: reference.reference };
  const verb = operation === "stk" ? "Ask for" : "Pay";
  return {
    creation: {
      operation,
      body: toBody({ ...own, ...checked, ...(text("remarks") === "" ? {} : { description: "" }) }),
      reference: checked.reference,
      payee: checked.phone,
      to: checked.phone,
      amount: checked.amount.text,
      amountMinor: checked.amount.minor,
      currency: "KES",
      question: [`${verb} KES ${groupedAmount(checked.amount.text, "KES")} to ${checked.phone}`, `Reference: ${checked.reference}`],
      note: phoneNote(phone),
    },
  };
};

/** The same. Throws CliError usage with the first problem. */
export const checkLocal = <O extends "stk" | "b2c">(operation: O, given: Given, names: Names): Creation<O> => {
  const read = readLocal(operation, given);
  if ("creation" in read) return read.creation;
  throw problemError(read.problems[0] ?? { field: "phone", says: missing }, names);
};

/**
 * Which of `amount` and `Amount` a service takes is not shown, and only one of the two is checked. Throws CliError usage for a name
 * that only looks like a known one, or like another that is given.
 */
export const refuseLookAlikeNames = (given: readonly string[], operation: Operation): void => {
  const plain = (name: string): string =>
    lookAlikeOf(name)
      .toLowerCase()
      .replace(/[\s_-]/g, "");
  const names = new Map<string, string>(creationFields[operation].map((name) => [plain(name), name]));
  for (const name of given) {
    const own = names.get(plain(name)) ?? name;
    if (own !== name) throw usageError(`The body has the field ${JSON.stringify(name)}, which looks like ${own}.`, `Write it ${own}, and give it once.`);
    names.set(plain(name), name);
  }
};

/** A creation's body as exact bytes: amount digits as typed, fields that were not given absent (rules.md, Commands). */
export const toBody = (fields: Readonly<Record<string, string | Amount | undefined>>): string =>
  stringifyExact(
    Object.fromEntries(
      Object.entries(fields)
        .filter(([, value]) => value !== undefined && value !== "")
        .map(([name, value]) => [name, typeof value === "object" ? new ExactNumber(value.text) : value]),
    ),
  );

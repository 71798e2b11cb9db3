import { usageError } from "../errors.ts";
import { ExactNumber, stringifyExact } from "../json/exact-json.ts";
import { groupedCount } from "../money/grouped.ts";
import { type Amount, readAmount } from "../money/money.ts";
import { readMsisdn } from "../money/msisdn.ts";
import { type PhoneReading, readKenyanPhone } from "../money/phone.ts";
import { readReference, unseenProblem } from "./reference.ts";

export type Note = (text: string) => void;

/** service 8: the bounds of a payout, in KES. */
export const payoutBounds = { min: 10, max: 150_000 } as const;

/** A checked amount of the currency. Throws CliError usage that says why it is none. */
export const parseAmount = (text: string, currency: string): Amount => {
  const read = readAmount(text, currency);
  if ("problem" in read) throw usageError(read.problem);
  return read.amount;
};

/** What is wrong with an amount of a push, as a sentence; undefined where it is well. Assumed (service 8.2 shows no bounds): whole shillings. */
export const pushAmountProblem = (text: string): string | undefined => {
  const read = readAmount(text, "KES");
  if ("problem" in read) return read.problem;
  return read.amount.minor % 100n === 0n ? undefined : `A push takes whole shillings, without cents: "${text.trim()}" cannot be sent.`;
};

/** What is wrong with an amount of a payout (service 8: 10 to 150000 KES), as a sentence; undefined where it is well. */
export const payoutAmountProblem = (text: string): string | undefined => {
  const read = readAmount(text, "KES");
  if ("problem" in read) return read.problem;
  const { minor } = read.amount;
  const fits = minor >= BigInt(payoutBounds.min) * 100n && minor <= BigInt(payoutBounds.max) * 100n;
  return fits ? undefined : `A payout is from ${payoutBounds.min} to ${groupedCount(payoutBounds.max)} KES: "${text.trim()}" is outside.`;
};

const phoneSentence = (text: string, why: string): string => `The phone number "${text.trim().slice(0, 80)}" ${why}.`;

/** The phone as it is sent, or what is wrong with it, as a sentence. */
export const kenyanPhone = (text: string): { readonly phone: string } | { readonly problem: string } => {
  const read = readKenyanPhone(text);
  return "problem" in read ? { problem: phoneSentence(text, read.why) } : { phone: read.phone };
};
export const kenyanPhoneProblem = (text: string): string | undefined => {
  const read = readKenyanPhone(text);
  return "problem" in read ? phoneSentence(text, read.why) : undefined;
};
export const msisdnProblem = (text: string, country: string): string | undefined => {
  const read = readMsisdn(text, country);
  return "problem" in read ? phoneSentence(text, read.why) : undefined;
};

const phoneOf = (text: string, read: PhoneReading, note: Note | undefined): string => {
  if ("problem" in read) throw usageError(phoneSentence(text, read.why));
  if (read.warning !== undefined) note?.(`The phone number was read as ${read.phone}: ${read.warning}.`);
  return read.phone;
};

/** `2547…` or `2541…` digits. Throws CliError usage that says why it is no Kenyan mobile number. */
export const parseKenyanPhone = (text: string, note?: Note): string => phoneOf(text, readKenyanPhone(text), note);

/** The national form as dialled in the rail's country. Throws CliError usage that says why it is none. */
export const parseMsisdn = (text: string, country: string, note?: Note): string => phoneOf(text, readMsisdn(text, country), note);

/** The reference, trimmed. Throws CliError usage where it is empty or holds control characters. */
export const parseReference = (text: string): string => {
  const read = readReference(text);
  if ("problem" in read) throw usageError(read.problem);
  return read.reference;
};
export const referenceProblem = (text: string): string | undefined => {
  const read = readReference(text);
  return "problem" in read ? read.problem : undefined;
};

/** Throws CliError usage where a text that names a payee holds a character that nobody can see. `fields` are those of a body. */
export const refuseUnseen = (fields: Readonly<Record<string, unknown>>): void => {
  for (const name of ["operator", "bankCode", "accountNumber", "accountName", "customerEmail"]) {
    const value = fields[name];
    const problem = typeof value === "string" ? unseenProblem(`The field ${name}`, value) : undefined;
    if (problem !== undefined) throw usageError(problem);
  }
};

/** What is wrong with a URL that the service or a browser will call, as a sentence. */
export const httpUrlProblem = (text: string, flag: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && (url.protocol === "http:" || url.protocol === "https:") ? undefined : `--${flag} must be a whole http or https URL.`;
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

import { toDecimal, toFixedText } from "../money/money.ts";
import type { Draft } from "./draft.ts";
import { lookAlikeOf } from "./reference.ts";

/** What makes two payments alike for the duplicate guard (rules.md, Money safety). */
type Alike = Pick<Draft, "operation" | "payee" | "reference" | "amount" | "currency" | "rail">;

/** What the guard compares, hashed, as it holds the payee and outlives pruning. */
export const guardKeyOf = (payment: Alike): string => process.getBuiltinModule("node:crypto").hash("sha256", toGuardText(payment));

/** `100`, `100.0`, `0100.00` and a service's `1e2` are one amount. Text that is no decimal stays itself. */
export const canonicalAmount = (amount: string): string => {
  const decimal = toDecimal(amount.trim());
  return decimal === undefined ? amount.trim() : toFixedText(decimal, decimal.scale).replace(/\.0*$|(\.\d*?)0+$/, "$1");
};

/** An account in whatever grouping, punctuation and letter case it is written: `0012-345 678` is `0012345678`. */
const accountOf = (payee: string): string =>
  lookAlikeOf(payee)
    .replace(/[^\p{L}\p{N}/]/gu, "")
    .toUpperCase();

/**
 * One text for all that is alike: to be hashed, as it holds the payee. Local payments are alike by payee and reference, whatever
 * the amount; a withdrawal by rail, payee and amount; a collection by those and its reference.
 */
export const toGuardText = (parts: Alike): string => {
  const reference = lookAlikeOf(parts.reference);
  const payee = parts.operation === "withdraw" ? accountOf(parts.payee) : lookAlikeOf(parts.payee).toLowerCase();
  const global = [parts.rail ?? "", payee, canonicalAmount(parts.amount), parts.currency.toUpperCase()];
  const likeness = { stk: [payee, reference], b2c: [payee, reference], collect: [...global, reference], withdraw: global }[parts.operation];
  return JSON.stringify([parts.operation, ...likeness]);
};

import { CliError } from "../errors.ts";
import { groupedAmount } from "../money/grouped.ts";
import { readAmount, withoutGrouping } from "../money/money.ts";
import type { Account, Lines, Prompter } from "../ports.ts";

/** On every question about money: whose it is, where it is, and whether it is real. */
export const accountLine = ({ profile, mode, baseUrl }: Pick<Account, "profile" | "mode" | "baseUrl">): string =>
  `${mode === "live" ? "REAL MONEY (live)" : "No real money (sandbox)"}: profile ${profile} at ${baseUrl}`;

export const cancelled = (): CliError => new CliError("interrupted", "Cancelled. Nothing was sent.");

/** The same amount, in any form in which a screen shows it: 100000, 100,000, 100000.00, KES 100,000.00. */
export const isSameAmount = (typed: string, amount: string, currency: string): boolean => {
  const text = typed.trim();
  const bare = text.toUpperCase().startsWith(currency.toUpperCase()) ? text.slice(currency.length).trim() : text;
  const [one, other] = [readAmount(withoutGrouping(bare), currency), readAmount(amount, currency)];
  return "amount" in one && "amount" in other && one.amount.minor === other.amount.minor;
};

type Money = { readonly amount: string; readonly currency: string /** What is typed: "amount" or "total". */; readonly what: string };

/** Asks for an amount to be typed. Throws CliError interrupted for any other answer: a wrong amount is no consent. */
export const askTypedAmount = async (lines: readonly string[], { amount, currency, what }: Money, prompt: Pick<Prompter, "text">): Promise<void> => {
  const shown = groupedAmount(amount, currency);
  const message: Lines = [...lines, `Type the ${what} (${shown}) to send it, or "no" to cancel:`];
  const check = (text: string): string | undefined => (text.trim() === "" ? `Type ${shown} to send it, or "no" to cancel.` : undefined);
  const typed = await prompt.text({ message, check, consent: true });
  if (isSameAmount(typed, amount, currency)) return;
  throw /^(?:n|no|cancel|)$/i.test(typed.trim()) ? cancelled() : new CliError("interrupted", `That is not the ${what}, ${shown}. Nothing was sent.`);
};

import { askSecret, cleanPassphrase, passphraseProblem } from "../accounts/secrets.ts";
import { CliError, tryAgain, usageError } from "../errors.ts";
import { groupedAmount } from "../money/grouped.ts";
import { type AmountReading, readAmount, withoutGrouping } from "../money/money.ts";
import type { Account, Client, Context, Lines, Prompter } from "../ports.ts";
import { isMoneyOut, type Operation } from "../service/contract/routes.ts";
import { balanceLine } from "./balances.ts";
import type { CreateOptions, Draft } from "./draft.ts";

/** On every question about money: whose it is, where it is, and whether it is real. */
export const accountLine = ({ profile, mode, baseUrl }: Pick<Account, "profile" | "mode" | "baseUrl">): string =>
  `${mode === "live" ? "REAL MONEY (live)" : "No real money (sandbox)"}: profile ${profile} at ${baseUrl}`;

export const cancelled = (): CliError => new CliError("interrupted", "Cancelled. Nothing was sent.");

/** An amount in any form in which a screen shows it: 100000, 100,000, 100000.00, KES 100,000.00. */
const readTyped = (typed: string, currency: string): AmountReading => {
  const text = typed.trim();
  const bare = text.toUpperCase().startsWith(currency.toUpperCase()) ? text.slice(currency.length).trim() : text;
  // Also in a currency without decimals.
  return readAmount(withoutGrouping(bare).replace(/\.0+$/, ""), currency);
};
export const isSameAmount = (typed: string, amount: string, currency: string): boolean => {
  const [one, other] = [readTyped(typed, currency), readAmount(amount, currency)];
  return "amount" in one && "amount" in other && one.amount.minor === other.amount.minor;
};

/** `what` is typed: "amount" or "total". */
type Money = { readonly amount: string; readonly currency: string; readonly what: string };

/** Asks for an amount to be typed. Throws CliError interrupted for any other answer: a wrong amount is no consent. */
export const askTypedAmount = async (lines: readonly string[], { amount, currency, what }: Money, prompt: Pick<Prompter, "text">): Promise<void> => {
  const shown = groupedAmount(amount, currency);
  const message: Lines = [...lines, `Type the ${what} (${shown}) to send it, or "no" to cancel:`];
  const isNo = (text: string): boolean => /^(?:n|no|cancel)$/i.test(text.trim());
  const check = (text: string): string | undefined =>
    isNo(text) || "amount" in readTyped(text, currency) ? undefined : `Type ${shown} to send it, or "no" to cancel.`;
  const typed = await prompt.text({ message, check, consent: true });
  if (isSameAmount(typed, amount, currency)) return;
  throw isNo(typed)
    ? cancelled()
    : new CliError("interrupted", `You typed ${typed.trim()}, but the ${what} is ${shown}. Nothing was sent.`, { hint: tryAgain });
};

type Deps = Pick<Context, "flags" | "terminal" | "prompt" | "client" | "signal">;
type Payment = Omit<Draft, "body"> & Pick<CreateOptions, "batch" | "approvalId">;

const nouns = { stk: "push prompt", b2c: "payout", collect: "collection", withdraw: "withdrawal" } as const satisfies Record<Operation, string>;

/** Without a terminal money out needs `--yes`; known before anything is read or sent. */
export const requireConsentPossible = (plan: Pick<Payment, "operation" | "batch">, { flags, terminal }: Pick<Context, "flags" | "terminal">): void => {
  if (!isMoneyOut(plan.operation) || plan.batch !== undefined || flags.yes || terminal.interactive) return;
  throw usageError(`Not sent: this ${nouns[plan.operation]} needs confirmation.`, "Add --yes to send it without a question.");
};

/**
 * The question before money leaves (rules.md, Money safety): what, to whom, from which profile and host, and that the fee is
 * known only later. A withdrawal from a live profile asks for the amount. Throws CliError interrupted if it is declined.
 */
export const askConsent = async (plan: Payment, account: Account, deps: Deps): Promise<void> => {
  if (!isMoneyOut(plan.operation) || plan.batch !== undefined || deps.flags.yes) return;
  requireConsentPossible(plan, deps);
  // An approval has told its balance already.
  const balance = plan.operation === "withdraw" && plan.approvalId === undefined ? await balanceLine(plan, deps) : undefined;
  const lines = [
    ...(plan.question ?? [`${plan.operation === "b2c" ? "Pay" : "Withdraw"} ${plan.currency} ${groupedAmount(plan.amount, plan.currency)} to ${plan.payee}`]),
    ...(plan.question === undefined && plan.reference !== "" ? [`Reference: ${plan.reference}`] : []),
    ...(balance === undefined ? [] : [balance]),
    "The fee is known only after the service accepts it",
    accountLine(account),
  ];
  if (plan.operation === "withdraw" && account.mode === "live") return await askTypedAmount(lines, { ...plan, what: "amount" }, deps.prompt);
  if (!(await deps.prompt.confirm({ message: [...lines, "Send it?"], initial: false }))) throw cancelled();
};

/** `--passphrase-stdin` without a withdrawal key is a usage error: whoever gives it counts on that key being used. */
export const requireWithdrawalKey = ({ hasWithdrawalKey, profile }: Pick<Account, "hasWithdrawalKey" | "profile">): void => {
  if (hasWithdrawalKey) return;
  if (profile === "environment") {
    throw usageError(
      "Not sent: --passphrase-stdin needs a profile with a withdrawal key, but the API key comes from PAYMENTS_API_KEY.",
      "Choose a profile with --profile NAME, or leave --passphrase-stdin out.",
    );
  }
  throw new CliError("usage", `Not sent: --passphrase-stdin was given, but the profile ${profile} has no withdrawal key.`, {
    hint: "Leave --passphrase-stdin out. To store such a key",
    command: ["profile", "set", profile, "--with-withdrawal-key"],
  });
};

/** The client that may create this payment: a withdrawal with its own key asks for the passphrase, which `--yes` does not skip. */
export const creatingClient = async (
  operation: Operation,
  account: Account,
  context: Pick<Context, "client" | "terminal" | "prompt" | "readStdin">,
  passphraseStdin: boolean,
): Promise<Client> => {
  if (operation !== "withdraw" || !account.hasWithdrawalKey) return context.client();
  const use = (typed: Uint8Array | string): Promise<Client> => context.client({ key: "withdrawal", passphrase: cleanPassphrase(typed) });
  if (passphraseStdin) return await use(await context.readStdin(4_096));
  if (!context.terminal.interactive) {
    throw usageError(
      `Not sent: the withdrawal key of the profile ${account.profile} needs its passphrase.`,
      "Pipe the passphrase to standard input and add --passphrase-stdin.",
    );
  }
  const message = `Passphrase of the withdrawal key of ${account.profile}`;
  const refused = "That passphrase is wrong, and nothing was sent.";
  return await askSecret({ message, check: passphraseProblem, use, isRefusal: ({ kind }) => kind === "auth", refused }, context.prompt);
};

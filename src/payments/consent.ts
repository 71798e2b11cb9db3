import { cleanPassphrase } from "../accounts/secrets.ts";
import { CliError, usageError } from "../errors.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Account, Client, Context } from "../ports.ts";
import { isMoneyOut, type Operation } from "../service/contract/routes.ts";
import type { CreateOptions, Draft } from "./draft.ts";

type Deps = Pick<Context, "flags" | "terminal" | "prompt">;
type Payment = Omit<Draft, "body"> & Pick<CreateOptions, "batch">;

/** Without a terminal money out needs `--yes`; known before anything is read or sent. */
export const requireConsentPossible = (plan: Pick<Payment, "operation" | "batch">, { flags, terminal }: Pick<Context, "flags" | "terminal">): void => {
  if (!isMoneyOut(plan.operation) || plan.batch !== undefined || flags.yes || terminal.interactive) return;
  throw usageError("This pays money out, and nobody can be asked here; nothing was sent", "add --yes to send it without a question");
};

const declined = (): CliError => new CliError("interrupted", "Declined; nothing was sent");

/**
 * The question before money leaves (rules.md, Money safety): what, to whom, from which profile and host, and that the fee is
 * known only later. A withdrawal from a live profile asks for the amount. Throws CliError interrupted where it is declined.
 */
export const askConsent = async (plan: Payment, account: Account, deps: Deps): Promise<void> => {
  if (!isMoneyOut(plan.operation) || plan.batch !== undefined || deps.flags.yes) return;
  requireConsentPossible(plan, deps);
  const lines = [
    ...(plan.question ?? [`${plan.operation === "b2c" ? "Pay" : "Withdraw"} ${groupedAmount(plan.amount, plan.currency)} ${plan.currency} to ${plan.payee}`]),
    ...(plan.question === undefined && plan.reference !== "" ? [`Reference ${plan.reference}`] : []),
    `From profile ${account.profile} (${account.mode}) at ${account.baseUrl}`,
    "The fee is known only after it is accepted",
  ];
  if (plan.operation === "withdraw" && account.mode === "live") {
    const typed = await deps.prompt.text({ message: [...lines, `Type the amount (${plan.amount}) to send it:`], consent: true });
    if (typed.trim() !== plan.amount) throw new CliError("interrupted", "That is not the amount; nothing was sent");
    return;
  }
  if (!(await deps.prompt.confirm({ message: [...lines, "Send it?"], initial: false }))) throw declined();
};

/** `--passphrase-stdin` without a withdrawal key is a usage error: whoever gives it counts on that key being used. */
export const requireWithdrawalKey = ({ hasWithdrawalKey, profile }: Pick<Account, "hasWithdrawalKey" | "profile">): void => {
  if (hasWithdrawalKey) return;
  if (profile === "environment") {
    throw usageError(
      "--passphrase-stdin was given, but the key comes from PAYMENTS_API_KEY, which has no withdrawal key beside it; nothing was sent",
      "use a profile's withdrawal key with --profile NAME, or leave --passphrase-stdin out",
    );
  }
  throw new CliError("usage", `--passphrase-stdin was given, but the profile ${profile} has no withdrawal key; nothing was sent`, {
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
  return context.client({ key: "withdrawal", passphrase: await readPassphrase(account, context, passphraseStdin) });
};

const readPassphrase = async (account: Account, context: Pick<Context, "terminal" | "prompt" | "readStdin">, fromStdin: boolean): Promise<string> => {
  if (fromStdin) return cleanPassphrase(await context.readStdin(4_096));
  if (!context.terminal.interactive) {
    throw usageError(
      `The profile ${account.profile} keeps a withdrawal key under a passphrase, and nobody can be asked here; nothing was sent`,
      "give the passphrase on standard input with --passphrase-stdin",
    );
  }
  return cleanPassphrase(await context.prompt.secret({ message: `Passphrase of the withdrawal key of ${account.profile}:` }));
};

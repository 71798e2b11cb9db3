import { flagWords, type Input, type Run } from "../../command.ts";
import { flagOf } from "../../payments/command-of.ts";
import { requireConsentPossible, requireWithdrawalKey } from "../../payments/consent.ts";
import type { Given } from "../../payments/creation.ts";
import { checkWithdrawal, msisdnCheck, payeeFields, payeeTextProblem } from "../../payments/global-creation.ts";
import { findChannel, type Rail } from "../../payments/rails.ts";
import type { Context } from "../../ports.ts";
import { flagNames, givenBy, missingOf, pay, proposingOf } from "../creating.ts";
import { chooseChannel, currentRails, moneyOf, railOf } from "./choose-rail.ts";
import type { globalWithdrawSpec } from "./spec.ts";

const command = "global withdraw";
type WithdrawFlags = Input<typeof globalWithdrawSpec>["flags"];

const dashed = (fields: readonly string[]): readonly string[] => fields.map((field) => `--${flagOf(field)}`);

/** What is missing of the payee, by the channel, or by the flags that are there. */
const missingPayee = (given: Given): readonly string[] => {
  const channel = given["channel"]?.trim().toUpperCase();
  const absent = (fields: readonly string[]): readonly string[] => fields.filter((field) => given[field] === undefined);
  const [mobile, bank] = [absent(payeeFields.MOBILE_MONEY), absent(payeeFields.BANK)];
  if (channel === "MOBILE_MONEY" || (channel !== "BANK" && mobile.length < payeeFields.MOBILE_MONEY.length)) return dashed(mobile);
  if (channel === "BANK" || bank.length < payeeFields.BANK.length) return dashed(bank);
  return channel === undefined ? [`${dashed(mobile).join(", ")} (mobile money) or ${dashed(bank).join(", ")} (bank)`] : [];
};

/** What is missing is asked on a terminal; what is there is refused before any request where no rail could take it. */
const checkEarly = async (flags: WithdrawFlags, context: Pick<Context, "terminal" | "flags">): Promise<void> => {
  const given = givenBy("withdraw", flags);
  const missing = missingOf(command, flags, ["rail", "channel", "amount", "currency"], missingPayee(given));
  if (missing === undefined) await checkWithdrawal(given, undefined, flagNames);
  else if (!context.terminal.interactive) throw missing;
  // An own key may name a withdrawal that was accepted already, which needs no consent.
  if (!flags.dryRun && flags.propose === undefined && flags.idempotencyKey === undefined) requireConsentPossible({ operation: "withdraw" }, context);
};

const questions: Readonly<Record<string, string>> = {
  operator: "Operator",
  payeeMsisdn: "Payee's phone",
  bankCode: "Bank code",
  accountNumber: "Account number",
  accountName: "Account name",
};

/** What names the payee, asked where no flag gives it. */
const askPayee = async (rail: Rail, channel: "MOBILE_MONEY" | "BANK", given: Given, { prompt }: Pick<Context, "prompt">): Promise<Given> => {
  const answers: Record<string, string> = {};
  for (const field of payeeFields[channel]) {
    if (given[field] !== undefined) continue;
    const message = questions[field] ?? field;
    const check = field === "payeeMsisdn" ? await msisdnCheck(rail.country) : (text: string) => payeeTextProblem(message, text);
    answers[field] = await prompt.text({ message, check, words: (text) => flagWords(flagOf(field), text) });
  }
  return answers;
};

/** `global withdraw`: out of the Global Wallet to mobile money or a bank (service 4, POST disbursements). */
export const run: Run<typeof globalWithdrawSpec> = async ({ flags, words }, context) => {
  const proposing = proposingOf(flags);
  await checkEarly(flags, context);
  if (flags.passphraseStdin) requireWithdrawalKey(await context.account());
  const rail = await railOf(await currentRails(context), "withdraw", flags, context);
  const channel = findChannel(rail, flags.channel ?? (await chooseChannel(rail, context)));
  const given = { ...givenBy("withdraw", flags), channel, ...(await moneyOf(rail, flags, context)) };
  const creation = await checkWithdrawal({ ...given, ...(await askPayee(rail, channel, given, context)) }, rail, flagNames);
  return pay(creation, { words, flags, proposing }, context);
};

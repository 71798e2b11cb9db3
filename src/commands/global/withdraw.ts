import { type Input, isSet, type Run, textFlag } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { createdGlobalView } from "../../output/views/created.ts";
import { createPayment, dryRunOutcome } from "../../payments/create-payment.ts";
import { requireConsentPossible, requireWithdrawalKey } from "../../payments/create-payment-question.ts";
import { msisdnProblem, parseMsisdn, toBody } from "../../payments/payment-body.ts";
import { findChannel, type Rail } from "../../payments/rails.ts";
import type { Context } from "../../ports.ts";
import { gather, type PlanFlags, planFlags } from "../creating.ts";
import { chooseChannel } from "./choose-rail.ts";
import { checkAmountEarly, currentRails, missingOf, moneyOf, plainTextProblem, railOf } from "./rail-request.ts";

const command = "global withdraw";
const mobileFlags = ["operator", "msisdn"] as const;
const bankFlags = ["bank-code", "account-number", "account-name"] as const;

const given = (input: Input, names: readonly string[]): readonly string[] => names.filter((name) => textFlag(input, name) !== undefined);
const dashed = (names: readonly string[]): string => names.map((name) => `--${name}`).join(", ");

/** What is missing of the payee, by the channel, or by the flags that are there. */
const missingPayee = (input: Input): readonly string[] => {
  const channel = textFlag(input, "channel")?.trim().toUpperCase();
  const [mobile, bank] = [given(input, mobileFlags), given(input, bankFlags)];
  const absent = (names: readonly string[]): readonly string[] => names.filter((name) => textFlag(input, name) === undefined).map((name) => `--${name}`);
  if (channel === "MOBILE_MONEY" || (channel !== "BANK" && mobile.length > 0)) return absent(mobileFlags);
  if (channel === "BANK" || bank.length > 0) return absent(bankFlags);
  return channel === undefined ? [`${dashed(mobileFlags)} (mobile money) or ${dashed(bankFlags)} (bank)`] : [];
};

/** Everything that can be refused without knowing the rails. */
const checkEarly = (input: Input, flags: PlanFlags, context: Context): void => {
  if (given(input, mobileFlags).length > 0 && given(input, bankFlags).length > 0) {
    throw usageError(`A withdrawal goes to mobile money (${dashed(mobileFlags)}) or to a bank (${dashed(bankFlags)}), not both.`);
  }
  const missing = missingOf(command, input, ["rail", "channel", "amount", "currency"], missingPayee(input));
  if (missing !== undefined && !context.terminal.interactive) throw missing;
  checkAmountEarly(input);
  // An own key may name a withdrawal that was accepted already, which needs no consent.
  if (!flags.dryRun && flags.idempotencyKey === undefined) requireConsentPossible({ operation: "withdraw" }, context);
};

type Payee = { readonly fields: Readonly<Record<string, string>>; readonly account: string; readonly words: string };

const mobilePayee = async (rail: Rail, input: Input, context: Context): Promise<Payee> => {
  const check = (text: string): string | undefined => msisdnProblem(text, rail.country);
  const asked = { operator: { message: "Operator", check: plainTextProblem("The operator") }, msisdn: { message: "Payee's phone", check } };
  const found = await gather(command, input, asked, context);
  const operator = found.operator.trim();
  const payeeMsisdn = parseMsisdn(found.msisdn, rail.country, (text) => context.note(text));
  return { fields: { operator, payeeMsisdn }, account: payeeMsisdn, words: `${operator} ${payeeMsisdn}` };
};

const bankPayee = async (input: Input, context: Context): Promise<Payee> => {
  const asked = {
    "bank-code": { message: "Bank code", check: plainTextProblem("The bank code") },
    "account-number": { message: "Account number", check: plainTextProblem("The account number") },
    "account-name": { message: "Account name", check: plainTextProblem("The account name") },
  };
  const found = await gather(command, input, asked, context);
  const bankCode = found["bank-code"].trim();
  const accountNumber = found["account-number"].trim();
  const accountName = found["account-name"].trim();
  return {
    fields: { bankCode, accountNumber, accountName },
    account: `${bankCode}/${accountNumber}`,
    words: `account ${accountNumber} at bank ${bankCode}, ${accountName}`,
  };
};

const payeeOf = async (rail: Rail, channel: "MOBILE_MONEY" | "BANK", input: Input, context: Context): Promise<Payee> => {
  const stray = given(input, channel === "BANK" ? mobileFlags : bankFlags);
  if (stray.length > 0) throw usageError(`${dashed(stray)} does not go with the channel ${channel}.`);
  return channel === "BANK" ? bankPayee(input, context) : mobilePayee(rail, input, context);
};

/** `global withdraw`: out of the Global Wallet to mobile money or a bank (service 4, POST disbursements). */
export const run: Run = async (input, context) => {
  const flags = planFlags(input);
  checkEarly(input, flags, context);
  if (isSet(input, "passphrase-stdin")) requireWithdrawalKey(await context.account());
  const rail = await railOf(await currentRails(context), "withdraw", input, context);
  const channel = findChannel(rail, textFlag(input, "channel") ?? (await chooseChannel(rail, context)));
  const { currency, amount } = await moneyOf(rail, input, context);
  const payee = await payeeOf(rail, channel, input, context);
  const body = toBody({ rail: rail.code, channel, ...payee.fields, amount, currency });
  const question = [
    `Withdraw ${currency} ${groupedAmount(amount.text, currency)} from the Global Wallet`,
    `To ${payee.words}`,
    `Rail ${rail.code} (${rail.name}), channel ${channel}`,
  ];
  const plan = {
    operation: "withdraw",
    body,
    reference: "",
    payee: `${rail.code}/${channel}/${payee.account}`,
    amount: amount.text,
    currency,
    question,
    passphraseStdin: isSet(input, "passphrase-stdin"),
    ...flags,
  } as const;
  if (flags.dryRun) return dryRunOutcome(plan, context);
  const { answer, attempt, replayed } = await createPayment(plan, context);
  if (replayed) context.note(`This withdrawal had been accepted before with the same key; nothing was sent (journal ${attempt.id}).`);
  return {
    rows: [answer.body],
    single: true,
    view: createdGlobalView({ ...plan, payee: payee.words }, answer.body, context.flags),
    made: { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id },
  };
};

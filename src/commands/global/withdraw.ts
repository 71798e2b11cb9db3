import { type Input, isSet, type Run, textFlag } from "../../command.ts";
import { createdGlobalView } from "../../output/views/created.ts";
import { requireConsentPossible, requireWithdrawalKey } from "../../payments/consent.ts";
import { createPayment } from "../../payments/create-payment.ts";
import type { Given } from "../../payments/creation.ts";
import { dryRunOutcome } from "../../payments/dry-run.ts";
import { checkWithdrawal, msisdnCheck, payeeFields, payeeTextProblem } from "../../payments/global-creation.ts";
import { findChannel, type Rail } from "../../payments/rails.ts";
import type { Context } from "../../ports.ts";
import { flagNames, flagOf, givenBy, type PlanFlags, planFlags } from "../creating.ts";
import { chooseChannel } from "./choose-rail.ts";
import { currentRails, missingOf, moneyOf, railOf } from "./rail-request.ts";

const command = "global withdraw";
const mobileFlags = payeeFields.MOBILE_MONEY.map(flagOf);
const bankFlags = payeeFields.BANK.map(flagOf);

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

/** What is missing is asked on a terminal; what is there is refused before any request where no rail could take it. */
const checkEarly = async (input: Input, flags: PlanFlags, context: Context): Promise<void> => {
  const missing = missingOf(command, input, ["rail", "channel", "amount", "currency"], missingPayee(input));
  if (missing === undefined) await checkWithdrawal(givenBy("withdraw", input), undefined, flagNames);
  else if (!context.terminal.interactive) throw missing;
  // An own key may name a withdrawal that was accepted already, which needs no consent.
  if (!flags.dryRun && flags.idempotencyKey === undefined) requireConsentPossible({ operation: "withdraw" }, context);
};

const questions: Readonly<Record<string, string>> = {
  operator: "Operator",
  payeeMsisdn: "Payee's phone",
  bankCode: "Bank code",
  accountNumber: "Account number",
  accountName: "Account name",
};

/** What names the payee, asked where no flag gives it. */
const askPayee = async (rail: Rail, channel: "MOBILE_MONEY" | "BANK", input: Input, { prompt }: Context): Promise<Given> => {
  const answers: Record<string, string> = {};
  for (const field of payeeFields[channel]) {
    if (textFlag(input, flagOf(field)) !== undefined) continue;
    const message = questions[field] ?? field;
    const check = field === "payeeMsisdn" ? await msisdnCheck(rail.country) : (text: string) => payeeTextProblem(message, text);
    answers[field] = await prompt.text({ message, check });
  }
  return answers;
};

/** `global withdraw`: out of the Global Wallet to mobile money or a bank (service 4, POST disbursements). */
export const run: Run = async (input, context) => {
  const flags = planFlags(input);
  await checkEarly(input, flags, context);
  if (isSet(input, "passphrase-stdin")) requireWithdrawalKey(await context.account());
  const rail = await railOf(await currentRails(context), "withdraw", input, context);
  const channel = findChannel(rail, textFlag(input, "channel") ?? (await chooseChannel(rail, context)));
  const given = { ...givenBy("withdraw", input), channel, ...(await moneyOf(rail, input, context)) };
  const creation = await checkWithdrawal({ ...given, ...(await askPayee(rail, channel, input, context)) }, rail, flagNames);
  if (creation.note !== undefined) context.note(creation.note);
  const plan = { ...creation, passphraseStdin: isSet(input, "passphrase-stdin"), ...flags };
  if (flags.dryRun) return dryRunOutcome(plan, context);
  const { answer, attempt, replayed } = await createPayment(plan, context);
  if (replayed) context.note(`This withdrawal had been accepted before with the same key; nothing was sent (journal ${attempt.id}).`);
  return {
    rows: [answer.body],
    single: true,
    view: createdGlobalView({ ...plan, payee: creation.to }, answer.body, context.flags),
    made: { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id },
  };
};

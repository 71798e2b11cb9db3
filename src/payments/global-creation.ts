import { usageError } from "../errors.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Amount } from "../money/money.ts";
import { msisdnReader } from "../money/msisdn.ts";
import { type Creation, type Given, httpUrlProblem, missing, type Names, parseAmount, phoneNote, phoneProblem, problemError, toBody } from "./creation.ts";
import { findChannel, findCurrency, isChannel, type Rail, railAmountProblem } from "./rails.ts";
import { unseenProblem } from "./reference.ts";

const mobileFields = ["operator", "payeeMsisdn"] as const;
const bankFields = ["bankCode", "accountNumber", "accountName"] as const;
/** What names the payee of a withdrawal, by its channel (service 4, POST disbursements). */
export const payeeFields = { MOBILE_MONEY: mobileFields, BANK: bankFields } as const;

/** A check of what is typed as a number of a rail's country. */
export const msisdnCheck = async (country: string): Promise<(text: string) => string | undefined> => {
  const read = await msisdnReader(country);
  return (text) => phoneProblem(text, read(text));
};

export const emailProblem = (text: string): string | undefined =>
  /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/.test(text.trim()) ? unseenProblem("The email address", text.trim()) : `"${text.trim()}" is not an email address.`;

/** A text that names a payee: not blank, and nothing in it that nobody can see. `name` begins the sentence. */
export const payeeTextProblem = (name: string, text: string): string | undefined => (text.trim() === "" ? `${name} is empty.` : unseenProblem(name, text));

/** `text` of a field is empty where it is missing; `need` throws CliError usage there. */
const readerOf = (given: Given, names: Names) => {
  const text = (field: string): string => given[field] ?? "";
  const need = (field: string): string => {
    if (text(field) === "") throw problemError({ field, says: missing }, names);
    return text(field);
  };
  return { text, need, names };
};
type Reader = ReturnType<typeof readerOf>;
const throwIf = (problem: string | undefined): void => {
  if (problem !== undefined) throw usageError(problem);
};

/** Without a rail (the library reads none) currency and amount are checked by themselves. */
const moneyOf = ({ need }: Reader, rail: Rail | undefined): { readonly currency: string; readonly amount: Amount } => {
  const [typed, wanted] = [need("amount"), need("currency")];
  const currency = rail === undefined ? wanted.trim() : findCurrency(rail, wanted);
  if (rail !== undefined) throwIf(railAmountProblem(rail, typed, currency));
  return { currency, amount: parseAmount(typed, currency) };
};

type Party = {
  readonly fields: Readonly<Record<string, string>>;
  readonly payee: string;
  readonly to: string;
  /** The payee in labelled lines. */
  readonly lines: readonly string[];
  readonly note?: string | undefined;
};

const phoneParty = async (field: string, typed: string, rail: Rail | undefined): Promise<Party> => {
  // The form of a number depends on the rail's country.
  if (rail === undefined) return { fields: { [field]: typed }, payee: typed, to: typed, lines: [`Phone: ${typed}`] };
  const read = (await msisdnReader(rail.country))(typed);
  if ("problem" in read) throw usageError(phoneProblem(typed, read) ?? "");
  return { fields: { [field]: read.phone }, payee: read.phone, to: read.phone, lines: [`Phone: ${read.phone}`], note: phoneNote(read) };
};

/** The payer as the rail's flow wants it (service 2.4): a phone for PUSH, an email address for REDIRECT. */
const payerOf = async ({ text, need, names }: Reader, rail: Rail | undefined): Promise<Party> => {
  const [msisdn, email] = [names.of("msisdn"), names.of("customerEmail")];
  if (text("msisdn") !== "" && text("customerEmail") !== "") throw usageError(`Give ${msisdn} (PUSH rails) or ${email} (REDIRECT rails), not both.`);
  const pushes = rail === undefined ? text("msisdn") !== "" : rail.flow === "PUSH";
  const stray = (pushes ? ["customerEmail", "callbackReturnUrl"] : ["msisdn"]).find((field) => text(field) !== "");
  if (stray !== undefined && rail !== undefined) {
    const how = pushes ? `prompts on the payer's phone (PUSH): it needs ${msisdn}` : `has a hosted checkout (REDIRECT): it needs ${email}`;
    throw usageError(`The rail ${rail.code} ${how}, and has no use for ${names.of(stray)}.`);
  }
  if (text("msisdn") === "" && text("customerEmail") === "" && rail === undefined)
    throw usageError(`Give ${msisdn} (PUSH rails) or ${email} (REDIRECT rails).`);
  if (pushes) return await phoneParty("msisdn", need("msisdn"), rail);
  const typed = need("customerEmail");
  throwIf(emailProblem(typed));
  return { fields: { customerEmail: typed.trim() }, payee: typed.trim(), to: typed.trim(), lines: [`Email: ${typed.trim()}`] };
};

/** A collection that was checked (service 4, POST collections). Throws CliError usage for what is wrong with it. */
export const checkCollection = async (given: Given, rail: Rail | undefined, names: Names): Promise<Creation<"collect">> => {
  const reader = readerOf(given, names);
  const code = rail?.code ?? reader.need("rail");
  const { currency, amount } = moneyOf(reader, rail);
  const { fields, payee, to, note } = await payerOf(reader, rail);
  const [description, callbackReturnUrl] = [reader.text("description"), reader.text("callbackReturnUrl")];
  const urlProblem = callbackReturnUrl === "" ? undefined : httpUrlProblem(callbackReturnUrl);
  if (urlProblem !== undefined) throw problemError({ field: "callbackReturnUrl", says: urlProblem }, names);
  const body = toBody({ rail: code, ...fields, amount, currency, description, callbackReturnUrl });
  return { operation: "collect", rail: code, body, reference: "", payee, to, amount: amount.text, amountMinor: amount.minor, currency, note };
};

const bankPayee = ({ need }: Reader): Party => {
  const [bankCode, accountNumber, accountName] = [need("bankCode").trim(), need("accountNumber").trim(), need("accountName").trim()];
  return {
    fields: { bankCode, accountNumber, accountName },
    payee: `${bankCode}/${accountNumber}`,
    to: `account ${accountNumber} at bank ${bankCode}, ${accountName}`,
    lines: [`Bank: ${bankCode}`, `Account number: ${accountNumber}`, `Account name: ${accountName}`],
  };
};

const mobilePayee = async ({ need }: Reader, rail: Rail | undefined): Promise<Party> => {
  const operator = need("operator").trim();
  const { fields, payee, lines, note } = await phoneParty("payeeMsisdn", need("payeeMsisdn"), rail);
  return { fields: { operator, ...fields }, payee, to: `${operator} ${payee}`, lines: [`Operator: ${operator}`, ...lines], note };
};

const payeeOf = async (reader: Reader, channel: string, rail: Rail | undefined): Promise<Party> => {
  const { text, names } = reader;
  for (const field of ["operator", ...bankFields]) if (text(field) !== "") throwIf(payeeTextProblem(names.of(field), text(field)));
  if (!isChannel(channel)) {
    const fields = Object.fromEntries([...mobileFields, ...bankFields].map((field) => [field, text(field)]));
    const to = Object.values(fields).join(" ");
    return { fields, payee: Object.values(fields).join("/"), to, lines: [`To: ${to}`] };
  }
  const stray = payeeFields[channel === "BANK" ? "MOBILE_MONEY" : "BANK"].filter((field) => text(field) !== "");
  if (stray.length > 0) {
    const listed = stray.map((field) => names.of(field)).join(", ");
    throw usageError(`${listed} does not go with the channel ${channel}: a withdrawal goes to mobile money or to a bank, not both.`);
  }
  return channel === "BANK" ? bankPayee(reader) : await mobilePayee(reader, rail);
};

/** A withdrawal that was checked (service 4, POST disbursements). Throws CliError usage for what is wrong with it. */
export const checkWithdrawal = async (given: Given, rail: Rail | undefined, names: Names): Promise<Creation<"withdraw">> => {
  const reader = readerOf(given, names);
  const code = rail?.code ?? reader.need("rail");
  const channel = rail === undefined ? reader.need("channel") : findChannel(rail, reader.need("channel"));
  const { currency, amount } = moneyOf(reader, rail);
  const { fields, payee, to, lines, note } = await payeeOf(reader, channel, rail);
  return {
    operation: "withdraw",
    rail: code,
    body: toBody({ rail: code, channel, ...fields, amount, currency }),
    reference: "",
    payee: `${code}/${channel}/${payee}`,
    to,
    amount: amount.text,
    amountMinor: amount.minor,
    currency,
    question: [
      `Withdraw ${currency} ${groupedAmount(amount.text, currency)} from the Global Wallet`,
      ...lines,
      `Rail: ${code}${rail === undefined ? "" : ` (${rail.name})`}, channel ${channel}`,
    ],
    note,
  };
};

import { type CliError, usageError } from "../../errors.ts";
import { ExactNumber, isObject, type JsonObject, parseExact } from "../../json/exact-json.ts";
import { repeatedKey } from "../../json/repeated-keys.ts";
import { groupedAmount } from "../../money/grouped.ts";
import type { PaymentPlan } from "../../payments/create-payment.ts";
import {
  httpUrlProblem,
  kenyanPhoneProblem,
  msisdnProblem,
  parseAmount,
  parseKenyanPhone,
  parseMsisdn,
  parseReference,
  payoutAmountProblem,
  pushAmountProblem,
  refuseUnseen,
} from "../../payments/payment-body.ts";
import { findChannel, findCurrency, findRail, type Rail, railAmountProblem, readRails } from "../../payments/rails.ts";
import { lookAlikeOf, unseenProblem } from "../../payments/reference.ts";
import type { Context } from "../../ports.ts";
import type { Operation } from "../../service/contract/routes.ts";

type Body = { readonly fields: JsonObject; readonly text: string };
type Checked = Pick<PaymentPlan, "reference" | "payee" | "amount" | "currency" | "question">;

/**
 * A payment's body, given as it will be sent, after the checks of its own command. Nothing in it is rewritten: strings stay
 * strings and the bytes stay as they came (report A7). Global ones are checked against the rails of this moment.
 * Throws CliError usage naming the field.
 */
export const planFromBody = async (
  operation: Operation,
  text: string,
  context: Pick<Context, "client" | "signal">,
): Promise<Pick<PaymentPlan, "operation" | "body"> & Checked> => {
  const fields = parseExact(text);
  if (!isObject(fields)) throw usageError("A payment's body is a JSON object.", "Give its fields with -f key=text and -F key:=json, or a file with --input.");
  const twice = repeatedKey(text);
  if (twice !== undefined) throw usageError(`The body has the field ${twice} twice: which one the service takes is not clear.`, "Give it once.");
  refuseLookAlikeNames(Object.keys(fields), fieldNames[operation]);
  const body = { fields, text };
  checkOptional(body);
  return { operation, body: text, ...(await checks[operation](body, context)) };
};

const local = ["phone", "amount", "reference", "description", "callbackUrl"];
/** The fields of each creation (service 4). Others are sent as they are. */
const fieldNames: Readonly<Record<Operation, readonly string[]>> = {
  stk: [...local, "channelId"],
  b2c: [...local, "remarks", "commandId"],
  collect: ["rail", "msisdn", "customerEmail", "amount", "currency", "description", "callbackReturnUrl"],
  withdraw: ["rail", "channel", "operator", "payeeMsisdn", "bankCode", "accountNumber", "accountName", "amount", "currency"],
};

/** Which of `amount` and `Amount` a service takes is not shown: only one of the two would have been checked. */
const refuseLookAlikeNames = (given: readonly string[], known: readonly string[]): void => {
  const plain = (name: string): string =>
    lookAlikeOf(name)
      .toLowerCase()
      .replace(/[\s_-]/g, "");
  const names = new Map(known.map((name) => [plain(name), name]));
  for (const name of given) {
    const own = names.get(plain(name)) ?? name;
    if (own !== name) throw usageError(`The body has the field ${JSON.stringify(name)}, which looks like ${own}.`, `Write it ${own}, and give it once.`);
    names.set(plain(name), name);
  }
};

type Check = (body: Body, context: Pick<Context, "client" | "signal">) => Checked | Promise<Checked>;

const missing = (name: string, how = `-f ${name}=…`): CliError => usageError(`The field ${name} is missing.`, `Give it with ${how}`);

/** A text that has to be there. */
const need = ({ fields }: Body, name: string): string => {
  const value = fields[name];
  if (value === undefined || value === null || value === "") throw missing(name);
  if (typeof value !== "string") throw usageError(`The field ${name} has to be a string.`, `Give it with -f ${name}=…`);
  return value;
};

const optional = ({ fields }: Body, name: string): string | undefined => {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw usageError(`The field ${name} has to be a string where it is given.`);
  return value === "" ? undefined : value;
};

/** The number's own digits. Digits that a person would not type (`1e3`) are refused where amounts are read. */
const needAmount = ({ fields }: Body): string => {
  const value = fields["amount"];
  if (value === undefined || value === null) throw missing("amount", "-F amount:=150");
  if (typeof value !== "number" && !(value instanceof ExactNumber))
    throw usageError("The field amount has to be a number.", "Give it with -F amount:=150, not -f");
  return String(value);
};

const throwIf = (problem: string | undefined): void => {
  if (problem !== undefined) throw usageError(problem);
};

/** Fields that any of the four may have: absent or text, never null (rules.md, Commands). */
const checkOptional = (body: Body): void => {
  refuseUnseen(body.fields);
  for (const name of ["channelId", "description", "remarks", "commandId", "operator", "bankCode", "accountNumber", "accountName"]) optional(body, name);
  for (const name of ["callbackUrl", "callbackReturnUrl"]) {
    const url = optional(body, name);
    if (url !== undefined && httpUrlProblem(url, name) !== undefined) throw usageError(`The field ${name} must be a whole http or https URL.`);
  }
};

const checkLocal = (body: Body, problemOf: (text: string) => string | undefined, verb: string): Checked => {
  const phone = need(body, "phone");
  throwIf(kenyanPhoneProblem(phone));
  const typed = needAmount(body);
  throwIf(problemOf(typed));
  const amount = parseAmount(typed, "KES");
  const given = need(body, "reference");
  // It is sent as it was given, with what stands around it.
  throwIf(unseenProblem("The reference", given));
  const reference = parseReference(given);
  const payee = parseKenyanPhone(phone);
  const question = [`${verb} KES ${groupedAmount(amount.text, "KES")} to ${payee}`, `Reference ${reference}`];
  return { reference, payee, amount: amount.text, currency: "KES", question };
};

const commandIds: readonly string[] = ["SalaryPayment", "BusinessPayment", "PromotionPayment"];

const payout: Check = (body) => {
  const remarks = optional(body, "remarks");
  const description = optional(body, "description");
  if (remarks !== undefined && description !== undefined && remarks !== description) {
    throw usageError("remarks and description are the same field with two different texts: give one of them.");
  }
  const commandId = optional(body, "commandId");
  if (commandId !== undefined && !commandIds.includes(commandId)) throw usageError(`commandId is one of ${commandIds.join(", ")}.`);
  return checkLocal(body, payoutAmountProblem, "Pay");
};

type OnRail = { readonly rail: Rail; readonly currency: string; readonly amount: string };

/** The request names things exactly, as it is sent as it is. */
const exactly = (name: string, given: string, own: string): string => {
  if (given !== own) throw usageError(`The field ${name} has to be written ${own}.`);
  return own;
};

const onRail = async (body: Body, use: "collect" | "withdraw", context: Pick<Context, "client" | "signal">): Promise<OnRail> => {
  const [code, wanted, typed] = [need(body, "rail"), need(body, "currency"), needAmount(body)];
  const amount = parseAmount(typed, wanted);
  const { rails } = await readRails(await context.client(), context.signal);
  const rail = findRail(rails, code, use);
  exactly("rail", code, rail.code);
  const currency = exactly("currency", wanted, findCurrency(rail, wanted));
  throwIf(railAmountProblem(rail, typed, currency));
  return { rail, currency, amount: amount.text };
};

const collect: Check = async (body, context) => {
  const msisdn = optional(body, "msisdn");
  const email = optional(body, "customerEmail");
  if (msisdn !== undefined && email !== undefined) throw usageError("A collection has msisdn or customerEmail, not both.");
  if (msisdn === undefined && email === undefined) throw usageError("The field msisdn or customerEmail is missing.");
  const { rail, currency, amount } = await onRail(body, "collect", context);
  const wanted = rail.flow === "PUSH" ? "msisdn" : "customerEmail";
  if ((rail.flow === "PUSH") !== (msisdn !== undefined)) throw usageError(`The rail ${rail.code} collects by ${rail.flow} and needs ${wanted}.`);
  if (msisdn !== undefined) throwIf(msisdnProblem(msisdn, rail.country));
  else if (!/^[^\s@]+@[^\s@]+$/.test(email ?? "")) throw usageError("The field customerEmail is no email address.");
  return { reference: "", payee: msisdn === undefined ? (email ?? "").trim() : parseMsisdn(msisdn, rail.country), amount, currency };
};

const withdraw: Check = async (body, context) => {
  const given = need(body, "channel");
  const { rail, currency, amount } = await onRail(body, "withdraw", context);
  const channel = exactly("channel", given, findChannel(rail, given));
  const { account, words } = channel === "BANK" ? bankAccount(body) : mobileAccount(body, rail);
  const payee = `${rail.code}/${channel}/${account}`;
  return {
    reference: "",
    payee,
    amount,
    currency,
    question: [`Withdraw ${currency} ${groupedAmount(amount, currency)} to ${words}`, `By ${rail.code}, ${channel}`],
  };
};

/** As the guard compares it, spelled as `global withdraw` spells it, and in words. */
type Account = { readonly account: string; readonly words: string };

const bankAccount = (body: Body): Account => {
  for (const name of ["operator", "payeeMsisdn"])
    if (optional(body, name) !== undefined) throw usageError(`The field ${name} does not belong to the channel BANK.`);
  need(body, "accountName");
  return {
    account: `${need(body, "bankCode").trim()}/${need(body, "accountNumber").trim()}`,
    words: `account ${need(body, "accountNumber")} at bank ${need(body, "bankCode")}`,
  };
};

const mobileAccount = (body: Body, rail: Rail): Account => {
  for (const name of ["bankCode", "accountNumber", "accountName"]) {
    if (optional(body, name) !== undefined) throw usageError(`The field ${name} does not belong to the channel MOBILE_MONEY.`);
  }
  const msisdn = need(body, "payeeMsisdn");
  throwIf(msisdnProblem(msisdn, rail.country));
  const account = parseMsisdn(msisdn, rail.country);
  return { account, words: `${need(body, "operator")} ${account}` };
};

const checks: Readonly<Record<Operation, Check>> = {
  stk: (body) => checkLocal(body, pushAmountProblem, "Ask for"),
  b2c: payout,
  collect,
  withdraw,
};

import type { Bodies } from "../../service/contract/types.ts";
import type { Transaction } from "./entities.ts";
import { settle } from "./life-cycles.ts";
import { fitsDecimals, railFee, toMinor, toUnits } from "./money.ts";
import { open } from "./payments.ts";
import { findRail, type Rail } from "./rails.ts";
import { must, paymentRequired } from "./refusal.ts";
import { scenarioOf } from "./scenarios.ts";
import { nextId, type Unit } from "./unit.ts";

type Asked = { readonly rail: string; readonly amount: number; readonly currency: string };
const railFor = ({ rail: code }: Asked): Rail => {
  const rail = findRail(code);
  must(rail !== undefined, "rail", "rail is not one of those that GET providers lists.");
  must(rail.live, "rail", `${rail.displayName} is not live.`);
  return rail;
};
const checkMoney = (rail: Rail, { amount, currency }: Asked): void => {
  const { currencies, minAmount, maxAmount, x } = rail;
  must(currencies.includes(currency), "currency", `currency must be one of ${currencies.join(", ")} on this rail.`);
  must(amount >= minAmount && amount <= maxAmount, "amount", `amount must be from ${minAmount} to ${maxAmount} ${currency} on this rail.`);
  must(fitsDecimals(amount, x.decimals), "amount", `amount may have at most ${x.decimals} decimals on this rail.`);
};
const isPresent = (text: string | undefined): text is string => text !== undefined && text.trim() !== "";
// Service 4: local-style digits. Assumed: 6 to 15 of them, as the document shows no format.
const checkMsisdn = (field: string, text: string): void => must(/^\d{6,15}$/.test(text), field, `${field} must be digits as dialled in the rail's country.`);

const costOf = ({ x: { fee, decimals } }: Rail, amount: number) => ({ amount: toMinor(amount), fee: railFee(fee, toMinor(amount), decimals) });
/** What the body and the rail decide of the record. */
const fromBody = (unit: Unit, rail: Rail, { amount, currency }: Asked, prefix: string) => {
  const id = nextId(unit, prefix);
  return { id, reference: id, ...costOf(rail, amount), currency, provider: rail.rail, providerRef: "" };
};

/** Service 4, POST collections: PUSH needs msisdn, REDIRECT customerEmail instead. */
export const createCollection = (unit: Unit, body: Bodies["collect"], named: string | undefined): Transaction => {
  const rail = railFor(body);
  must(rail.capabilities.collect, "rail", `${rail.displayName} does not collect.`);
  checkMoney(rail, body);
  const isPush = rail.collectionFlow === "PUSH";
  const [flow, field, other, otherFlow] = isPush
    ? (["PUSH", "msisdn", "customerEmail", "REDIRECT"] as const)
    : (["REDIRECT", "customerEmail", "msisdn", "PUSH"] as const);
  const party = body[field];
  must(isPresent(party), field, `${field} is required on a ${flow} rail.`);
  must(body[other] === undefined, other, `${other} is for ${otherFlow} rails; this rail takes ${field}.`);
  if (isPush) checkMsisdn(field, party);
  return open(unit, {
    ...fromBody(unit, rail, body, "GC-"),
    flow: "collection",
    party,
    description: body.description,
    metadata: { flow, callbackReturnUrl: body.callbackReturnUrl },
    scenario: scenarioOf(named, body.msisdn, "push"),
  });
};

/** What is wrong with the fields of a channel; `undefined` in the list of what a rail knows stands for anything. */
const checkPayee = (rail: Rail, body: Bodies["withdraw"]): string => {
  const isMobile = body.channel === "MOBILE_MONEY";
  const unwanted = isMobile ? (["bankCode", "accountNumber", "accountName"] as const) : (["operator", "payeeMsisdn"] as const);
  for (const field of unwanted) must(body[field] === undefined, field, `${field} does not go with channel ${body.channel}.`);
  const { operator, payeeMsisdn, bankCode, accountNumber, accountName } = body;
  if (isMobile) {
    const operators = rail.x.operators ?? [];
    must(isPresent(operator), "operator", "operator is required for MOBILE_MONEY.");
    must(operators.includes(operator.toUpperCase()), "operator", `operator must be one of ${operators.join(", ")} on this rail.`);
    must(isPresent(payeeMsisdn), "payeeMsisdn", "payeeMsisdn is required for MOBILE_MONEY.");
    checkMsisdn("payeeMsisdn", payeeMsisdn);
    return payeeMsisdn;
  }
  const codes = rail.x.bankCodes;
  must(isPresent(bankCode), "bankCode", "bankCode is required for BANK.");
  must(codes?.includes(bankCode) !== false, "bankCode", `bankCode must be one of ${codes?.join(", ")} on this rail.`);
  must(isPresent(accountNumber) && /^[A-Za-z0-9 -]{4,34}$/.test(accountNumber), "accountNumber", "accountNumber must have 4 to 34 letters and digits.");
  must(isPresent(accountName) && accountName.length <= 140, "accountName", "accountName must have 1 to 140 characters.");
  return accountNumber;
};

/** Service 4, POST disbursements: amount and fee are held, then taken; a failed one comes back. */
export const createDisbursement = (unit: Unit, body: Bodies["withdraw"], named: string | undefined): Transaction => {
  const rail = railFor(body);
  const { disburse, disbursementChannels } = rail.capabilities;
  must(disburse, "rail", `${rail.displayName} does not pay out.`);
  must(disbursementChannels.includes(body.channel), "channel", `channel must be one of ${disbursementChannels.join(", ")} on this rail.`);
  checkMoney(rail, body);
  const party = checkPayee(rail, body);
  const { amount, fee } = costOf(rail, body.amount);
  const needed = settle(body.currency, amount).settled + settle(body.currency, fee).settled;
  const { global: available } = unit.core.wallets;
  if (available < needed) throw paymentRequired(`The Global Wallet has KES ${toUnits(available)} available; this withdrawal needs KES ${toUnits(needed)}.`);
  return open(unit, {
    ...fromBody(unit, rail, body, "GD-"),
    flow: "disbursement",
    party,
    metadata: { channel: body.channel, operator: body.operator, bankCode: body.bankCode },
    scenario: scenarioOf(named, body.payeeMsisdn, "payout"),
  });
};

import type { Bodies } from "../../service/contract/types.ts";
import type { Collection, Disbursement, GlobalRecord, PromptAction, Settlement } from "./entities.ts";
import { placeHold, post, releaseHold } from "./ledger.ts";
import { fitsDecimals, railFee, settlementRate, toMinor, toUnits } from "./money.ts";
import { promptLifeMs, promptWait } from "./prompt-wait.ts";
import { findRail, type Rail } from "./rails.ts";
import { invalid, notFound, paymentRequired, Refusal } from "./refusal.ts";
import { fitting, scenarioOfPhone } from "./scenarios.ts";
import { type At, isoOf, nextId, type Unit } from "./unit.ts";

/** Assumed: a withdrawal takes two seconds, a push collection the time a prompt takes, a checkout may stay open for an hour. */
const disbursementMs = 2_000;
const checkoutMs = 3_600_000;

const railFor = (code: string): Rail => {
  const rail = findRail(code);
  if (rail === undefined) throw invalid("rail", "rail is not one of those that GET providers lists.");
  if (!rail.live) throw invalid("rail", `${rail.displayName} is not live.`);
  return rail;
};
const checkMoney = (rail: Rail, amount: number, currency: string): void => {
  if (!rail.currencies.includes(currency)) throw invalid("currency", `currency must be one of ${rail.currencies.join(", ")} on this rail.`);
  if (!(amount >= rail.minAmount && amount <= rail.maxAmount))
    throw invalid("amount", `amount must be from ${rail.minAmount} to ${rail.maxAmount} ${currency} on this rail.`);
  if (!fitsDecimals(amount, rail.x.decimals)) throw invalid("amount", `amount may have at most ${rail.x.decimals} decimals on this rail.`);
};
const present = (text: string | undefined): text is string => text !== undefined && text.trim() !== "";
const checkMsisdn = (field: string, text: string): void => {
  // Service 4: local-style digits. Assumed: 6 to 15 of them, as the document shows no format.
  if (!/^\d{6,15}$/.test(text)) throw invalid(field, `${field} must be digits as dialled in the rail's country.`);
};

const settle = (currency: string, amount: number): Settlement => {
  const rate = settlementRate(currency);
  return { currency, amount, rate, settled: Math.round(amount * rate) };
};

/** Service 4, POST collections: PUSH needs msisdn, REDIRECT customerEmail instead. */
export const createCollection = (unit: Unit, at: At, body: Bodies["collect"], named: string | undefined): Collection => {
  const rail = railFor(body.rail);
  if (!rail.capabilities.collect) throw invalid("rail", `${rail.displayName} does not collect.`);
  checkMoney(rail, body.amount, body.currency);
  const isPush = rail.collectionFlow === "PUSH";
  if (isPush) {
    if (!present(body.msisdn)) throw invalid("msisdn", "msisdn is required on a PUSH rail.");
    if (body.customerEmail !== undefined) throw invalid("customerEmail", "customerEmail is for REDIRECT rails; this rail takes msisdn.");
    checkMsisdn("msisdn", body.msisdn);
  } else {
    if (!present(body.customerEmail)) throw invalid("customerEmail", "customerEmail is required on a REDIRECT rail.");
    if (body.msisdn !== undefined) throw invalid("msisdn", "msisdn is for PUSH rails; this rail takes customerEmail.");
  }
  const amount = toMinor(body.amount);
  const fee = railFee(rail.x.fee, amount, rail.x.decimals);
  const scenario = fitting(named, "push") ?? (isPush ? fitting(scenarioOfPhone(body.msisdn ?? "")?.name, "push") : undefined);
  const dueMs = scenario?.name === "stuck" ? undefined : at.nowMs + (isPush ? promptWait(unit, scenario).waitMs : checkoutMs);
  const collection: Collection = {
    id: nextId(unit, "GC-"),
    status: "PENDING",
    rail: rail.rail,
    flow: isPush ? "PUSH" : "REDIRECT",
    currency: body.currency,
    amount,
    fee,
    settledAmount: settle(body.currency, amount).settled,
    settledFee: settle(body.currency, fee).settled,
    createdMs: at.nowMs,
    scenario: scenario?.name,
    steps: [{ status: "PENDING", at: isoOf(at.nowMs) }],
    party: body.msisdn ?? body.customerEmail ?? "",
    description: body.description,
    callbackReturnUrl: body.callbackReturnUrl,
    dueMs,
  };
  unit.tables.put("collection", collection);
  unit.change({ globalPending: unit.core().globalPending + collection.settledAmount - collection.settledFee });
  return collection;
};

const withStep = <R extends GlobalRecord>(record: R, at: At, status: string, reason?: string): R => ({
  ...record,
  status,
  dueMs: undefined,
  steps: [...record.steps, { status, at: isoOf(at.nowMs), ...(reason === undefined ? {} : { reason }) }],
  ...(reason === undefined ? {} : { failureReason: reason }),
});
const alreadyFinal = (record: GlobalRecord): Refusal => new Refusal(409, "ALREADY_FINAL", `${record.id} is ${record.status} already.`);

/** The provider confirms: the wallet is credited with the settlement, less the fee (service 3). */
export const confirmCollection = (unit: Unit, at: At, collection: Collection): Collection => {
  if (collection.status !== "PENDING") throw alreadyFinal(collection);
  const next = withStep(collection, at, "COMPLETED");
  unit.tables.put("collection", next);
  const { settledAmount, settledFee, id } = collection;
  const common = { wallet: "global", reference: id, transactionId: id } as const;
  post(unit, at, {
    ...common,
    type: "COLLECTION",
    amount: settledAmount,
    description: `Collection over ${collection.rail}`,
    settlement: settle(collection.currency, collection.amount),
  });
  post(unit, at, { ...common, type: "FEE", amount: -settledFee, description: "Collection fee", settlement: settle(collection.currency, collection.fee) });
  const { globalPending, globalCollected } = unit.core();
  unit.change({ globalPending: globalPending - settledAmount + settledFee, globalCollected: globalCollected + settledAmount });
  return next;
};

type CollectionEnd = { readonly status: "FAILED" | "EXPIRED"; readonly reason: string };
export const failCollection = (unit: Unit, at: At, collection: Collection, { status, reason }: CollectionEnd): Collection => {
  if (collection.status !== "PENDING") throw alreadyFinal(collection);
  const next = withStep(collection, at, status, reason);
  unit.tables.put("collection", next);
  unit.change({ globalPending: unit.core().globalPending - collection.settledAmount + collection.settledFee });
  return next;
};

export const advanceCollection = (unit: Unit, at: At, collection: Collection): void => {
  const then: At = { ...at, nowMs: collection.dueMs ?? at.nowMs };
  const endMs = collection.createdMs + (collection.flow === "PUSH" ? promptLifeMs : checkoutMs);
  const ends = fitting(collection.scenario, "push")?.ends;
  // As with a push: while somebody looks at the phone it waits for the phone, up to its end.
  const rings = at.phoneIsWatched && collection.flow === "PUSH" && ends === undefined;
  if (rings && at.nowMs < endMs) unit.tables.put("collection", { ...collection, dueMs: Math.min(at.nowMs + 1_000, endMs) });
  else if (rings || then.nowMs >= endMs)
    failCollection(unit, { ...at, nowMs: endMs }, collection, { status: "EXPIRED", reason: "The payer did not answer in time." });
  else if (ends !== undefined) failCollection(unit, then, collection, { status: ends.status === "EXPIRED" ? "EXPIRED" : "FAILED", reason: ends.reason });
  else confirmCollection(unit, then, collection);
};

const promptEndings = { decline: "Declined on the phone.", "wrong-pin": "A wrong PIN was entered." } as const;
/** The phone simulator's answer to a PUSH collection. Assumed: it rings like a push; refused there, it is FAILED. */
export const answerCollection = (unit: Unit, at: At, collection: Collection, action: PromptAction): Collection => {
  if (collection.flow !== "PUSH") throw notFound("The prompt");
  if (collection.status !== "PENDING") throw alreadyFinal(collection);
  if (action === "approve") return confirmCollection(unit, at, collection);
  if (action !== "ignore") return failCollection(unit, at, collection, { status: "FAILED", reason: promptEndings[action] });
  const ignored: Collection = { ...collection, dueMs: collection.createdMs + promptLifeMs };
  unit.tables.put("collection", ignored);
  return ignored;
};

const checkPayee = (rail: Rail, body: Bodies["withdraw"]): string => {
  const unwanted = (fields: readonly (keyof Bodies["withdraw"])[]): void => {
    for (const field of fields) if (body[field] !== undefined) throw invalid(field, `${field} does not go with channel ${body.channel}.`);
  };
  if (body.channel === "MOBILE_MONEY") {
    unwanted(["bankCode", "accountNumber", "accountName"]);
    if (!present(body.operator)) throw invalid("operator", "operator is required for MOBILE_MONEY.");
    const operators = rail.x.operators ?? [];
    if (!operators.includes(body.operator.toUpperCase())) throw invalid("operator", `operator must be one of ${operators.join(", ")} on this rail.`);
    if (!present(body.payeeMsisdn)) throw invalid("payeeMsisdn", "payeeMsisdn is required for MOBILE_MONEY.");
    checkMsisdn("payeeMsisdn", body.payeeMsisdn);
    return body.payeeMsisdn;
  }
  unwanted(["operator", "payeeMsisdn"]);
  if (!present(body.bankCode)) throw invalid("bankCode", "bankCode is required for BANK.");
  const codes = rail.x.bankCodes;
  if (codes !== undefined && !codes.includes(body.bankCode)) throw invalid("bankCode", `bankCode must be one of ${codes.join(", ")} on this rail.`);
  if (!present(body.accountNumber) || !/^[A-Za-z0-9 -]{4,34}$/.test(body.accountNumber))
    throw invalid("accountNumber", "accountNumber must have 4 to 34 letters and digits.");
  if (!present(body.accountName) || body.accountName.length > 140) throw invalid("accountName", "accountName must have 1 to 140 characters.");
  return body.accountNumber;
};

/** Service 4, POST disbursements: amount and fee are held, then taken; a failed one comes back. */
export const createDisbursement = (unit: Unit, at: At, body: Bodies["withdraw"], named: string | undefined): Disbursement => {
  const rail = railFor(body.rail);
  if (!rail.capabilities.disburse) throw invalid("rail", `${rail.displayName} does not pay out.`);
  if (!rail.capabilities.disbursementChannels.includes(body.channel)) {
    throw invalid("channel", `channel must be one of ${rail.capabilities.disbursementChannels.join(", ")} on this rail.`);
  }
  checkMoney(rail, body.amount, body.currency);
  const party = checkPayee(rail, body);
  const amount = toMinor(body.amount);
  const fee = railFee(rail.x.fee, amount, rail.x.decimals);
  const [settledAmount, settledFee] = [settle(body.currency, amount).settled, settle(body.currency, fee).settled];
  const available = unit.core().wallets.global;
  if (available < settledAmount + settledFee) {
    throw paymentRequired(`The Global Wallet has KES ${toUnits(available)} available; this withdrawal needs KES ${toUnits(settledAmount + settledFee)}.`);
  }
  const scenario = fitting(named, "payout") ?? fitting(scenarioOfPhone(body.payeeMsisdn ?? "")?.name, "payout");
  const disbursement: Disbursement = {
    id: nextId(unit, "GD-"),
    status: "PROCESSING",
    rail: rail.rail,
    channel: body.channel,
    operator: body.operator,
    bankCode: body.bankCode,
    currency: body.currency,
    amount,
    fee,
    settledAmount,
    settledFee,
    createdMs: at.nowMs,
    scenario: scenario?.name,
    steps: [{ status: "PROCESSING", at: isoOf(at.nowMs) }],
    party,
    dueMs: scenario?.name === "stuck" ? undefined : at.nowMs + disbursementMs,
  };
  unit.tables.put("disbursement", disbursement);
  placeHold(unit, at, {
    scope: "global",
    transactionId: disbursement.id,
    amount: settledAmount + settledFee,
    reason: `Withdrawal over ${rail.rail}`,
    reference: disbursement.id,
    settlement: settle(body.currency, amount + fee),
  });
  return disbursement;
};

export const completeDisbursement = (unit: Unit, at: At, disbursement: Disbursement): Disbursement => {
  if (disbursement.status !== "PROCESSING") throw alreadyFinal(disbursement);
  const { id, settledAmount, settledFee } = disbursement;
  releaseHold(unit, at, "global", id);
  const common = { wallet: "global", reference: id, transactionId: id } as const;
  post(unit, at, {
    ...common,
    type: "WITHDRAWAL",
    amount: -settledAmount,
    description: `Withdrawal over ${disbursement.rail}`,
    settlement: settle(disbursement.currency, disbursement.amount),
  });
  post(unit, at, { ...common, type: "FEE", amount: -settledFee, description: "Withdrawal fee", settlement: settle(disbursement.currency, disbursement.fee) });
  unit.change({ globalDisbursed: unit.core().globalDisbursed + settledAmount });
  const next = withStep(disbursement, at, "COMPLETED");
  unit.tables.put("disbursement", next);
  return next;
};

export const failDisbursement = (unit: Unit, at: At, disbursement: Disbursement, reason: string): Disbursement => {
  if (disbursement.status !== "PROCESSING") throw alreadyFinal(disbursement);
  releaseHold(unit, at, "global", disbursement.id);
  const next = withStep(disbursement, at, "FAILED", reason);
  unit.tables.put("disbursement", next);
  return next;
};

export const advanceDisbursement = (unit: Unit, at: At, disbursement: Disbursement): void => {
  const then: At = { ...at, nowMs: disbursement.dueMs ?? at.nowMs };
  const ends = fitting(disbursement.scenario, "payout")?.ends;
  if (ends === undefined) completeDisbursement(unit, then, disbursement);
  else failDisbursement(unit, then, disbursement, ends.reason);
};

export const collectionOf = (unit: Unit, reference: string): Collection => {
  const found = unit.tables.get("collection", reference);
  if (found === undefined) throw notFound("The collection");
  return found;
};
export const disbursementOf = (unit: Unit, reference: string): Disbursement => {
  const found = unit.tables.get("disbursement", reference);
  if (found === undefined) throw notFound("The disbursement");
  return found;
};

/** The provider's decision about a collection. */
export const settleCollection = (unit: Unit, at: At, reference: string, action: "confirm" | "fail"): Collection => {
  const collection = collectionOf(unit, reference);
  return action === "confirm"
    ? confirmCollection(unit, at, collection)
    : failCollection(unit, at, collection, { status: "FAILED", reason: "Declined by the provider." });
};
/** The provider's decision about a withdrawal. */
export const settleDisbursement = (unit: Unit, at: At, reference: string, action: "complete" | "fail"): Disbursement => {
  const disbursement = disbursementOf(unit, reference);
  return action === "complete" ? completeDisbursement(unit, at, disbursement) : failDisbursement(unit, at, disbursement, "Refused by the provider.");
};

import { type Collection, type Core, type Disbursement, promptActions, type Transaction } from "./entities.ts";
import {
  advanceCollection,
  advanceDisbursement,
  answerCollection,
  type CollectBody,
  collectionOf,
  completeDisbursement,
  confirmCollection,
  createCollection,
  createDisbursement,
  disbursementOf,
  failCollection,
  failDisbursement,
  type WithdrawBody,
} from "./global-payments.ts";
import { assertInvariants, post } from "./ledger.ts";
import { advanceTransaction, answerPrompt, confirmCrypto, countQuery, createPayout, createPush, type LocalBody } from "./local-payments.ts";
import { amountUnitsMax, fitsDecimals, toMinor } from "./money.ts";
import { invalid, notFound } from "./refusal.ts";
import { type At, mix, type Unit } from "./unit.ts";

/** All that can happen to the books. */
export type Event =
  | { readonly kind: "push"; readonly body: LocalBody; readonly scenario?: string | undefined }
  | { readonly kind: "payout"; readonly body: LocalBody; readonly scenario?: string | undefined }
  | { readonly kind: "collect"; readonly body: CollectBody; readonly scenario?: string | undefined }
  | { readonly kind: "withdraw"; readonly body: WithdrawBody; readonly scenario?: string | undefined }
  | { readonly kind: "query"; readonly id: string }
  | { readonly kind: "topup"; readonly wallet: unknown; readonly amount: unknown }
  | { readonly kind: "prompt"; readonly id: string; readonly action: unknown }
  | { readonly kind: "settleCollection"; readonly reference: string; readonly action: unknown }
  | { readonly kind: "settleDisbursement"; readonly reference: string; readonly action: unknown }
  | { readonly kind: "crypto"; readonly asset: unknown; readonly amount: unknown };

type Replies = {
  push: Transaction;
  payout: Transaction;
  collect: Collection;
  withdraw: Disbursement;
  query: Transaction;
  topup: undefined;
  prompt: Transaction | Collection;
  settleCollection: Collection;
  settleDisbursement: Disbursement;
  crypto: Transaction;
};

const topups = {
  balance: { wallet: "balance", type: "TOPUP", description: "Credits added" },
  b2c: { wallet: "b2c", type: "B2C_TOPUP", description: "Payout float added" },
  global: { wallet: "global", type: "TOPUP", description: "Funds added" },
} as const;

/** A dashboard action (service 1.9). Assumed: a negative amount takes credits away, so that 402 can be tried. */
const topUp = (unit: Unit, at: At, name: unknown, units: unknown): undefined => {
  if (name !== "balance" && name !== "b2c" && name !== "global") throw invalid("wallet", "wallet must be balance, b2c or global.");
  if (typeof units !== "number" || units === 0 || !(Math.abs(units) <= amountUnitsMax) || !fitsDecimals(units, 2)) {
    throw invalid("amount", `amount must be a number of KES up to ${amountUnitsMax}, with at most two decimals.`);
  }
  const { wallets } = unit.core();
  const free = name === "b2c" ? wallets.b2c + wallets.b2cHeld : wallets.global;
  if (name !== "balance" && free + toMinor(units) < 0) throw invalid("amount", "No more can be taken away than is available.");
  post(unit, at, { ...topups[name], amount: toMinor(units), reference: `TOPUP-${unit.core().postings + 1}` });
  return undefined;
};

const settleCollection = (unit: Unit, at: At, reference: string, action: unknown): Collection => {
  const collection = collectionOf(unit, reference);
  if (action === "confirm") return confirmCollection(unit, at, collection);
  if (action === "fail") return failCollection(unit, at, collection, "FAILED", "Declined by the provider.");
  throw invalid("action", "action must be confirm or fail.");
};
const settleDisbursement = (unit: Unit, at: At, reference: string, action: unknown): Disbursement => {
  const disbursement = disbursementOf(unit, reference);
  if (action === "complete") return completeDisbursement(unit, at, disbursement);
  if (action === "fail") return failDisbursement(unit, at, disbursement, "Refused by the provider.");
  throw invalid("action", "action must be complete or fail.");
};
const prompt = (unit: Unit, at: At, id: string, action: unknown): Transaction | Collection => {
  const chosen = promptActions.find((name) => name === action);
  if (chosen === undefined) throw invalid("action", `action must be one of ${promptActions.join(", ")}.`);
  const collection = unit.tables.get("collection", id);
  return collection === undefined ? answerPrompt(unit, at, id, chosen) : answerCollection(unit, at, collection, chosen);
};
const query = (unit: Unit, at: At, id: string): Transaction => {
  const found = unit.tables.get("tx", id);
  if (found === undefined) throw notFound("The transaction");
  return countQuery(unit, at, found);
};

const apply = (unit: Unit, event: Event, at: At): Replies[keyof Replies] => {
  switch (event.kind) {
    case "push":
      return createPush(unit, at, event.body, event.scenario);
    case "payout":
      return createPayout(unit, at, event.body, event.scenario);
    case "collect":
      return createCollection(unit, at, event.body, event.scenario);
    case "withdraw":
      return createDisbursement(unit, at, event.body, event.scenario);
    case "query":
      return query(unit, at, event.id);
    case "topup":
      return topUp(unit, at, event.wallet, event.amount);
    case "prompt":
      return prompt(unit, at, event.id, event.action);
    case "settleCollection":
      return settleCollection(unit, at, event.reference, event.action);
    case "settleDisbursement":
      return settleDisbursement(unit, at, event.reference, event.action);
    case "crypto":
      return confirmCrypto(unit, at, event.asset, event.amount);
  }
};

/**
 * One step of the service: the same state, event and moment give the same changes and reply. Throws Refusal where the service
 * refuses, and Error where the books would not balance; then nothing of the step may stay (`Storage.undo`).
 */
export const step = <K extends Event["kind"]>(unit: Unit, event: Extract<Event, { kind: K }>, at: At): Replies[K] => {
  const reply = apply(unit, event, at) as Replies[K];
  assertInvariants(unit);
  return reply;
};

const dueAtOnceMax = 1_000;
type Due = { readonly dueMs: number; readonly run: () => void };
/** Collections and disbursements that are due: few, beside transactions. */
const globalDueBy = (unit: Unit, at: At): readonly Due[] => {
  const { tables } = unit;
  const due = <R extends { readonly dueMs?: number | undefined }>(found: readonly R[], run: (record: R) => void): readonly Due[] =>
    found.map((record) => ({ dueMs: record.dueMs ?? at.nowMs, run: () => run(record) }));
  return [
    ...due(tables.due("collection", at.nowMs, dueAtOnceMax), (one) => advanceCollection(unit, at, one)),
    ...due(tables.due("disbursement", at.nowMs, dueAtOnceMax), (one) => advanceDisbursement(unit, at, one)),
  ].sort((left, right) => left.dueMs - right.dueMs);
};

/** What is due by now, in the order of its due times, up to where a step that was taken leads to one that comes before the rest: a payment paid and reversed while nobody looked. */
const advanceOnce = (unit: Unit, at: At): boolean => {
  const transactions = unit.tables.due("tx", at.nowMs, dueAtOnceMax);
  const others = globalDueBy(unit, at);
  let next = 0;
  let soonestMs = Number.POSITIVE_INFINITY;
  const runOthers = (untilMs: number): void => {
    for (let one = others[next]; one !== undefined && one.dueMs < untilMs && one.dueMs <= soonestMs; one = others[next]) {
      one.run();
      next += 1;
    }
  };
  for (const transaction of transactions) {
    const dueMs = transaction.dueMs ?? at.nowMs;
    runOthers(dueMs);
    if (soonestMs < dueMs) return true;
    advanceTransaction(unit, at, transaction);
    soonestMs = Math.min(soonestMs, unit.tables.get("tx", transaction.id)?.dueMs ?? Number.POSITIVE_INFINITY);
  }
  runOthers(Number.POSITIVE_INFINITY);
  return transactions.length + others.length > 0;
};

/**
 * Everything that is due by now, in the order of its due times, so that a ledger's times run one way. True where anything
 * happened.
 */
export const advance = (unit: Unit, at: At): boolean => {
  let happened = false;
  while (advanceOnce(unit, at)) happened = true;
  if (happened) assertInvariants(unit);
  return happened;
};

/** Scopes of a key (service 5.2). Assumed: all but wallet:read, as the document names no other. */
export const scopes = ["wallet:read", "payments:read", "payments:write", "global:read", "global:write"] as const;
export const controlScope = "sandbox:control";

const textFrom = (seed: number, from: number, count: number): string => {
  let text = "";
  for (let at = 0; text.length < count; at += 1)
    text += mix(seed, from + at)
      .toString(36)
      .padStart(7, "0");
  return text.slice(0, count);
};

export type Fresh = { readonly seed: number; readonly apiKey?: string | undefined; readonly webhookSecret?: string | undefined };
/** A new merchant. Assumed: funded so that anything can be tried at once; the currency is KES throughout. */
export const found = (unit: Unit, at: At, fresh: Fresh): void => {
  const { seed } = fresh;
  const secretBytes = Uint8Array.from({ length: 24 }, (_, index) => mix(seed, 9_000 + index) & 255);
  const core: Core = {
    seed,
    sequence: 0,
    postings: 0,
    clockOffsetMs: 0,
    webhookSecret: fresh.webhookSecret ?? `whsec_${Buffer.from(secretBytes).toString("base64")}`,
    keys: [{ apiKey: fresh.apiKey ?? `sk_sandbox_${textFrom(seed, 5_000, 32)}`, scopes: [...scopes, controlScope] }],
    settings: { autoApproveAfterMs: 3_000 },
    faults: [],
    armed: [],
    wallets: { balance: 0, b2c: 0, b2cHeld: 0, global: 0, globalHeld: 0 },
    b2cOutstanding: 0,
    b2cVolume: 0,
    b2cCount: 0,
    globalPending: 0,
    globalCollected: 0,
    globalDisbursed: 0,
  };
  unit.tables.setCore(core);
  topUp(unit, at, "balance", 1_000_000);
  topUp(unit, at, "b2c", 25_000_000);
  topUp(unit, at, "global", 10_000_000);
};

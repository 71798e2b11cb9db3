import type { Delivery, Entry, Hold, Transaction } from "./entities.ts";
import type { Settlement } from "./ledger.ts";
import { settledOf } from "./life-cycles.ts";
import { globalCurrency, toUnits } from "./money.ts";
import { isoOf, type Unit } from "./unit.ts";

/** What the world sees of the records (service 2). */
export const statusShown = ({ shownLeft = 0, scenario, steps, status }: Transaction): string => {
  if (shownLeft === 0) return status;
  return scenario === "query-contradicts" ? "FAILED" : (steps[0]?.status ?? status);
};

export const transactionSummary = (one: Transaction) => ({ id: one.id, reference: one.reference, amount: toUnits(one.amount), status: statusShown(one) });

/** A receipt or an end beside an open or failed status would give the lag away. */
const withoutEnd = ({ mobileMoneyReceipt: _receipt, completedAt: _end, ...rest }: Transaction["metadata"]): Transaction["metadata"] => rest;

export const transactionView = (one: Transaction) => {
  const { id, reference, amount, status } = transactionSummary(one);
  const metadata = status === one.status ? one.metadata : withoutEnd(one.metadata);
  return { id, reference, amount, status, provider: one.provider, providerRef: one.providerRef, metadata };
};

/** With its history, for the dashboard. */
export const transactionDetail = (one: Transaction) => ({
  ...transactionView(one),
  flow: one.flow,
  phone: one.party,
  description: one.description,
  callbackUrl: one.callbackUrl,
  scenario: one.scenario,
  createdAt: isoOf(one.createdMs),
  timeline: one.steps,
});

export const entryView = (entry: Entry) => ({
  _id: entry.id,
  type: entry.type,
  amount: toUnits(entry.amount),
  status: entry.status,
  reference: entry.reference,
  description: entry.description,
  createdAt: isoOf(entry.createdMs),
});
export const entryDetail = (entry: Entry) => {
  const settlement: Settlement | undefined = entry.settlement === undefined ? undefined : JSON.parse(entry.settlement);
  return {
    ...entryView(entry),
    wallet: entry.wallet,
    balanceAfter: toUnits(entry.balanceAfter),
    transactionId: entry.transactionId,
    settlement: settlement && { ...settlement, amount: toUnits(settlement.amount), settled: toUnits(settlement.settled) },
  };
};

const holdView = (hold: Hold) => ({
  id: hold.id,
  amount: toUnits(hold.amount),
  reason: hold.reason,
  holdType: hold.holdType,
  reference: hold.reference,
  createdAt: isoOf(hold.createdMs),
});

export const payoutStats = ({ core: { totals } }: Unit) => ({ totalVolume: toUnits(totals.b2cVolume), count: totals.b2cCount });

/** Service 2.2: the 20 newest raw entries of the two balances and of the holds. */
export const localWalletView = (unit: Unit) => {
  const { wallets, totals } = unit.core;
  return {
    success: true,
    wallet: {
      balance: toUnits(wallets.balance),
      b2cBalance: toUnits(wallets.b2c),
      b2cHeldBalance: toUnits(-wallets.b2cHeld),
      b2cAvailableBalance: toUnits(wallets.b2c + wallets.b2cHeld),
      b2cOutstandingBalance: toUnits(totals.b2cOutstanding),
      b2cHolds: unit.page("hold", { where: { scope: "local" }, limit: 1_000_000 }).map(holdView),
      currency: "KES",
    },
    b2cStats: payoutStats(unit),
    transactions: unit.page("entry", { where: { wallet: ["balance", "b2c", "b2cHeld"] }, limit: 20 }).map(entryView),
  };
};

export const globalWalletView = ({ core: { wallets, totals } }: Unit) => ({
  success: true,
  wallet: {
    currency: globalCurrency,
    availableBalance: toUnits(wallets.global),
    pendingBalance: toUnits(totals.globalPending),
    heldBalance: toUnits(-wallets.globalHeld),
    totalCollected: toUnits(totals.globalCollected),
    totalDisbursed: toUnits(totals.globalDisbursed),
  },
});

export const globalRecordView = (one: Transaction) => ({ reference: one.id, status: one.status, amount: toUnits(one.amount), fee: toUnits(one.fee) });

export const globalRecordDetail = (one: Transaction) => {
  const settled = settledOf(one);
  return {
    ...globalRecordView(one),
    rail: one.provider,
    currency: one.currency,
    party: one.party,
    settledAmount: toUnits(settled.amount.settled),
    settledFee: toUnits(settled.fee.settled),
    createdAt: isoOf(one.createdMs),
    timeline: one.steps,
    failureReason: one.steps.at(-1)?.reason,
    scenario: one.scenario,
    description: one.description,
    ...one.metadata,
  };
};

export const deliveryView = (delivery: Delivery) => ({
  id: delivery.id,
  type: delivery.type,
  transactionId: delivery.transactionId,
  url: delivery.url,
  state: delivery.state,
  createdAt: isoOf(delivery.createdMs),
  nextTryAt: delivery.dueMs === undefined ? undefined : isoOf(delivery.dueMs),
  tries: delivery.tries,
  body: delivery.body,
});

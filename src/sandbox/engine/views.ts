import { asOf, stepsUntil } from "./as-of.ts";
import type { Collection, Delivery, Disbursement, Entry, Transaction } from "./entities.ts";
import { globalCurrency, toUnits } from "./money.ts";
import { type At, isoOf, type Unit } from "./unit.ts";

/** What the world sees of the records (service 2), as they are at the moment it looks. */
export const statusShown = (transaction: Transaction, { nowMs }: At): string =>
  transaction.shown !== undefined && transaction.shown.left > 0 ? transaction.shown.status : asOf(transaction, nowMs).status;

export const transactionSummary = (transaction: Transaction, at: At) => ({
  id: transaction.id,
  reference: transaction.reference,
  amount: toUnits(transaction.amount),
  status: statusShown(transaction, at),
});

export const transactionView = (transaction: Transaction, at: At) => {
  const status = statusShown(transaction, at);
  // A receipt or an end beside an open or failed status would give the lag away.
  const { mobileMoneyReceipt: _receipt, completedAt: _end, ...rest } = transaction.metadata;
  return {
    ...transactionSummary(transaction, at),
    provider: transaction.provider,
    providerRef: transaction.providerRef,
    metadata: status === asOf(transaction, at.nowMs).status ? transaction.metadata : rest,
  };
};

/** With its history, for the dashboard. */
export const transactionDetail = (transaction: Transaction, at: At) => ({
  ...transactionView(transaction, at),
  flow: transaction.group,
  phone: transaction.phone,
  description: transaction.description,
  callbackUrl: transaction.callbackUrl,
  scenario: transaction.scenario,
  createdAt: isoOf(transaction.createdMs),
  timeline: stepsUntil(transaction, at.nowMs),
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
export const entryDetail = (entry: Entry) => ({
  ...entryView(entry),
  wallet: entry.group,
  balanceAfter: toUnits(entry.balanceAfter),
  transactionId: entry.transactionId,
  settlement: entry.settlement && { ...entry.settlement, amount: toUnits(entry.settlement.amount), settled: toUnits(entry.settlement.settled) },
});

/** Service 2.2: the 20 newest raw entries of the two balances and of the holds. */
export const localWalletView = (unit: Unit) => {
  const { wallets, b2cOutstanding, b2cVolume, b2cCount } = unit.core();
  const newest = (["balance", "b2c", "b2cHeld"] as const).flatMap((group) => [...unit.tables.page("entry", { group, limit: 20 })]);
  const entries = newest.sort((left, right) => (left.id < right.id ? 1 : -1));
  const holds = unit.tables.page("hold", { group: "local", limit: 1_000_000 });
  return {
    success: true,
    wallet: {
      balance: toUnits(wallets.balance),
      b2cBalance: toUnits(wallets.b2c),
      b2cHeldBalance: toUnits(-wallets.b2cHeld),
      b2cAvailableBalance: toUnits(wallets.b2c + wallets.b2cHeld),
      b2cOutstandingBalance: toUnits(b2cOutstanding),
      b2cHolds: holds.map((hold) => ({
        id: hold.id,
        amount: toUnits(hold.amount),
        reason: hold.reason,
        holdType: hold.holdType,
        reference: hold.reference,
        createdAt: isoOf(hold.createdMs),
      })),
      currency: "KES",
    },
    b2cStats: { totalVolume: toUnits(b2cVolume), count: b2cCount },
    transactions: entries.slice(0, 20).map(entryView),
  };
};

export const globalWalletView = (unit: Unit) => {
  const core = unit.core();
  return {
    success: true,
    wallet: {
      currency: globalCurrency,
      availableBalance: toUnits(core.wallets.global),
      pendingBalance: toUnits(core.globalPending),
      heldBalance: toUnits(-core.wallets.globalHeld),
      totalCollected: toUnits(core.globalCollected),
      totalDisbursed: toUnits(core.globalDisbursed),
    },
  };
};

export const globalRecordView = (record: Collection | Disbursement) => ({
  reference: record.id,
  status: record.status,
  amount: toUnits(record.amount),
  fee: toUnits(record.fee),
});

export const globalRecordDetail = (record: Collection | Disbursement) => ({
  ...globalRecordView(record),
  rail: record.rail,
  currency: record.currency,
  party: record.party,
  settledAmount: toUnits(record.settledAmount),
  settledFee: toUnits(record.settledFee),
  createdAt: isoOf(record.createdMs),
  timeline: record.steps,
  failureReason: record.failureReason,
  scenario: record.scenario,
  ...("flow" in record ? { flow: record.flow } : { channel: record.channel }),
  ...("description" in record ? { description: record.description } : {}),
});

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

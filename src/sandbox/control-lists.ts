import type { Collection, Transaction } from "./engine/entities.ts";
import { toUnits } from "./engine/money.ts";
import { invalid } from "./engine/refusal.ts";
import { isoOf, type Unit } from "./engine/unit.ts";
import { entryDetail, statusShown, transactionDetail } from "./engine/views.ts";
import type { UnitOfWork } from "./state-queue.ts";

/** A phone is looked at, not a history: the newest of each. */
const lookedAt = 1_000;
/** A search reads no more than this, however long the list is. */
const searchedMax = 5_000;

const common = (record: Transaction | Collection) => ({
  amount: toUnits(record.amount),
  description: record.description,
  status: record.status,
  createdAt: isoOf(record.createdMs),
});

/** Prompts that ring, newest first: pushes, and collections over PUSH rails (service 1.2 and 1.5). Assumed: a collection goes by its reference. */
export const waitingPrompts = (unit: Unit): readonly unknown[] => {
  const pushes = unit.tables.page("tx", { group: "standard", limit: lookedAt }).filter((one) => one.status === "SENT" && one.phone !== "");
  const collections = unit.tables.page("collection", { limit: lookedAt }).filter((one) => one.status === "PENDING" && one.flow === "PUSH");
  const made = [
    ...pushes.map((one) => ({
      createdMs: one.createdMs,
      view: { transactionId: one.id, kind: "stk", phone: one.phone, currency: "KES", reference: one.reference, ...common(one) },
    })),
    ...collections.map((one) => ({
      createdMs: one.createdMs,
      view: { transactionId: one.id, kind: "collection", phone: one.party, currency: one.currency, reference: one.id, rail: one.rail, ...common(one) },
    })),
  ];
  return made.sort((left, right) => right.createdMs - left.createdMs).map(({ view }) => view);
};

export const numberIn = (query: URLSearchParams, name: string, otherwise: number, max: number): number =>
  Math.min(max, Math.max(0, Math.trunc(Number(query.get(name) ?? otherwise)) || 0));

/** A phone as people write it (0712 345 678) is found by its digits; other text in any letter case. */
const asSearched = (text: string): string => {
  const trimmed = text.trim().toLowerCase();
  if (!/^[\d\s()+.-]+$/.test(trimmed)) return trimmed;
  return trimmed.replace(/\D/g, "").replace(/^0(?=[17]\d)/, "254");
};

/** Transactions with whom they are for and when, for a person who looks: by flow, status and a part of reference, id, phone or receipt. */
export const searchTransactions = ({ unit, at, query }: UnitOfWork & { readonly query: URLSearchParams }) => {
  const flow = query.get("flow") ?? "all";
  const group = flow === "standard" || flow === "b2c" ? { group: flow } : {};
  const status = query.get("status") ?? "";
  const text = asSearched(query.get("text") ?? "");
  const [limit, offset] = [numberIn(query, "limit", 25, 200) || 25, numberIn(query, "offset", 0, Number.MAX_SAFE_INTEGER)];
  if (status === "" && text === "") {
    const page = unit.tables.page("tx", { ...group, limit, offset });
    return { transactions: page.map((one) => transactionDetail(one, at)), total: unit.tables.count("tx", group.group) };
  }
  const fits = (one: Transaction): boolean =>
    (status === "" || statusShown(one, at) === status) &&
    (text === "" || `${one.reference} ${one.id} ${one.phone} ${one.metadata["mobileMoneyReceipt"] ?? ""}`.toLowerCase().includes(text));
  const found = unit.tables.page("tx", { ...group, limit: searchedMax }).filter(fits);
  return { transactions: found.slice(offset, offset + limit).map((one) => transactionDetail(one, at)), total: found.length };
};

const wallets = ["balance", "b2c", "global", "b2cHeld", "globalHeld"] as const;
/** What belongs to one payment is sought among this many entries, newest first. */
const entriesMax = 20_000;
/** The entries of a wallet, newest first; with `transaction`, those of one payment. */
export const ledgerOf = ({ unit, query }: UnitOfWork & { readonly query: URLSearchParams }) => {
  const name = query.get("wallet") ?? "balance";
  const wallet = wallets.find((one) => one === name);
  if (wallet === undefined) throw invalid("wallet", `wallet must be one of ${wallets.join(", ")}.`);
  const of = query.get("transaction");
  if (of !== null) {
    const entries = unit.tables.page("entry", { group: wallet, limit: entriesMax }).filter((one) => one.transactionId === of);
    return { wallet, entries: entries.map(entryDetail), total: entries.length };
  }
  const limit = numberIn(query, "limit", 10_000, 10_000) || 10_000;
  const entries = unit.tables.page("entry", { group: wallet, limit, offset: numberIn(query, "offset", 0, Number.MAX_SAFE_INTEGER) });
  return { wallet, entries: entries.map(entryDetail), total: unit.tables.count("entry", wallet) };
};

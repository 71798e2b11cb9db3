import { checkoutToken } from "./api.ts";
import type { Collection, Transaction } from "./engine/entities.ts";
import { toUnits } from "./engine/money.ts";
import { notFound } from "./engine/refusal.ts";
import { isoOf, type Unit } from "./engine/unit.ts";
import { globalRecordDetail, statusShown, transactionDetail } from "./engine/views.ts";
import type { Desk } from "./state-queue.ts";

/** A phone is looked at, not a history: the newest of each. */
const lookedAt = 1_000;
/** A search reads no more than this, however long the list is. */
const searchedMax = 5_000;

const common = (record: Transaction | Collection) => ({
  amount: toUnits(record.amount),
  ...(record.description === undefined ? {} : { description: record.description }),
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

export const numberOf = (query: URLSearchParams, name: string, otherwise: number, max: number): number =>
  Math.min(max, Math.max(0, Math.trunc(Number(query.get(name) ?? otherwise)) || 0));

/** Transactions with whom they are for and when, for a person who looks: by flow, status and a part of reference, id, phone or receipt. */
export const searchTransactions = ({ unit, at }: Desk, query: URLSearchParams) => {
  const flow = query.get("flow") ?? "all";
  const group = flow === "standard" || flow === "b2c" ? { group: flow } : {};
  const status = query.get("status") ?? "";
  const text = (query.get("text") ?? "").trim().toLowerCase();
  const [limit, offset] = [numberOf(query, "limit", 25, 200) || 25, numberOf(query, "offset", 0, Number.MAX_SAFE_INTEGER)];
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

/** One record with its history. */
export const oneOf = ({ unit, at }: Desk, name: "transactions" | "collections" | "disbursements", id: string): unknown => {
  if (name === "transactions") {
    const transaction = unit.tables.get("tx", id);
    if (transaction === undefined) throw notFound("The transaction");
    return transactionDetail(transaction, at);
  }
  const record = name === "collections" ? unit.tables.get("collection", id) : unit.tables.get("disbursement", id);
  if (record === undefined) throw notFound(name === "collections" ? "The collection" : "The withdrawal");
  return { ...globalRecordDetail(record), ...(name === "collections" ? { checkoutToken: checkoutToken(unit.core().seed, id) } : {}) };
};

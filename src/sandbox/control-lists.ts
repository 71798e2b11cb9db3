import { localFlows } from "./endpoints.ts";
import type { Transaction, WalletName } from "./engine/entities.ts";
import { toUnits } from "./engine/money.ts";
import { rings } from "./engine/payments.ts";
import { invalid } from "./engine/refusal.ts";
import { isoOf, type Unit } from "./engine/unit.ts";
import { entryDetail, statusShown, transactionDetail } from "./engine/views.ts";

/** A phone is looked at, not a history: the newest alone. */
const lookedAt = 1_000;
/** A search reads no more than this, however long the list is. */
const searchedMax = 5_000;

/** Prompts that ring, newest first: pushes, and collections over PUSH rails (service 1.2 and 1.5). Assumed: a collection goes by its reference. */
export const waitingPrompts = (unit: Unit) =>
  unit
    .page("tx", { where: { flow: ["standard", "collection"], status: ["SENT", "PENDING"] }, limit: lookedAt })
    .filter(rings)
    .map((one) => ({
      transactionId: one.id,
      kind: one.flow === "collection" ? ("collection" as const) : ("stk" as const),
      phone: one.party,
      amount: toUnits(one.amount),
      currency: one.currency,
      reference: one.reference,
      rail: one.flow === "collection" ? one.provider : undefined,
      description: one.description,
      status: one.status,
      createdAt: isoOf(one.createdMs),
    }));

export const numberIn = (query: URLSearchParams, name: string, otherwise: number, max: number): number =>
  Math.min(max, Math.max(0, Math.trunc(Number(query.get(name) ?? otherwise)) || 0));
const offsetIn = (query: URLSearchParams): number => numberIn(query, "offset", 0, Number.MAX_SAFE_INTEGER);

/** A phone as people write it (0712 345 678) is found by its digits; other text in any letter case. */
const asSearched = (text: string): string => {
  const trimmed = text.trim().toLowerCase();
  if (!/^[\d\s()+.-]+$/.test(trimmed)) return trimmed;
  return trimmed.replace(/\D/g, "").replace(/^0(?=[17]\d)/, "254");
};

/** Transactions with whom they are for and when, for a person who looks: by flow, status and a part of reference, id, phone or receipt. */
export const searchTransactions = (unit: Unit, query: URLSearchParams) => {
  const where = { flow: localFlows.find((flow) => flow === query.get("flow")) ?? localFlows };
  const status = query.get("status") ?? "";
  const text = asSearched(query.get("text") ?? "");
  const [limit, offset] = [numberIn(query, "limit", 25, 200) || 25, offsetIn(query)];
  if (status === "" && text === "") return { transactions: unit.page("tx", { where, limit, offset }).map(transactionDetail), total: unit.count("tx", where) };
  const fits = (one: Transaction): boolean =>
    (status === "" || statusShown(one) === status) &&
    (text === "" || `${one.reference} ${one.id} ${one.party} ${one.metadata["mobileMoneyReceipt"] ?? ""}`.toLowerCase().includes(text));
  const found = unit.page("tx", { where, limit: searchedMax }).filter(fits);
  return { transactions: found.slice(offset, offset + limit).map(transactionDetail), total: found.length };
};

const wallets: readonly WalletName[] = ["balance", "b2c", "global", "b2cHeld", "globalHeld"];
/** The entries of a wallet, newest first; with `transaction`, those of one payment. */
export const ledgerOf = (unit: Unit, query: URLSearchParams) => {
  const name = query.get("wallet") ?? "balance";
  const wallet = wallets.find((one) => one === name);
  if (wallet === undefined) throw invalid("wallet", `wallet must be one of ${wallets.join(", ")}.`);
  const transactionId = query.get("transaction");
  const where = { wallet, ...(transactionId === null ? {} : { transactionId }) };
  const entries = unit.page("entry", { where, limit: numberIn(query, "limit", 10_000, 10_000) || 10_000, offset: offsetIn(query) });
  return { wallet, entries: entries.map(entryDetail), total: unit.count("entry", where) };
};

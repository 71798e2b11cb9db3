import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import type { Client } from "../ports.ts";
import { listAllByPages } from "../transactions/list-transactions.ts";
import type { Mirror } from "../transactions/mirror.ts";
import { findReceipt } from "../transactions/receipt.ts";
import { classifyStatus, type Direction } from "../transactions/status.ts";
import { detailsConcurrency, eachBounded, readDetails } from "../transactions/sync-details.ts";
import { minorOfJsonNumber } from "./amounts.ts";
import { emptyRecord, type FileRecord, type Side } from "./record.ts";

const pageSize = 100;

export type ServiceOptions = {
  /** Receipts are only in the details: one request for each transaction, except those that the mirror has. */
  readonly details: boolean;
  readonly mirror?: Mirror | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((label: string, done: number, total: number | undefined) => void) | undefined;
};

// The document shows no dates of a transaction; where the service gives one, the moment it was paid comes first.
const dateFields = ["completedAt", "paidAt", "createdAt", "created_at", "timestamp", "date", "updatedAt"] as const;
const dateOf = (transaction: Json): string | undefined => {
  for (const name of dateFields) {
    const text = textOf(fieldOf(transaction, name));
    if (text !== undefined && /^\d{4}-\d{2}-\d{2}/.test(text)) return text;
  }
  return undefined;
};

/** A transaction as a record. What its details lack is taken from `listed`; only the list it came from tells its direction. */
export const recordOfTransaction = (transaction: Json, direction: Direction, listed?: FileRecord): FileRecord => {
  const id = textOf(fieldOf(transaction, "id")) ?? "";
  const status = textOf(fieldOf(transaction, "status")) ?? "";
  const amount = textOf(fieldOf(transaction, "amount"));
  if (amount === undefined && listed?.unreadable !== undefined) return listed;
  const amountMinor = amount === undefined ? listed?.amountMinor : minorOfJsonNumber(amount);
  if (amountMinor === undefined) return { ...emptyRecord, id, status, direction, unreadable: `the amount ${amount ?? ""} is no sum of whole cents` };
  const reference = textOf(fieldOf(transaction, "reference"))?.trim() ?? listed?.reference;
  return {
    line: undefined,
    id,
    receipt: findReceipt(transaction)?.text,
    reference: reference === "" ? undefined : reference,
    amountMinor,
    state: classifyStatus(status, direction),
    status,
    direction,
    at: dateOf(transaction) ?? listed?.at,
  };
};

/** Everything the service holds, listed live: each flow by itself, as that alone tells money in from money out. */
export const readServiceSide = async (client: Client, options: ServiceOptions): Promise<Side> => {
  const { signal, onProgress } = options;
  const records: FileRecord[] = [];
  // Payouts first: they are fewer, and only the first list has to be remembered by id.
  const payouts = new Map<string, number>();
  for (const [flow, direction, label] of [
    ["b2c", "out", "Payouts"],
    ["standard", "in", "Payments"],
  ] as const) {
    const before = records.length;
    const onPage = (page: { readonly total: number | undefined }): void => onProgress?.(label, records.length - before, page.total);
    for await (const page of listAllByPages(client, { flow, pageSize, signal, onPage })) {
      for (const row of page) {
        const record = recordOfTransaction(row, direction);
        const index = payouts.get(record.id ?? "");
        const payout = index === undefined ? undefined : records[index];
        // A service that lists it under both flows does not tell its direction.
        if (index !== undefined && payout !== undefined) records[index] = { ...payout, direction: "unknown" };
        else {
          if (flow === "b2c" && record.id !== "") payouts.set(record.id ?? "", records.length);
          records.push(record);
        }
      }
    }
  }
  if (options.details) await addDetails(client, records, options);
  return { kind: "service", records };
};

const addDetails = async (client: Client, records: FileRecord[], { mirror, signal, onProgress }: ServiceOptions): Promise<void> => {
  let done = 0;
  await eachBounded(records.entries(), detailsConcurrency, async ([index, listed]) => {
    const { id = "", status = "", direction } = listed;
    const details = id === "" ? undefined : (mirror?.finalDetails(id, status) ?? (await readDetails(client, id, signal)));
    if (details !== undefined) records[index] = recordOfTransaction(details, direction, listed);
    done += 1;
    onProgress?.("Details", done, records.length);
  });
};

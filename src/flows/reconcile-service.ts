import type { FileRecord, Side } from "../domain/reconcile/record.ts";
import { recordOfTransaction } from "../domain/reconcile/transactions.ts";
import type { Direction } from "../domain/status.ts";
import type { Client } from "../kernel/context.ts";
import { fieldOf, type Json, textOf } from "../kernel/exact-json.ts";
import type { Mirror } from "../store/mirror.ts";
import { receiptIn } from "../store/mirror-tokens.ts";
import { listAll } from "./list-transactions.ts";
import { detailsConcurrency, eachBounded, readDetails } from "./sync-details.ts";

const pageSize = 100;

export type ServiceOptions = {
  /** Receipts are only in the details: one request each, but for those the mirror has. */
  readonly details: boolean;
  readonly mirror?: Mirror | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((label: string, done: number, total: number | undefined) => void) | undefined;
};
export type ServiceSide = { readonly side: Side; readonly calls: number /** Some transaction had a date. */; readonly dated: boolean };

// The document shows no dates of a transaction; where the service gives one, the moment it was paid comes first.
const dateFields = ["completedAt", "paidAt", "createdAt", "created_at", "timestamp", "date", "updatedAt"] as const;
const dateOf = (transaction: Json): string | undefined => {
  for (const name of dateFields) {
    const text = textOf(fieldOf(transaction, name));
    if (text !== undefined && /^\d{4}-\d{2}-\d{2}/.test(text)) return text;
  }
  return undefined;
};

const toRecord = (transaction: Json, direction: Direction, listed?: Json): FileRecord =>
  recordOfTransaction({
    id: textOf(fieldOf(transaction, "id")) ?? "",
    reference: textOf(fieldOf(transaction, "reference")) ?? textOf(fieldOf(listed, "reference")),
    amount: textOf(fieldOf(transaction, "amount")) ?? textOf(fieldOf(listed, "amount")),
    status: textOf(fieldOf(transaction, "status")) ?? "",
    direction,
    receipt: receiptIn(transaction),
    at: dateOf(transaction) ?? dateOf(listed ?? null),
  });

/** Everything the service holds, listed live: each flow by itself, as that alone tells money in from money out. */
export const readServiceSide = async (client: Client, options: ServiceOptions): Promise<ServiceSide> => {
  const { signal, onProgress } = options;
  const records: FileRecord[] = [];
  const listed: Json[] = [];
  const places = new Map<string, number>();
  let calls = 0;
  // Payouts first: they are the fewer, and only the first list has to be remembered.
  for (const [flow, direction, label] of [
    ["b2c", "out", "Payouts"],
    ["standard", "in", "Payments"],
  ] as const) {
    const before = records.length;
    const onPage = (page: { readonly total: number | undefined }): void => {
      calls += 1;
      onProgress?.(label, records.length - before, page.total);
    };
    for await (const row of listAll(client, { flow, pageSize, signal, onPage })) {
      const id = textOf(fieldOf(row, "id")) ?? "";
      const place = places.get(id);
      if (place !== undefined && id !== "") {
        // A service that lists it under both flows does not tell its direction.
        const known = records[place];
        if (known !== undefined) records[place] = { ...known, direction: "unknown" };
        continue;
      }
      if (flow === "b2c") places.set(id, records.length);
      records.push(toRecord(row, direction));
      if (options.details) listed.push(row);
    }
  }
  if (options.details) calls += await addDetails(client, records, listed, options);
  return { side: { kind: "service", records }, calls, dated: records.some((record) => record.at !== undefined) };
};

const addDetails = async (client: Client, records: FileRecord[], listed: readonly Json[], options: ServiceOptions): Promise<number> => {
  let calls = 0;
  let done = 0;
  await eachBounded(records.keys(), detailsConcurrency, async (index) => {
    const record = records[index];
    if (record?.id === undefined || record.id === "") return;
    let details = record.status === undefined ? undefined : options.mirror?.finalDetails(record.id, record.status);
    if (details === undefined) {
      calls += 1;
      details = await readDetails(client, record.id, options.signal);
    }
    if (details !== undefined) records[index] = toRecord(details, record.direction, listed[index]);
    done += 1;
    options.onProgress?.("Details", done, records.length);
  });
  return calls;
};

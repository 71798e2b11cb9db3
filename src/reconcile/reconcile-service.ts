import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import type { Client } from "../ports.ts";
import { createHeldTransactions, type HeldTransactions } from "../transactions/held-transactions.ts";
import { listAllByPages } from "../transactions/list-transactions.ts";
import type { Mirror } from "../transactions/mirror.ts";
import { receiptIn } from "../transactions/mirror-tokens.ts";
import type { Direction } from "../transactions/status.ts";
import { detailsConcurrency, eachBounded, readDetails } from "../transactions/sync-details.ts";
import { createTexts } from "../transactions/texts.ts";
import { createKeys, type Keys } from "./keys.ts";
import type { StoredSide } from "./stored-side.ts";
import type { TransactionFacts } from "./transactions.ts";

const pageSize = 100;

export type ServiceOptions = {
  /** Receipts are only in the details: one request each, but for those the mirror has. */
  readonly details: boolean;
  readonly mirror?: Mirror | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((label: string, done: number, total: number | undefined) => void) | undefined;
};
export type ServiceSide = { readonly side: StoredSide; readonly calls: number /** Some transaction had a date. */; readonly dated: boolean };

// The document shows no dates of a transaction; where the service gives one, the moment it was paid comes first.
const dateFields = ["completedAt", "paidAt", "createdAt", "created_at", "timestamp", "date", "updatedAt"] as const;
const dateOf = (transaction: Json): string | undefined => {
  for (const name of dateFields) {
    const text = textOf(fieldOf(transaction, name));
    if (text !== undefined && /^\d{4}-\d{2}-\d{2}/.test(text)) return text;
  }
  return undefined;
};

const factsOf = (transaction: Json, direction: Direction, listed?: TransactionFacts): TransactionFacts => ({
  id: textOf(fieldOf(transaction, "id")) ?? "",
  reference: textOf(fieldOf(transaction, "reference")) ?? listed?.reference,
  amount: textOf(fieldOf(transaction, "amount")) ?? listed?.amount,
  status: textOf(fieldOf(transaction, "status")) ?? "",
  direction,
  receipt: receiptIn(transaction),
  at: dateOf(transaction) ?? listed?.at,
});

/** Everything the service holds, listed live: each flow by itself, as that alone tells money in from money out. */
export const readServiceSide = async (client: Client, keys: Keys, options: ServiceOptions): Promise<ServiceSide> => {
  const { signal, onProgress } = options;
  // Beside a statement the rows are made of the details, and what the list said is looked up until then.
  const listed = options.details ? createHeldTransactions(createKeys()) : undefined;
  const held = createHeldTransactions(keys);
  const first = listed ?? held;
  const payouts = createTexts();
  const places: number[] = [];
  let calls = 0;
  // Payouts first: they are the fewer, and only the first list has to be remembered.
  for (const [flow, direction, label] of [
    ["b2c", "out", "Payouts"],
    ["standard", "in", "Payments"],
  ] as const) {
    const before = first.rows.count();
    const onPage = (page: { readonly total: number | undefined }): void => {
      calls += 1;
      onProgress?.(label, first.rows.count() - before, page.total);
    };
    for await (const page of listAllByPages(client, { flow, pageSize, signal, onPage })) {
      for (const row of page) {
        const id = textOf(fieldOf(row, "id")) ?? "";
        const place = places[payouts.find(id)];
        if (place !== undefined && id !== "") {
          // A service that lists it under both flows does not tell its direction.
          first.rows.setUnknownDirection(place);
          continue;
        }
        if (flow === "b2c") places[payouts.idOf(id)] = first.rows.count();
        first.add(factsOf(row, direction));
      }
    }
  }
  if (listed !== undefined) calls += await addDetails(client, listed, held, options);
  return { side: { kind: "service", rows: held.rows, collect: held.collect }, calls, dated: held.isDated() };
};

const addDetails = async (client: Client, listed: HeldTransactions, held: HeldTransactions, options: ServiceOptions): Promise<number> => {
  let calls = 0;
  let done = 0;
  const count = listed.rows.count();
  await eachBounded(Array(count).keys(), detailsConcurrency, async (index) => {
    const known = listed.factsAt(index);
    let details = known.id === "" ? undefined : options.mirror?.finalDetails(known.id, known.status);
    if (details === undefined && known.id !== "") {
      calls += 1;
      details = await readDetails(client, known.id, options.signal);
    }
    held.add(details === undefined ? known : factsOf(details, known.direction, known));
    done += 1;
    options.onProgress?.("Details", done, count);
  });
  return calls;
};

import { CliError } from "../errors.ts";
import type { Client } from "../ports.ts";
import type { Flow } from "../service/contract/limits.ts";
import { findReceipt } from "../transactions/fields.ts";
import { type ListAllOptions, listAllByPages } from "../transactions/list-transactions.ts";
import type { Mirror } from "../transactions/mirror.ts";
import type { Seen } from "../transactions/mirror-save.ts";
import { phoneIn } from "../transactions/mirror-tokens.ts";
import { classifyStatus, type Direction } from "../transactions/status.ts";
import { detailsConcurrency, eachBounded, readDetails } from "../transactions/sync-details.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { minorOfJsonNumber } from "./amounts.ts";
import { emptyRecord, type FileRecord, type NewRecord, type Side } from "./record.ts";
import type { TransactionTimes } from "./transaction-times.ts";

/** How many rows a page may have is not shown (service 8): a service that refuses so many is asked for fewer, one that caps them is read on. */
const pageSize = 1000;
const modestPageSize = 100;

export type ServiceOptions = {
  /** Which transactions are compared (service 4, GET transactions). */
  readonly flow: Flow;
  readonly timeOf: TransactionTimes;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((label: string, done: number, total: number | undefined) => void) | undefined;
};

/** A transaction as a record. What its details lack is taken from `listed`; only the list it came from tells its direction. */
export const recordOfTransaction = (transaction: Transaction, direction: Direction, listed?: FileRecord, timeOf?: TransactionTimes): FileRecord => {
  const { id = "", status = "", amount, body } = transaction;
  if (amount === undefined && listed?.unreadable !== undefined) return listed;
  const amountMinor = amount === undefined ? listed?.amountMinor : minorOfJsonNumber(amount);
  if (amountMinor === undefined) return { ...emptyRecord, id, status, direction, unreadable: `the amount ${amount ?? ""} is no sum of whole cents` };
  const reference = transaction.reference?.trim() ?? listed?.reference;
  const record: NewRecord = {
    id,
    reference: reference === "" ? undefined : reference,
    amountMinor,
    state: classifyStatus(status, direction),
    status,
    direction,
  };
  const receipt = findReceipt(body)?.text;
  const at = timeOf?.(body) ?? listed?.at;
  // A list shows no phone (service 2.1), and looking for one in a million rows would cost more than the rest.
  const phone = listed === undefined ? undefined : phoneIn(body);
  if (receipt !== undefined) record.receipt = receipt;
  if (at !== undefined) record.at = at;
  if (phone !== undefined) record.phone = phone;
  return record;
};

const flowsOf: Readonly<Record<Flow, readonly ("standard" | "b2c")[]>> = {
  // Payouts first: they are fewer, and only the first list has to be remembered by id.
  all: ["b2c", "standard"],
  b2c: ["b2c"],
  standard: ["standard"],
};

async function* pagesOf(client: Client, options: Omit<ListAllOptions, "pageSize">): AsyncGenerator<readonly Transaction[], void, undefined> {
  let hasAnswered = false;
  try {
    for await (const page of listAllByPages(client, { ...options, pageSize })) {
      hasAnswered = true;
      yield page;
    }
  } catch (error) {
    if (hasAnswered || !(error instanceof CliError) || error.kind !== "rejected" || error.status === 429) throw error;
    yield* listAllByPages(client, { ...options, pageSize: modestPageSize });
  }
}

/** What the service holds of a flow, listed live: each by itself, as that alone tells money in from money out. */
export const readServiceSide = async (client: Client, { flow: wanted, timeOf, signal, onProgress }: ServiceOptions): Promise<Side> => {
  const records: FileRecord[] = [];
  const payouts = new Map<string, number>();
  for (const flow of flowsOf[wanted]) {
    const [direction, label] = flow === "b2c" ? (["out", "Payouts"] as const) : (["in", "Payments"] as const);
    const before = records.length;
    const onPage = (page: { readonly total: number | undefined }): void => onProgress?.(label, records.length - before, page.total);
    for await (const page of pagesOf(client, { flow, signal, onPage })) {
      for (const row of page) {
        const record = recordOfTransaction(row, direction, undefined, timeOf);
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
  return { kind: "service", records };
};

export type DetailOptions = Pick<ServiceOptions, "timeOf" | "signal" | "onProgress"> & {
  /** Spares the request for a transaction that was final when it was last read, and keeps what is read. */
  readonly mirror?: Mirror | undefined;
  /** ISO 8601 UTC: when the details are read. */
  readonly now: () => string;
};

/** Details are saved so many at a time: a stop in between loses no more. */
const saveEvery = 256;

/** The same rows with what GET transactions/:id says of each (service 4): receipt, time and phone. A row that it does not know stays as listed. */
export const readDetailsOf = async (client: Client, listed: readonly FileRecord[], options: DetailOptions): Promise<ReadonlyMap<FileRecord, FileRecord>> => {
  const { mirror, timeOf, signal, onProgress } = options;
  const found = new Map<FileRecord, FileRecord>();
  let waiting: Seen[] = [];
  let keeps = mirror !== undefined;
  const keep = (): void => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0 || !keeps) return;
    try {
      mirror?.save(batch, options.now());
    } catch {
      // A mirror that cannot be written spares no requests next time, and changes nothing else.
      keeps = false;
    }
  };
  let done = 0;
  await eachBounded(listed, detailsConcurrency, async (record) => {
    const { id = "", status = "", direction } = record;
    const known = id === "" ? undefined : mirror?.finalDetails(id, status);
    const details = known ?? (id === "" ? undefined : await readDetails(client, id, signal));
    if (details !== undefined) {
      const detailed = recordOfTransaction(details, direction, record, timeOf);
      found.set(record, detailed);
      // One without a time is not kept: that the mirror has never seen it says that it is new.
      if (known === undefined && mirror !== undefined && detailed.at !== undefined && direction !== "unknown")
        waiting.push({ flow: direction === "out" ? "b2c" : "standard", transaction: details, detailed: true });
      if (waiting.length >= saveEvery) keep();
    }
    done += 1;
    onProgress?.("Details", done, listed.length);
  });
  keep();
  return found;
};

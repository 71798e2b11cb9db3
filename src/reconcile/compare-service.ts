import type { Client } from "../ports.ts";
import type { Flow } from "../service/contract/limits.ts";
import type { Mirror } from "../transactions/mirror.ts";
import { createDateReader } from "./dates.ts";
import { type Bounds, type PairedSides, pairSides, type ReconcileOptions, undatedLeft } from "./judge.ts";
import { type Compared, comparePaired } from "./reconcile.ts";
import { type DetailOptions, readDetailsOf, readServiceSide } from "./reconcile-service.ts";
import type { FileRecord, Side } from "./record.ts";
import { createTransactionTimes } from "./transaction-times.ts";

export type ServiceComparison = {
  readonly flow: Flow;
  /** IANA name: the zone of times without one, and of the days. */
  readonly zone: string;
  /** The file's own days, if known. */
  readonly period: ReconcileOptions["period"];
  readonly mirror?: Mirror | undefined;
  readonly signal?: AbortSignal | undefined;
  /** ISO 8601 UTC. */
  readonly now: () => string;
  readonly onProgress?: DetailOptions["onProgress"];
};

/**
 * Compares a file with all that the service lists now. Receipts are only in a transaction's details (service 2.1), so beside a
 * file with receipts all details are read; else only those of rows left over, for their days.
 */
export const compareWithService = async (
  client: Client,
  ours: Side,
  options: ServiceComparison,
): Promise<{ readonly theirs: Side; readonly compared: Compared; readonly dated: boolean }> => {
  const { zone, period, mirror } = options;
  const timeOf = createTransactionTimes(zone);
  const listed = await readServiceSide(client, { ...options, timeOf });
  const details: DetailOptions = { ...options, timeOf };
  const isDetailed = ours.records.some(({ receipt }) => receipt !== undefined);
  const theirs = isDetailed ? await withDetails(client, listed, details) : listed;
  const boundsOf = (record: FileRecord): Bounds => boundsIn(mirror, record);
  const judging: ReconcileOptions = { period, dayOf: createDateReader(zone).dayOf, boundsOf };
  const sides = pairSides(ours, theirs, judging);
  const paired = isDetailed ? sides : await withDays(client, sides, judging, details);
  return { theirs, compared: comparePaired(paired, judging), dated: paired.pairing.theirsLeft.every(({ at }) => at !== undefined) };
};

const withDetails = async (client: Client, side: Side, options: DetailOptions): Promise<Side> => {
  const found = await readDetailsOf(client, side.records, options);
  return { ...side, records: side.records.map((record) => found.get(record) ?? record) };
};

/** Reads the days of rows left over, where they decide something. */
const withDays = async (client: Client, sides: PairedSides, judging: ReconcileOptions, options: DetailOptions): Promise<PairedSides> => {
  const undated = judging.period === undefined ? [] : undatedLeft(sides, judging);
  if (undated.length === 0) return sides;
  const found = await readDetailsOf(client, undated, options);
  const theirsLeft = sides.pairing.theirsLeft.map((entry) => found.get(entry) ?? entry);
  return { ...sides, pairing: { ...sides.pairing, theirsLeft } };
};

/** A sync takes a while: what it did not list may have been made so long before it ended. */
const syncMs = 3_600_000;

/** What the mirror's own times say of a transaction: it is older than its first sight, and one never seen is younger than the last sync. */
const boundsIn = (mirror: Mirror | undefined, { id }: FileRecord): Bounds => {
  if (mirror === undefined || id === undefined) return {};
  const notAfter = mirror.firstSeen([id]).get(id);
  if (notAfter !== undefined) return { notAfter };
  const syncedAt = mirror.syncedAt();
  return syncedAt === undefined ? {} : { notBefore: new Date(Date.parse(syncedAt) - syncMs).toISOString() };
};

import type { Client } from "../ports.ts";
import type { Flow } from "../service/contract/limits.ts";
import type { Mirror } from "../transactions/mirror.ts";
import { openRowsOf, withCarried } from "./carry.ts";
import { createDateReader } from "./dates.ts";
import { type Bounds, type PairedSides, pairSides, type ReconcileOptions, undatedLeft } from "./judge.ts";
import type { Memory } from "./memory.ts";
import { provePayouts } from "./payout-list.ts";
import { type Compared, comparePaired } from "./reconcile.ts";
import { type DetailOptions, readDetailsOf, readServiceSide } from "./reconcile-service.ts";
import type { FileRecord, Side } from "./record.ts";
import { createTransactionTimes } from "./transaction-times.ts";

export type ServiceComparison = {
  /** What the file is called. */
  readonly file: string;
  readonly flow: Flow;
  /** IANA name: the zone of times without one, and of the days. */
  readonly zone: string;
  readonly mirror?: Mirror | undefined;
  /** What earlier runs paired and left open; absent if it cannot be used. */
  readonly memory?: Memory | undefined;
  readonly signal?: AbortSignal | undefined;
  /** ISO 8601 UTC. */
  readonly now: () => string;
  readonly onProgress?: DetailOptions["onProgress"];
};
/** The file that is compared. */
export type FileHere = {
  /** Does it have receipts, or may it have them? */
  readonly hasReceipts: boolean;
  /** Reads it, also by what the service holds; `period` are its own days, if known. */
  readonly read: (theirs: Side) => Promise<{ readonly side: Side; readonly period: ReconcileOptions["period"] }>;
};
export type ComparedWithService = {
  readonly theirs: Side;
  readonly compared: Compared;
  /** Each row that is missing here has a date. */
  readonly dated: boolean;
  /** Rows here that money out there proves to be payouts, if it proves the file to be a list of them. */
  readonly payoutProofs: number | undefined;
  /** Why this run is not remembered, if it is not. */
  readonly notRemembered: string | undefined;
};

/**
 * Compares a file with all that the service lists now, and remembers what was paired. Receipts are only in a transaction's
 * details (service 2.1), so beside a file with receipts all details are read; else only those of rows left over, for their days.
 */
export const compareWithService = async (client: Client, here: FileHere, options: ServiceComparison): Promise<ComparedWithService> => {
  const { zone, mirror, memory } = options;
  const timeOf = createTransactionTimes(zone);
  const listed = await readServiceSide(client, { ...options, timeOf });
  const details: DetailOptions = { ...options, timeOf };
  const isDetailed = here.hasReceipts;
  const theirs = isDetailed ? await withDetails(client, listed, details) : listed;
  const { side: file, period } = await here.read(theirs);
  const proved = provePayouts(file, theirs);
  const carried = withCarried(proved?.side ?? file, memory?.carried() ?? [], { file: options.file, period });
  const judging: ReconcileOptions = {
    file: options.file,
    period,
    dayOf: createDateReader(zone).dayOf,
    boundsOf: (record) => boundsIn(mirror, record),
    pairedBefore: memory === undefined ? undefined : (record) => memory.pairedBefore(record)?.with,
  };
  const sides = pairSides(carried.side, theirs, judging);
  const paired = isDetailed ? sides : await withDays(client, sides, judging, details);
  const compared = comparePaired(paired, judging);
  const ended = openRowsOf({ sides: paired, compared, gone: carried.replaced }, { period, dayOf: judging.dayOf, file: options.file, now: options.now() });
  const dated = undatedLeft(paired, judging).length === 0;
  return { theirs, compared, dated, payoutProofs: proved?.proofs, notRemembered: remember(memory, ended) };
};

/** The comparison stands also where it cannot be remembered; then the next one is told less. */
const remember = (memory: Memory | undefined, ended: Parameters<Memory["save"]>[0]): string | undefined => {
  try {
    memory?.save(ended);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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

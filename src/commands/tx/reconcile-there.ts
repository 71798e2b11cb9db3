import { basename } from "node:path";
import type { JsonObject } from "../../json/exact-json.ts";
import { groupedCount } from "../../money/grouped.ts";
import { progressLine } from "../../output/progress-line.ts";
import type { Account, Context } from "../../ports.ts";
import { type ComparedWithService, compareWithService } from "../../reconcile/compare-service.ts";
import { createDateReader } from "../../reconcile/dates.ts";
import { inputOf, notesOf as notesOfFile, serviceInput } from "../../reconcile/describe-input.ts";
import type { FileSide, OpenInput } from "../../reconcile/input.ts";
import { carriedMax, type Memory, openMemory } from "../../reconcile/memory.ts";
import { provePayouts } from "../../reconcile/payout-list.ts";
import type { Period } from "../../reconcile/period.ts";
import { type Compared, compareSides, nothingPairs, otherZone } from "../../reconcile/reconcile.ts";
import type { Side } from "../../reconcile/record.ts";
import { currenciesIn, onlySameCurrency } from "../../reconcile/same-currency.ts";
import { settleAlone, settleFiles } from "../../reconcile/settle-sides.ts";
import { openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-schema.ts";
import type { ReportInput } from "./report.ts";

/** Both sides, read and compared. */
export type Comparison = {
  readonly compared: Compared;
  /** As `inputs` of the JSON document. */
  readonly inputs: readonly JsonObject[];
  readonly shown: readonly ReportInput[];
  readonly profile?: string;
  /** Why what is missing here may be of other days; undefined if the days are known on both sides. */
  readonly undated: string | undefined;
  /** What amounts are in; two codes if a side has both. */
  readonly currency: string;
  /** For people; the inputs have them too. */
  readonly notes: readonly string[];
};
type Wanted = { readonly zone: string; readonly flow: string; readonly forget: boolean; readonly days: Period | undefined };

const shownInput = ({ name, side, period, faults }: FileSide): ReportInput => ({
  name,
  kind: side.kind,
  rows: side.records.length,
  period,
  sumsHold: faults.length === 0,
});
const withDays = (file: FileSide, days: Period | undefined): FileSide => (days === undefined ? file : { ...file, period: days });
const toldOf = (file: FileSide): readonly string[] => notesOfFile(file).map((note) => `${basename(file.name)}: ${note}`);

const undatedNote = (here: Period | undefined, isDatedThere: boolean): string | undefined => {
  if (here === undefined) return "The file here has no dates, so what is missing in it may belong to other days: --period says which are its days.";
  return isDatedThere ? undefined : "Not all payments there have a date that is known, so what is missing here may belong to other days than this file.";
};

const namesCurrencies = (...sides: readonly Side[]): string =>
  sides.some(({ records }) => records.some(({ currency, unreadable }) => currency === undefined && unreadable === undefined))
    ? "; a row that names no currency is compared as if it were in that of the other"
    : "";

/** Compares two files. Throws Unproved if a column of one is not proved. */
export const compareFiles = async (first: OpenInput, second: OpenInput, { zone, days }: Pick<Wanted, "zone" | "days">): Promise<Comparison> => {
  const { ours: read, theirs } = await settleFiles(first, second);
  const ours = withDays(read, days);
  const [here, there] = [onlySameCurrency(ours.side, theirs.side), onlySameCurrency(theirs.side, ours.side)];
  const proved = provePayouts(here, there);
  const compared = compareSides(proved?.side ?? here, there, { period: ours.period, dayOf: createDateReader(zone).dayOf });
  const currencies = currenciesIn(here, there);
  const currency = currencies.join(" and ");
  const added = [
    ...(proved === undefined ? [] : [payoutNote(proved.proofs)]),
    ...nothingPairs(compared),
    ...otherZone(compared),
    ...(currencies.length === 1 ? [] : [`The sums add amounts in ${currency}, without converting them${namesCurrencies(here, there)}.`]),
  ];
  return {
    compared,
    inputs: [{ ...inputOf(ours), notes: [...notesOfFile(ours), ...added] }, inputOf(theirs)],
    shown: [shownInput(ours), shownInput(theirs)],
    undated: undatedNote(ours.period, theirs.period !== undefined),
    currency,
    notes: [...toldOf(ours), ...added, ...toldOf(theirs)],
  };
};

export type Comparing = Pick<Context, "account" | "client" | "paths" | "progress" | "clock" | "signal">;
/** Compares a file with all that the service lists now, and remembers what was paired. Throws Unproved if a column is not proved. */
export const compareService = async (input: OpenInput, { zone, flow, forget, days }: Wanted, context: Comparing): Promise<Comparison> => {
  const alone = await settleAlone(input);
  const account = await context.account();
  const client = await context.client({ bulk: true });
  // It only spares requests: without it, or without a folder for it, the comparison is the same.
  const openCopy = async () => await openMirror(context.paths.data, mirrorKey(account));
  const mirror = await openCopy().catch(() => undefined);
  const opened = await memoryIfUsable(context, account, alone.kind);
  const memory = typeof opened === "string" ? undefined : opened;
  if (forget) memory?.forget();
  const line = context.progress();
  const startedMs = context.clock.monotonic();
  let ours: FileSide | undefined;
  const read = async (service: Side): Promise<FileSide> => {
    const file = withDays(await alone.settle(service), days);
    ours = file;
    return { ...file, side: onlySameCurrency(file.side, service) };
  };
  try {
    const result = await compareWithService(
      client,
      { hasReceipts: alone.hasReceipts, read },
      {
        file: input.name,
        flow: flow === "standard" || flow === "b2c" ? flow : "all",
        zone,
        mirror,
        memory,
        signal: context.signal,
        now: () => new Date(context.clock.now()).toISOString(),
        onProgress: (label, done, total) =>
          line.update(progressLine({ label, done, ...(total === undefined ? {} : { total }), startedMs, nowMs: context.clock.monotonic() })),
      },
    );
    const rows = result.theirs.records.length;
    const notes = [...(typeof opened === "string" ? [opened] : []), ...notesOf(result)];
    const without = flow === "b2c" ? "" : " --flow b2c leaves out the payments in that are there.";
    const payouts = [
      ...(result.payoutProofs === undefined ? [] : [`${payoutNote(result.payoutProofs)}${without}`]),
      ...nothingPairs(result.compared),
      ...otherZone(result.compared),
    ];
    const { baseUrl } = account;
    const files = ours === undefined ? [] : [ours];
    return {
      compared: result.compared,
      inputs: [...files.map((file) => ({ ...inputOf(file), notes: [...notesOfFile(file), ...payouts] })), serviceInput({ baseUrl, flow, rows }, notes)],
      shown: [...files.map(shownInput), { name: `the service at ${baseUrl}`, kind: "service", rows, period: undefined, sumsHold: true }],
      profile: account.profile,
      undated: undatedNote(ours?.period, result.dated),
      currency: "KES",
      notes: [...files.flatMap(toldOf), ...payouts, ...notes],
    };
  } finally {
    line.end();
    mirror?.dispose();
    memory?.dispose();
  }
};

const payoutNote = (proofs: number): string =>
  `The file here is read as a list of payouts, as ${groupedCount(proofs)} of its rows have the receipt or reference, and the amount, of money out there.`;

const notesOf = ({ notRemembered, compared }: ComparedWithService): readonly string[] => {
  const notes: string[] = [];
  if (compared.carried.length === carriedMax) notes.push(`Only the newest ${groupedCount(carriedMax)} rows that earlier files left open are carried forward.`);
  if (notRemembered !== undefined) notes.push(notRemembered);
  return notes;
};

/** Without a profile, keys at the same address are told apart by their last characters: each is another merchant's. */
const profileOf = ({ profile, keySource, keyHint }: Account): string => (keySource === "env" ? `${profile} ${keyHint}` : profile);

/** Or why it cannot be used: the comparison stands without it. */
const memoryIfUsable = async (context: Pick<Context, "paths">, account: Account, kind: string): Promise<Memory | string> => {
  try {
    return await openMemory(context.paths.data, { baseUrl: account.baseUrl, profile: profileOf(account), kind });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

import type { JsonObject } from "../../json/exact-json.ts";
import { groupedCount } from "../../money/grouped.ts";
import { progressLine } from "../../output/progress-line.ts";
import type { Account, Context } from "../../ports.ts";
import { type ComparedWithService, compareWithService } from "../../reconcile/compare-service.ts";
import { carriedMax, type Memory, openMemory } from "../../reconcile/memory.ts";
import type { Compared } from "../../reconcile/reconcile.ts";
import type { FileSide } from "../../reconcile/reconcile-files.ts";
import { type Mirror, openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-account.ts";
import type { ReportInput } from "./report.ts";

/** What the file was compared with, and the result; `dated` if the date of each row left over there is known. */
export type There = {
  readonly compared: Compared;
  readonly input: JsonObject;
  readonly shown: ReportInput;
  readonly profile?: string;
  readonly dated: boolean;
  readonly notes: readonly string[];
};
type Wanted = { readonly zone: string; readonly flow: string; readonly forget: boolean };

/** Compares a file with all that the service lists now, and remembers what was paired. */
export const compareService = async (ours: FileSide, { zone, flow, forget }: Wanted, context: Context): Promise<There> => {
  const account = await context.account();
  const client = await context.client({ bulk: true });
  const mirror = await mirrorIfUsable(context, mirrorKey(account));
  const opened = await memoryIfUsable(context, account, ours.side.kind);
  const memory = typeof opened === "string" ? undefined : opened;
  if (forget) memory?.forget();
  const line = context.progress();
  const startedMs = context.clock.monotonic();
  try {
    const result = await compareWithService(client, ours.side, {
      file: ours.name,
      flow: flow === "standard" || flow === "b2c" ? flow : "all",
      zone,
      period: ours.period,
      mirror,
      memory,
      signal: context.signal,
      now: () => new Date(context.clock.now()).toISOString(),
      onProgress: (label, done, total) =>
        line.update(progressLine({ label, done, ...(total === undefined ? {} : { total }), startedMs, nowMs: context.clock.monotonic() })),
    });
    const rows = result.theirs.records.length;
    return {
      compared: result.compared,
      input: { kind: "service", baseUrl: account.baseUrl, flow, records: rows },
      shown: { name: `the service at ${account.baseUrl}`, kind: "service", rows, period: undefined, sumsHold: true },
      profile: account.profile,
      dated: result.dated,
      notes: [...(typeof opened === "string" ? [opened] : []), ...notesOf(ours, result)],
    };
  } finally {
    line.end();
    mirror?.dispose();
    memory?.dispose();
  }
};

export const payoutNote = (name: string, proofs: number): string =>
  `${name}: read as a list of payouts, as ${groupedCount(proofs)} of its rows have the receipt or reference, and the amount, of money out there.`;

const notesOf = ({ name }: FileSide, { payoutProofs, notRemembered, compared }: ComparedWithService): readonly string[] => {
  const notes: string[] = [];
  if (payoutProofs !== undefined) notes.push(payoutNote(name, payoutProofs));
  if (compared.carried.length === carriedMax) notes.push(`Only the newest ${groupedCount(carriedMax)} rows that earlier files left open are carried forward.`);
  if (notRemembered !== undefined) notes.push(notRemembered);
  return notes;
};

/** The mirror only spares requests: without it the comparison is the same. */
const mirrorIfUsable = async (context: Pick<Context, "paths">, key: string): Promise<Mirror | undefined> => {
  try {
    return await openMirror(context.paths.data, key);
  } catch {
    return undefined;
  }
};

/** Without a profile, keys at the same address are told apart by their last characters: each is another merchant's. */
const profileOf = ({ profile, keySource, keyHint }: Account): string => (keySource === "env" ? `${profile} ${keyHint}` : profile);

/** Or why it cannot be used: the comparison stands without it. */
const memoryIfUsable = async (context: Context, account: Account, kind: string): Promise<Memory | string> => {
  try {
    return await openMemory(context.paths.data, { baseUrl: account.baseUrl, profile: profileOf(account), kind });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

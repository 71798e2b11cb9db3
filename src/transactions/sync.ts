import { CliError } from "../errors.ts";
import { present } from "../json/exact-json.ts";
import type { CallInput, Client, Context } from "../ports.ts";
import { type Page, pageSize, passesMax, readPass, type Taken, takeUnseen } from "./list-transactions.ts";
import type { Mirror } from "./mirror.ts";
import type { Seen } from "./mirror-save.ts";
import type { MirrorFlow } from "./mirror-schema.ts";
import { detailsConcurrency, eachBounded, readDetails } from "./sync-details.ts";

export type SyncResult = { readonly new: number; readonly changed: number; readonly open: number; readonly total: number; readonly calls: number };
/** `total` is absent where nobody knows it; times are of the clock that does not go back. */
export type SyncProgress = { readonly label: string; readonly done: number; readonly total?: number; readonly startedMs: number; readonly nowMs: number };
export type SyncOptions = { readonly full?: boolean; readonly onProgress?: (state: SyncProgress) => void };
type Deps = Pick<Context, "clock" | "signal">;
type Tally = { added: number; changed: number; calls: number };
type Sync = {
  readonly client: Pick<Client, "call">;
  readonly mirror: Mirror;
  readonly deps: Deps;
  readonly tally: Tally;
  readonly tell: (state: SyncProgress) => void;
};

const flows: readonly MirrorFlow[] = ["standard", "b2c"];
/** Details are saved so many at a time: a stop in between loses no more. */
const saveEvery = 64;

/**
 * Brings the mirror up to date: pages until as many are known as the service counts, then details of what is new and what was
 * open. What was read is kept whenever it stops; the next run goes on. Throws what reading throws.
 */
export const syncMirror = async (client: Client, mirror: Mirror, deps: Deps, options: SyncOptions = {}): Promise<SyncResult> => {
  const tally: Tally = { added: 0, changed: 0, calls: 0 };
  const counting = {
    // What is tried again is a request more: the figure is what the service sees.
    call: (route: Parameters<Client["call"]>[0], input: CallInput = {}) =>
      client.call(route, {
        ...input,
        onTry: ({ httpStatus, outcome }) => {
          if (httpStatus !== undefined || outcome === "unanswered") tally.calls += 1;
        },
      }),
  };
  const sync: Sync = { client: counting, mirror, deps, tally, tell: options.onProgress ?? (() => undefined) };
  for (const flow of flows) await listFlow(sync, flow, options.full === true);
  await fetchDue(sync);
  mirror.setSynced(new Date(deps.clock.now()).toISOString());
  return { new: tally.added, changed: tally.changed, ...mirror.counts(), calls: tally.calls };
};

const listFlow = async (sync: Sync, flow: MirrorFlow, full: boolean): Promise<void> => {
  const { mirror } = sync;
  for (let pass = 0; pass < passesMax; pass += 1) {
    const { reached, total, seen, whole } = await passOver(sync, flow, full && pass === 0 ? "all" : "until-known");
    // Fewer there than here: the service lost some (a sandbox that was reset). Then all of it is read and the rest dropped.
    if (total !== undefined && mirror.countOf(flow) > total) {
      const again = whole ? { seen, whole } : await passOver(sync, flow, "all");
      if (again.whole && again.seen.size >= total) mirror.forget(flow, again.seen);
      return;
    }
    if (reached) return;
  }
  throw new CliError("unavailable", "The list kept changing while it was read; what was seen is kept.", {
    hint: "To read on",
    command: ["tx", "sync"],
  });
};

type Pass = {
  readonly reached: boolean;
  readonly total: number | undefined;
  readonly seen: ReadonlySet<string> /** From the first to the last row. */;
  readonly whole: boolean;
};

/** Reads pages from the first on; `until-known` stops as soon as the mirror has as many as the service counts. */
const passOver = async (sync: Sync, flow: MirrorFlow, until: "all" | "until-known"): Promise<Pass> => {
  const { mirror, deps, tally } = sync;
  const startedMs = deps.clock.monotonic();
  const seen = new Set<string>();
  let known = mirror.countOf(flow);
  // A row may be in the mirror under the other flow: what this pass has seen counts as well.
  const reaches = (total: number): boolean => known >= total || seen.size >= total;
  const take = ({ rows, total }: Page): Taken => {
    const saved = mirror.save(
      rows.map((transaction): Seen => ({ flow, transaction, detailed: false })),
      new Date(deps.clock.now()).toISOString(),
    );
    tally.added += saved.added;
    tally.changed += saved.changed;
    known += saved.added;
    const fresh = takeUnseen(rows, seen);
    return { fresh, complete: total === undefined ? fresh.length === 0 : until === "until-known" && reaches(total) };
  };
  let end: Pass = { reached: false, total: undefined, seen, whole: false };
  for await (const { page, atEnd, complete } of readPass(sync.client, { flow, pageSize, signal: deps.signal }, take)) {
    const { total } = page;
    sync.tell({ label: flow === "b2c" ? "Payouts" : "Payments", done: known, ...present({ total }), startedMs, nowMs: deps.clock.monotonic() });
    const isOver = atEnd || (total === undefined && complete);
    end = { reached: total === undefined ? isOver : reaches(total), total, seen, whole: isOver };
  }
  return end;
};

/** Details of what has none yet, and of what was open. */
const fetchDue = async (sync: Sync): Promise<void> => {
  const { mirror, deps, tally } = sync;
  const total = mirror.dueCount();
  const startedMs = deps.clock.monotonic();
  let done = 0;
  let waiting: Seen[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    tally.changed += mirror.save(batch, new Date(deps.clock.now()).toISOString()).changed;
  };
  const due = function* () {
    for (let after = 0; ; ) {
      const some = mirror.due(after, 500);
      yield* some;
      const last = some.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  };
  try {
    await eachBounded(due(), detailsConcurrency, async ({ id, flow }) => {
      const transaction = await readDetails(sync.client, id, deps.signal);
      if (transaction !== undefined) waiting.push({ flow, transaction, detailed: true });
      done += 1;
      if (waiting.length >= saveEvery) flush();
      sync.tell({ label: "Details", done, total, startedMs, nowMs: deps.clock.monotonic() });
    });
  } finally {
    flush();
  }
};

import { CliError } from "../errors.ts";
import type { Client, Context } from "../ports.ts";
import { secondLookMs, watchPauseMs } from "../service/retry.ts";
import { listByReference } from "./list-transactions.ts";
import { classifyStatus, contradictsPaid, type Direction, isReversed, type StatusClass } from "./status.ts";
import { detailsConcurrency, eachBounded, readDetails } from "./sync-details.ts";
import type { Transaction } from "./transaction.ts";
import { createDiscovery, type Found, findDirection } from "./watch-scope.ts";

export type WatchScope = { readonly ids: readonly string[] } | { readonly reference: string } | "open";
export type Change = { readonly at: string; readonly previousStatus: string | null; readonly transaction: Transaction; readonly direction: Direction };
export type WatchOptions = {
  readonly scope: WatchScope;
  readonly follow: boolean;
  /** The least pause between two looks, ms. */
  readonly intervalMs: number;
  /** Status last seen in an earlier run. */
  readonly lastSeen?: ((id: string) => string | undefined) | undefined;
  /** A paid status of the mirror that this one contradicts. */
  readonly paidBefore?: ((id: string, said: string) => Promise<string | undefined>) | undefined;
  /** What an earlier run followed: its changes meanwhile are changes. */
  readonly carriedOver?: readonly Found[] | undefined;
  /** Called for each transaction that the first look found unchanged. */
  readonly onFound?: ((found: Change) => void) | undefined;
  /** Called for each change at once, before anything more is read: store here what must not be lost. */
  readonly onChange?: ((change: Change) => void) | undefined;
  /** Called for a status that is no change yet. */
  readonly onSeen?: ((id: string, status: string) => void) | undefined;
  /** After each look, also those that brought nothing. */
  readonly afterRound?: (() => Promise<void>) | undefined;
};
type Deps = Pick<Context, "clock" | "signal" | "note" | "progress">;
type Followed = {
  readonly id: string;
  direction: Direction;
  status: string | undefined;
  /** An end without payment, to be read again. */
  doubted: string | undefined;
  /** What was reported about a payment, so that it is reported once and not at every look. */
  contradicted: string | undefined;
};

const stateOf = ({ status, direction }: Followed): StatusClass => (status === undefined ? "open" : classifyStatus(status, direction));
const isOpen = (one: Followed): boolean => stateOf(one) === "open" || one.doubted !== undefined;

const failuresMax = 5;

export type Watch = { readonly changes: AsyncIterable<Change> /** As `--wait` ends; asked after the last change. */; verdict(): CliError | undefined };

/** What one run of watching works with. */
type Run = { readonly client: Client; readonly deps: Deps; readonly options: WatchOptions; readonly followed: Map<string, Followed> };

/** Polls and gives changes alone. Throws what the very first look throws; later failures are waited out. */
export const watchTransactions = (client: Client, deps: Deps, options: WatchOptions): Watch => {
  const followed = new Map<string, Followed>();
  const run: Run = { client, deps, options, followed };
  let unreadable = false;
  const changes = async function* (): AsyncGenerator<Change> {
    const line = deps.progress();
    try {
      line.update("Looking for what to follow…");
      const discovery = await start(run);
      let pauseMs = options.intervalMs;
      let failures = 0;
      let askedMs = 0;
      for (let round = 0; !deps.signal.aborted; round += 1) {
        const found: Change[] = [];
        try {
          if (round > 0 && options.follow) found.push(...takeUp(await discovery(), run));
          await look(run, found, round === 0);
          failures = 0;
          askedMs = 0;
        } catch (error) {
          if (deps.signal.aborted) {
            yield* found;
            return;
          }
          if (round === 0 || !isPassing(error)) throw error;
          failures += 1;
          // What a 429 or 503 asks for goes before our own rhythm.
          askedMs = (error instanceof CliError ? error.retryAfterMs : undefined) ?? 0;
          unreadable = failures >= failuresMax;
          if (unreadable && !options.follow) return;
          deps.note(`The service cannot be read (${error instanceof Error ? error.message : "unknown reason"}); trying again.`);
        }
        // The change's own line begins where a status line was.
        if (found.length > 0) line.end();
        yield* found;
        await options.afterRound?.();
        const open = [...followed.values()].filter(isOpen);
        if (open.length === 0 && !options.follow) return;
        pauseMs = found.length > 0 ? options.intervalMs : watchPauseMs(pauseMs, options.intervalMs);
        const doubted = open.some((one) => one.doubted !== undefined);
        const nextMs = Math.max(askedMs, doubted ? secondLookMs : pauseMs);
        const lookAt = deps.clock.monotonic() + nextMs;
        line.update(() => statusLine(open.length, lookAt - deps.clock.monotonic()));
        await deps.clock.sleep(nextMs, deps.signal).catch(() => undefined);
      }
    } catch (error) {
      if (!deps.signal.aborted) throw error;
    } finally {
      line.end();
    }
  };
  return { changes: changes(), verdict: () => verdictOf([...followed.values()], options, deps.signal.aborted, unreadable) };
};

const statusLine = (open: number, leftMs: number): string => `${open} open, ${leftMs > 0 ? `next look in ${Math.ceil(leftMs / 1000)} s` : "looking"}`;

/** Worth another look: the network, a 5xx, a 429 left over. A refused key is not. */
const isPassing = (error: unknown): boolean => error instanceof CliError && (error.kind === "unavailable" || error.status === 429);

const follow = (followed: Map<string, Followed>, { id, direction, status }: Found, lastSeen: string | undefined): Followed => {
  const one: Followed = { id, direction, status: lastSeen ?? status, doubted: undefined, contradicted: undefined };
  followed.set(id, one);
  return one;
};

/** Whom to follow. Gives what later finds new ones. */
const start = async ({ client, deps, options, followed }: Run): Promise<() => Promise<readonly Found[]>> => {
  const { scope } = options;
  if (scope === "open") {
    const discovery = createDiscovery(client, deps.signal);
    for (const found of await discovery())
      if (classifyStatus(found.status ?? "", found.direction) === "open") follow(followed, found, options.lastSeen?.(found.id));
    for (const found of options.carriedOver ?? []) if (!followed.has(found.id)) follow(followed, found, found.status);
    if (followed.size === 0 && !options.follow) deps.note("Nothing is open.");
    for (const one of followed.values()) if (one.status !== undefined) options.onSeen?.(one.id, one.status);
    return discovery;
  }
  const ids = "ids" in scope ? scope.ids : await idsOf(client, scope.reference, deps.signal);
  for (const id of ids) follow(followed, { id, direction: "unknown", status: undefined }, options.lastSeen?.(id));
  return async () => [];
};

const idsOf = async (client: Client, reference: string, signal: AbortSignal): Promise<readonly string[]> => {
  const found = await listByReference(client, reference, { signal });
  if (found.length === 0) throw new CliError("not-found", `No transaction has the reference ${reference}.`);
  return found.flatMap(({ id }) => id ?? []);
};

/** New transactions, under --follow: each is a change from nothing. */
const takeUp = (found: readonly Found[], { deps, options, followed }: Run): readonly Change[] => {
  const changes: Change[] = [];
  for (const one of found) {
    if (followed.has(one.id)) continue;
    const entry = follow(followed, one, undefined);
    if (one.transaction === undefined) continue;
    const change: Change = { at: now(deps), previousStatus: null, transaction: one.transaction, direction: one.direction };
    options.onChange?.(change);
    changes.push(change);
    if (stateOf(entry) !== "open") followed.delete(one.id);
  }
  return changes;
};

const now = (deps: Deps): string => new Date(deps.clock.now()).toISOString();

/** Reads what is followed once and adds the changes to `found`, so that those before a failure are kept. */
const look = async ({ client, deps, options, followed }: Run, found: Change[], first: boolean): Promise<void> => {
  const due = [...followed.values()].filter((one) => options.follow || first || isOpen(one));
  await eachBounded(due, detailsConcurrency, async (one) => {
    const transaction = await readDetails(client, one.id, deps.signal);
    const status = transaction?.status;
    if (transaction === undefined || status === undefined) {
      // Given by the user and not there: a typing mistake, not a payment that is late (rules.md, exit code 4).
      if (first && options.scope !== "open" && one.status === undefined) throw new CliError("not-found", `There is no transaction ${one.id}.`, { status: 404 });
      return;
    }
    if (one.direction === "unknown") one.direction = await findDirection(client, one.id, status, deps.signal);
    if (classifyStatus(status, one.direction) === "unpaid" && one.doubted === undefined) {
      const stands = await options.paidBefore?.(one.id, status);
      if (stands !== undefined) one.status = stands;
    }
    const change = changeOf(one, status, deps, transaction);
    if (change !== undefined) {
      options.onChange?.(change);
      found.push(change);
    } else if (first && one.status !== undefined) {
      options.onSeen?.(one.id, one.status);
      if (one.doubted === undefined) options.onFound?.({ at: now(deps), previousStatus: null, transaction, direction: one.direction });
    }
    // Without ids only what is open is followed.
    if (options.scope === "open" && options.follow && !isOpen(one)) followed.delete(one.id);
  });
};

/** What this reading changes. Paid is not undone by a later failure, and an end without payment is believed on the second look. */
const changeOf = (one: Followed, status: string, deps: Deps, transaction: Transaction): Change | undefined => {
  const before = one.status;
  if (before !== undefined && before.toUpperCase() === status.toUpperCase()) {
    one.doubted = undefined;
    return undefined;
  }
  const state = classifyStatus(status, one.direction);
  if (contradictsPaid(before, status)) {
    if (one.contradicted !== status) deps.note(`${one.id} was ${before} and is now said to be ${status}: a contradiction. It counts as ${before}.`);
    one.contradicted = status;
    one.doubted = undefined;
    return undefined;
  }
  if (state === "unpaid" && !isReversed(status) && one.doubted === undefined) {
    one.doubted = status;
    return undefined;
  }
  one.doubted = undefined;
  one.status = status;
  // The state something is found in is no change, unless it is already the end.
  if (before === undefined && state === "open") return undefined;
  return { at: now(deps), previousStatus: before ?? null, transaction, direction: one.direction };
};

const namesOf = (some: readonly Followed[]): string => {
  const names = some.slice(0, 5).map(({ id, status }) => `${id}${status === undefined ? "" : ` (${status})`}`);
  return `${names.join(", ")}${some.length > 5 ? ` and ${some.length - 5} more` : ""}`;
};

const verdictOf = (followed: readonly Followed[], options: WatchOptions, aborted: boolean, unreadable: boolean): CliError | undefined => {
  if (options.follow) return undefined;
  const open = followed.filter(isOpen);
  if (open.length > 0) {
    const why = unreadable ? "The service cannot be read; still open" : aborted ? "Interrupted; still open" : "Still open";
    return new CliError("pending", `${why}: ${namesOf(open)}.`);
  }
  const unpaid = followed.filter((one) => stateOf(one) === "unpaid");
  return unpaid.length === 0 ? undefined : new CliError("payment-failed", `Ended unpaid: ${namesOf(unpaid)}.`);
};

import { CliError } from "../errors.ts";
import { fieldOf, isObject, type Json, type JsonObject, present, stringifyExact, textOf } from "../json/exact-json.ts";
import { groupedCount } from "../money/grouped.ts";
import { isSameReference } from "../payments/reference.ts";
import type { Client } from "../ports.ts";
import type { Flow } from "../service/contract/limits.ts";
import { routes } from "../service/contract/routes.ts";
import { type Transaction, toTransaction } from "./transaction.ts";

export type Page = {
  readonly rows: readonly Transaction[];
  /** Rows that differ: the next page begins behind them, as a row that is there twice may have pushed others out. */
  readonly different: number;
  /** How many there are as this page says; undefined where it says nothing usable. */
  readonly total: number | undefined;
  /** The page's whole answer. */
  readonly body: JsonObject;
};
export type PageRequest = { readonly flow?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined };
type Reader = Pick<Client, "call">;

/** One page as the service gives it (service 4, GET transactions). What is not given is not sent. */
export const readPage = async (client: Reader, { flow, limit, offset }: PageRequest, signal?: AbortSignal): Promise<Page> => {
  const query = { limit: limit === undefined ? undefined : String(limit), offset: offset === undefined ? undefined : String(offset), flow };
  const { body } = await client.call(routes.listTransactions, { query, ...present({ signal }) });
  const listed = fieldOf(body, "transactions");
  const rows = Array.isArray(listed) ? listed.map(toTransaction) : [];
  const different = new Set(rows.map(identityOf)).size;
  return { rows, different, total: totalOf(body, different === 0 ? 0 : (offset ?? 0) + different), body: isObject(body) ? body : {} };
};

/** Assumed: a `total` below the rows already read counts something else, like those of this page, and ends no list. */
const totalOf = (body: Json, read: number): number | undefined => {
  const total = Number(textOf(fieldOf(body, "total")) ?? Number.NaN);
  return Number.isSafeInteger(total) && total >= read ? total : undefined;
};

/** What tells rows apart: the id, or for a row without one all that it holds. */
const identityOf = ({ id, body }: Transaction): string => id ?? `\u0000${stringifyExact(body)}`;

/** The rows that are not among those `seen` before. From now on they are. */
export const takeUnseen = (rows: readonly Transaction[], seen: Set<string>): readonly Transaction[] =>
  rows.filter((row) => {
    const before = seen.size;
    return seen.add(identityOf(row)).size > before;
  });

/** Rows asked for at once where many are read, and passes over a list that changes meanwhile. */
export const pageSize = 100;
export const passesMax = 3;
/** Pages in a row that bring nothing new before a pass without a usable `total` is taken as ended. */
const stalePagesMax = 3;

/** Rows that a pass may read at most: rows may arrive as fast as pages are read, and it has to end all the same. */
const passBound = (firstTotal: number | undefined): number => (firstTotal === undefined ? Number.POSITIVE_INFINITY : firstTotal * 2 + 200);

export type ListAllOptions = {
  /** `standard` is the service's default where nothing is sent. */
  readonly flow?: Flow | undefined;
  /** Rows asked for at once; the service may cap it. Not given: not sent. */
  readonly pageSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Rows that a pass may read at most, where a list without a usable `total` must not be read for ever. */
  readonly rowsMax?: number | undefined;
  /** No further pass after one that ended before the list did: what is found then proves nothing to the caller. */
  readonly endsIfCut?: boolean | undefined;
  /** Called for each page, with the ids seen so far. */
  readonly onPage?: ((page: Page, seen: number) => void) | undefined;
};

/**
 * Every transaction once, however pages are capped and however many rows arrive meanwhile (rules.md, JSON and CSV): passes
 * repeat until the ids seen reach `total` as last answered. Memory grows by ids alone. Order is the service's.
 *
 * Throws CliError unavailable naming the gap after three passes, besides what a read throws.
 */
export async function* listAll(client: Reader, options: ListAllOptions): AsyncGenerator<Transaction, void, undefined> {
  for await (const rows of listAllByPages(client, options)) yield* rows;
}

/** Every transaction of a reference, money in and out and flows that this program does not know, however the list is paged. */
export const listByReference = async (
  client: Reader,
  reference: string,
  options: Pick<ListAllOptions, "signal" | "onPage">,
): Promise<readonly Transaction[]> => {
  const found: Transaction[] = [];
  for await (const row of listAll(client, { ...options, flow: "all", pageSize: pageSize })) {
    if (isSameReference(row.reference ?? "", reference)) found.push(row);
  }
  return found;
};

/** As `listAll`, what a page brought anew at once: awaiting each of a million rows costs more than reading them. */
export async function* listAllByPages(client: Reader, options: ListAllOptions): AsyncGenerator<readonly Transaction[], void, undefined> {
  const { end, seen, total = 0 } = yield* walkList(client, options);
  if (end !== "changing") return;
  throw new CliError(
    "unavailable",
    `The list kept changing: ${groupedCount(seen)} of ${groupedCount(total)} transactions were seen in ${passesMax} passes, and ${groupedCount(total - seen)} ${total - seen === 1 ? "is" : "are"} missing.`,
    { hint: "Try again when fewer payments arrive, or with a larger --limit." },
  );
}

/**
 * How a walk through the list ended. `complete`: every row was seen, as far as `total` or an empty page says. `stale`: without a usable
 * `total`, pages brought nothing new. `changing`: three passes did not reach `total`. `isCut`: rows arrived as fast as they were read, so
 * that a pass was ended before the list was.
 */
export type WalkEnd = {
  readonly end: "complete" | "stale" | "changing";
  readonly isCut: boolean;
  readonly seen: number;
  readonly total: number | undefined;
};

/** What each page brings anew, over as many passes as `total` needs; how it ended is what the generator returns. */
export async function* walkList(client: Reader, options: ListAllOptions): AsyncGenerator<readonly Transaction[], WalkEnd, undefined> {
  const seen = new Set<string>();
  let total: number | undefined;
  const take = (page: Page): Taken => {
    const fresh = takeUnseen(page.rows, seen);
    total = page.total;
    return { fresh, complete: total !== undefined && seen.size >= total };
  };
  let isCut = false;
  const ended = (end: WalkEnd["end"]): WalkEnd => ({ end, isCut, seen: seen.size, total });
  for (let pass = 0; pass < passesMax; pass++) {
    let isStale = false;
    for await (const { page, fresh, complete, cut } of readPass(client, options, take)) {
      if (fresh.length > 0) yield fresh;
      options.onPage?.(page, seen.size);
      if (complete) return ended("complete");
      isStale = page.rows.length > 0;
      isCut ||= cut;
    }
    if (isCut && options.endsIfCut === true) return ended("changing");
    // Without a usable total an ended pass is all there is to go by.
    if (total === undefined) return ended(isStale ? "stale" : "complete");
  }
  return ended("changing");
}

/** What a page brought that none before it had; `complete`: the reader has all that it wants. */
export type Taken = { readonly fresh: readonly Transaction[]; readonly complete: boolean };
export type PassOptions = Pick<ListAllOptions, "flow" | "signal" | "rowsMax"> & {
  /** Asked for each page. */
  readonly pageSize?: number | undefined | (() => number | undefined);
  /** Rows before the first page. Not given: not sent. */
  readonly from?: number | undefined;
};
/** `atEnd`: the list has no more rows. `cut`: the pass ended before the list did, as rows arrive as fast as they are read. */
export type PassPage = Taken & { readonly page: Page; readonly atEnd: boolean; readonly cut: boolean };

/**
 * The pages of one pass, to where `total` or an empty page ends them; a short page ends nothing, as pages may be capped. While
 * a page is used the next is on its way: never more than one, and none beyond what is asked for without it.
 */
export async function* readPass(client: Reader, options: PassOptions, take: (page: Page) => Taken): AsyncGenerator<PassPage, void, undefined> {
  const { flow, pageSize, signal, rowsMax = Number.POSITIVE_INFINITY, from = 0 } = options;
  const read = (offset: number): Promise<Page> => {
    const limit = typeof pageSize === "function" ? pageSize() : pageSize;
    return readPage(client, { flow, limit, offset: offset === from ? options.from : offset }, signal);
  };
  let offset = from;
  let bound = rowsMax;
  let stalePages = 0;
  let next = read(offset);
  for (;;) {
    const page = await next;
    if (offset === from) bound = Math.min(rowsMax, passBound(page.total));
    const taken = take(page);
    offset += page.different;
    stalePages = taken.fresh.length === 0 ? stalePages + 1 : 0;
    const atEnd = page.rows.length === 0 || (page.total === undefined ? stalePages >= stalePagesMax : offset >= page.total);
    const cut = !atEnd && !taken.complete && offset - from >= bound;
    const ended = atEnd || taken.complete || cut;
    if (!ended) {
      next = read(offset);
      // Whoever goes on hears of its failure; whoever stops here does not want to.
      next.catch(() => undefined);
    }
    yield { page, ...taken, atEnd, cut };
    if (ended) return;
  }
}

export type SomeOptions = {
  readonly flow?: Flow | undefined;
  /** Rows wanted; not given: one page, or with `matches` as many matches as that page has rows. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly matches?: ((row: Transaction) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** The first rows wanted, over as many pages as the service's cap needs, with the page last read. */
export const listSome = async (client: Reader, options: SomeOptions): Promise<{ readonly rows: readonly Transaction[]; readonly page: Page }> => {
  const { flow, limit, matches, signal } = options;
  const found: Transaction[] = [];
  const seen = new Set<string>();
  let wanted = limit;
  const take = ({ rows }: Page): Taken => {
    wanted ??= rows.length;
    // A row is dropped where an earlier page had it, as rows move on when others arrive; within a page the service's word stands.
    const fresh = rows.filter((row) => !seen.has(identityOf(row)));
    for (const row of rows) seen.add(identityOf(row));
    found.push(...fresh.filter(matches ?? (() => true)).slice(0, wanted - found.length));
    return { fresh, complete: found.length >= wanted };
  };
  // Few rows match, so small pages would mean many requests.
  const nextSize = (): number | undefined => {
    if (limit === undefined) return undefined;
    return matches === undefined ? limit - found.length : Math.max(limit, pageSize);
  };
  const rowsMax = limit === undefined || matches !== undefined ? undefined : 2 * limit + 200;
  let last: Page = { rows: [], different: 0, total: undefined, body: {} };
  for await (const { page } of readPass(client, { flow, pageSize: nextSize, rowsMax, from: options.offset, signal }, take)) last = page;
  return { rows: found, page: last };
};

import type { TableRow } from "../tables/cell.ts";
import { type DecimalMark, parseSigned } from "./amounts.ts";
import { type Bills, findBills } from "./bills.ts";
import { type FieldName, type FileKind, findColumn, plainHeading, type ToldColumns } from "./columns.ts";
import type { DayOrder } from "./dates.ts";
import { filledCells, findHeader, type Header, joinedHeadings } from "./header.ts";
import { kindScore, rankOfHeading } from "./heading-words.ts";
import type { OpenField, OrderLines, Source } from "./layout.ts";
import type { LayoutData } from "./layout-schema.ts";
import type { NameIn } from "./narrative.ts";
import type { OtherSide } from "./other-side.ts";
import { isDateColumn, isReceiptColumn, type Profile, profileColumn, usualDecimal } from "./profile.ts";

export type LayoutOptions = ToldColumns & {
  readonly as?: FileKind | undefined;
  /** The layout that the user chose. */
  readonly layout?: LayoutData | undefined;
  /** The layouts that a file may be recognised by. */
  readonly layouts: readonly LayoutData[];
  /** Where the headings leave it open, what is compared with the merchant's own file is a statement. */
  readonly usually: FileKind;
  /** What the other file certainly is: then this one is the other kind, unless its own columns say what it is. */
  readonly beside?: FileKind | undefined;
};

/** Rows at the top of a file, by which its columns are understood. */
export const sampleMax = 2000;

/** A layout in the making. */
export type Draft = {
  readonly kind: FileKind;
  readonly data: LayoutData | undefined;
  readonly header: Header;
  /** The rows under the headings that were looked at. */
  body: readonly TableRow[];
  readonly bills: Bills | undefined;
  readonly profiles: readonly Profile[];
  readonly columns: Partial<Record<FieldName, number>>;
  readonly sources: Map<FieldName, Source>;
  readonly notes: string[];
  readonly open: OpenField[];
  referenceIn: readonly RegExp[];
  receiptIn: readonly RegExp[];
  nameIn: NameIn | undefined;
  unsigned: "in" | "out" | "unknown";
  hundredths: boolean;
  lines: OrderLines | undefined;
  dayOrder: DayOrder | undefined;
  /** Proved by the other side, where no amount here says which it is. */
  decimal: DecimalMark | undefined;
  /** Columns with the amounts of rows in another currency than the column that is read. */
  foreign: ReadonlyMap<number, string>;
  /** A column of charges that move the balance along with the amount. */
  charge: number | undefined;
  ways: ReadonlyMap<number, "in" | "out">;
  waysOrder: 1 | -1 | undefined;
  /** Words for the ways that only this file's column explains. */
  directions: LayoutData["directions"];
  /** Words for statuses that only the balance explains. */
  status: LayoutData["status"];
  balanceOrder: 1 | -1 | undefined;
  /** What its heading called the narrative, where another column has the references. */
  besideDetails: number | undefined;
};

export const cellOf = (row: TableRow, column: number | undefined): string => (column === undefined ? "" : (row.cells[column] ?? "").trim());
/** A column as people call it: its heading, or else its number. */
export const nameOfColumn = ({ headings }: Pick<Header, "headings">, column: number): string => {
  const heading = (headings[column] ?? "").trim();
  return heading === "" ? `column ${column + 1}` : heading;
};

export const take = (draft: Draft, field: FieldName, column: number, source: Source): void => {
  draft.columns[field] = column;
  draft.sources.set(field, source);
};
export const isTaken = (draft: Draft, column: number): boolean => Object.values(draft.columns).includes(column);
export const isSure = (draft: Draft, field: FieldName): boolean => draft.sources.get(field) === "told" || draft.sources.get(field) === "layout";

/** Every column that nothing has a meaning for yet. */
export const freeColumns = (draft: Draft): readonly number[] =>
  draft.profiles.flatMap((profile, column) => (profile.filled > 0 && !isTaken(draft, column) ? [column] : []));

/** Columns that could be this field by their headings, the likeliest first. */
export const byHeading = (draft: Draft, field: FieldName, columns: readonly number[] = freeColumns(draft)): readonly number[] =>
  columns
    .flatMap((column) => {
      const rank = rankOfHeading(draft.header.headings[column] ?? "", field, draft.kind);
      return rank === undefined ? [] : [{ column, rank }];
    })
    .sort((a, b) => a.rank - b.rank || a.column - b.column)
    .map(({ column }) => column);

const plainSet = (cells: readonly string[]): ReadonlySet<string> => new Set(cells.map(plainHeading).filter((text) => text !== ""));

/** The layout that the headings and the words above them speak of; the one with most of its headings there, if several do. */
export const recogniseLayout = (rows: readonly TableRow[], layouts: readonly LayoutData[], as: FileKind | undefined): LayoutData | undefined => {
  let best: { readonly layout: LayoutData; readonly score: number } | undefined;
  for (const [index, row] of rows.slice(0, 60).entries()) {
    if (filledCells(row) < 2) continue;
    const next = rows[index + 1]?.cells ?? [];
    const alone = plainSet(row.cells);
    const both = plainSet(joinedHeadings(row.cells, next));
    for (const layout of layouts) {
      if (as !== undefined && layout.kind !== as) continue;
      const score = Math.max(scoreOfLayout(layout, alone, rows, index), scoreOfLayout(layout, both, rows, index));
      if (score > (best?.score ?? 0)) best = { layout, score };
    }
  }
  return best?.layout;
};

const scoreOfLayout = ({ recognise, columns }: LayoutData, present: ReadonlySet<string>, rows: readonly TableRow[], at: number): number => {
  if (recognise === undefined) return 0;
  if (!recognise.headings.every((spellings) => spellings.some((heading) => present.has(plainHeading(heading))))) return 0;
  const above = rows
    .slice(0, at)
    .flatMap(({ cells }) => cells)
    .join(" ")
    .toLowerCase();
  if (recognise.preamble !== undefined && !recognise.preamble.some((words) => above.includes(words.toLowerCase()))) return 0;
  const known = Object.values(columns).filter((headings) =>
    headings.some((heading) => typeof heading === "string" && present.has(plainHeading(heading))),
  ).length;
  return recognise.headings.length * 10 + (recognise.preamble === undefined ? 0 : 5) + known;
};

/** The rows under the headings that may be records. */
export const bodyOf = (rows: readonly TableRow[], { lastLine, headings }: Header): readonly TableRow[] =>
  rows.filter((row) => row.line > lastLine && filledCells(row) > 1 && !isHeaderAgain(row.cells, headings));

export const createDraft = (rows: readonly TableRow[], options: LayoutOptions, other?: OtherSide): Draft => {
  const data = options.layout ?? recogniseLayout(rows, options.layouts, options.as);
  const named = Object.values(data?.columns ?? {}).flatMap((headings) => headings.filter((heading) => typeof heading === "string"));
  const header = findHeader(rows, { wanted: [...options.told.values(), ...named] });
  const all = bodyOf(rows, header);
  const width = Math.max(header.headings.length, ...all.slice(0, 200).map(({ cells }) => cells.length));
  const bills = (options.as ?? data?.kind) === "statement" ? undefined : findBills(all, Math.min(width, 100), other);
  const body = bills === undefined ? all : all.filter(({ cells }) => !bills.words.has((cells[bills.column] ?? "").trim()));
  const profiles = Array.from({ length: Math.min(width, 300) }, (_, column) => profileColumn(body.slice(0, 1000), column));
  return {
    kind: options.as ?? data?.kind ?? kindOf({ header, profiles, body, bills }, options),
    data,
    header,
    body,
    bills,
    profiles,
    columns: {},
    sources: new Map(),
    notes: [],
    open: [],
    referenceIn: [],
    receiptIn: [],
    nameIn: undefined,
    unsigned: data?.amounts === "out" ? "out" : "in",
    hundredths: false,
    lines: undefined,
    dayOrder: undefined,
    decimal: undefined,
    charge: undefined,
    foreign: new Map(),
    ways: new Map(),
    waysOrder: undefined,
    directions: data?.directions,
    status: { ...data?.status, ...options.status },
    balanceOrder: undefined,
    besideDetails: undefined,
  };
};

type Seen = Pick<Draft, "header" | "profiles" | "body" | "bills">;

/** A balance goes on from row to row by an amount that one of the two has; what is left of an order does not. */
const isRunning = (body: readonly TableRow[], column: number): boolean => {
  const decimal = usualDecimal(body, [column]);
  const rows = body.slice(0, 1000).map(({ cells }) => cells.map((cell) => parseSigned(cell, decimal)));
  const steps = rows.flatMap((cells, index) => {
    const [now, before] = [cells[column], rows[index - 1]?.[column]];
    if (now === undefined || before === undefined || now === before) return [];
    const own = [...cells.toSpliced(column, 1), ...(rows[index - 1] ?? []).toSpliced(column, 1)];
    return [own.some((cell) => cell === now - before || cell === before - now)];
  });
  return steps.length < 2 || steps.filter((explained) => explained).length * 2 >= steps.length;
};

/** What the columns themselves say: only a statement has money in and out, or a balance, and only the merchant has bills. */
const structureOf = ({ header: { headings }, body, bills }: Seen, told: LayoutOptions["told"]): FileKind | undefined => {
  if (told.has("paid-in") || told.has("withdrawn") || told.has("balance") || told.has("direction")) return "statement";
  if (bills !== undefined) return "orders";
  const fields = (field: FieldName): boolean => headings.some((heading) => rankOfHeading(heading, field, "statement") !== undefined);
  if ((fields("paid-in") && fields("withdrawn")) || fields("direction")) return "statement";
  const balance = headings.findIndex((heading) => rankOfHeading(heading, "balance", "statement") === 0);
  return balance >= 0 && kindScore(headings) >= 0 && isRunning(body, balance) ? "statement" : undefined;
};

/** A list of what was paid says when, or by which receipt. */
const isTimed = (header: Header, profiles: readonly Profile[]): boolean =>
  profiles.some((profile, column) => {
    const named = (["date", "time", "receipt"] as const).some((field) => rankOfHeading(header.headings[column] ?? "", field, "statement") !== undefined);
    return named || isDateColumn(profile) || isReceiptColumn(profile);
  });

const kindOf = (seen: Seen, { usually, told, beside }: LayoutOptions): FileKind => {
  const { header, profiles } = seen;
  const structure = structureOf(seen, told);
  if (structure !== undefined) return structure;
  if (beside !== undefined) return beside === "statement" ? "orders" : "statement";
  if (usually === "statement") return kindScore(header.headings) > (isTimed(header, profiles) ? -3 : 0) ? "statement" : "orders";
  return kindScore(header.headings, 0.5) > 0.5 ? "statement" : "orders";
};

/** What a file certainly is, by the user, a layout or its columns; and, from its headings, how much it looks like a statement. */
export const kindAlone = (rows: readonly TableRow[], options: LayoutOptions): { readonly certain: FileKind | undefined; readonly score: number } => {
  const draft = createDraft(rows, options);
  const { data, header, profiles } = draft;
  // Orders have no minus signs, but for refunds.
  const signed = profiles.some(({ negatives }) => negatives > 0) ? 1 : 0;
  return { certain: options.as ?? data?.kind ?? structureOf(draft, options.told), score: kindScore(header.headings, 0.5) + signed };
};

/** The headings again, or one line of two. */
export const isHeaderAgain = (cells: readonly string[], headings: readonly string[]): boolean => {
  let same = 0;
  for (const [index, cell] of cells.entries()) {
    const text = cell.trim();
    if (text === "") continue;
    const heading = headings[index]?.trim() ?? "";
    if (text !== heading && !heading.startsWith(`${text} `) && !heading.endsWith(` ${text}`)) return false;
    same += 1;
  }
  return same > 1;
};

/** What the user and the layout say. Gives the first heading that is there twice. */
export const takeGiven = (draft: Draft, { told }: LayoutOptions): { readonly missing: readonly string[]; readonly twice: string | undefined } => {
  const missing: string[] = [];
  let twice: string | undefined;
  for (const [field, wanted] of told) {
    const column = findColumn(draft.header.headings, wanted);
    if (column === "twice") twice ??= wanted;
    else if (column === undefined || column >= Math.max(draft.profiles.length, draft.header.headings.length)) missing.push(`${field}=${wanted}`);
    else take(draft, field, column, "told");
  }
  for (const field of Object.keys(draft.data?.columns ?? {}) as FieldName[]) {
    if (draft.columns[field] !== undefined) continue;
    const spellings = draft.data?.columns[field] ?? [];
    for (const wanted of spellings) {
      const column = typeof wanted === "number" ? wanted - 1 : findColumn(draft.header.headings, wanted);
      if (typeof column !== "number" || column >= draft.profiles.length) continue;
      // One of several spellings may be meant for another field; a single one is meant for both, as a type that is also the direction.
      if (spellings.length > 1 && isTaken(draft, column)) continue;
      take(draft, field, column, "layout");
      break;
    }
  }
  return { missing, twice };
};

import type { TableRow } from "../tables/cell.ts";
import { parseSigned } from "./amounts.ts";
import { findBills } from "./bills.ts";
import { type FieldName, type FileKind, findColumn, plainHeading, type ToldColumns } from "./columns.ts";
import { filledCells, findHeader, type Header, joinedHeadings } from "./header.ts";
import { headingSays, kindScore, rankOfHeading, type Saying } from "./heading-words.ts";
import type { OpenField, Resolved, Source } from "./layout.ts";
import type { LayoutData } from "./layout-schema.ts";
import type { OtherSide } from "./other-side.ts";
import { emptyProfile, isDateColumn, isReceiptColumn, type Profile, profileColumn, usualDecimal } from "./profile.ts";
import { type StateOfWord, stateOfWord } from "./words.ts";

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

/** A layout in the making, with what it is made from. */
export type Draft = { -readonly [field in keyof Resolved]: Resolved[field] } & {
  readonly columns: Partial<Record<FieldName, number>>;
  readonly sources: Map<FieldName, Source>;
  readonly notes: string[];
  readonly data: LayoutData | undefined;
  /** The rows under the headings that were looked at. */
  body: readonly TableRow[];
  readonly profiles: readonly Profile[];
  readonly open: OpenField[];
};

export const cellOf = (row: TableRow, column: number | undefined): string => (column === undefined ? "" : (row.cells[column] ?? "").trim());
export const headingOf = ({ header }: Pick<Header, "header">, column: number | undefined): string => header[column ?? -1] ?? "";
/** A column as people call it: its heading, or else its number. */
export const nameOf = (layout: Pick<Header, "header">, column = -1): string => headingOf(layout, column).trim() || `column ${column + 1}`;
export const says = (draft: Draft, column: number | undefined, what: Saying): boolean => headingSays(headingOf(draft, column), what);
export const profileOf = ({ profiles }: Pick<Draft, "profiles">, column: number | undefined): Profile => profiles[column ?? -1] ?? emptyProfile;
/** What a cell of the status column, or of one that could be it, says of its row. */
export const stateIn = (draft: Draft, column: number | undefined, cell: string): StateOfWord =>
  stateOfWord(cell, { kind: draft.kind, own: draft.status, heading: headingOf(draft, column) });
/** Some of them, for people. */
export const quoted = (words: readonly string[]): string =>
  words
    .slice(0, 5)
    .map((word) => `"${word}"`)
    .join(", ");
/** The different cells of a column, if they are few. */
export const wordsIn = (draft: Draft, column: number | undefined): readonly string[] => [...profileOf(draft, column).words.keys()];

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
      const rank = rankOfHeading(headingOf(draft, column), field, draft.kind);
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
export const bodyOf = (rows: readonly TableRow[], { header, lastHeaderLine }: Header): readonly TableRow[] =>
  rows.filter((row) => row.line > lastHeaderLine && filledCells(row) > 1 && !isHeaderAgain(row.cells, header));

export const createDraft = (rows: readonly TableRow[], options: LayoutOptions, other?: OtherSide): Draft => {
  const data = options.layout ?? recogniseLayout(rows, options.layouts, options.as);
  const named = Object.values(data?.columns ?? {}).flatMap((headings) => headings.filter((heading) => typeof heading === "string"));
  const found = findHeader(rows, [...options.told.values(), ...named]);
  const all = bodyOf(rows, found);
  const width = Math.max(found.header.length, ...all.slice(0, 200).map(({ cells }) => cells.length));
  const bills = (options.as ?? data?.kind) === "statement" ? undefined : findBills(all, Math.min(width, 100), other);
  const body = bills === undefined ? all : all.filter(({ cells }) => !bills.words.has((cells[bills.column] ?? "").trim()));
  const profiles = Array.from({ length: Math.min(width, 300) }, (_, column) => profileColumn(body.slice(0, 1000), column));
  const patterns = (texts: readonly string[] | undefined): readonly RegExp[] => (texts ?? []).map((text) => new RegExp(text, "iu"));
  const { charge, internal, reversal, other: others } = data?.rows ?? {};
  return {
    ...found,
    kind: options.as ?? data?.kind ?? kindOf({ header: found.header, profiles, body, bills }, options),
    data,
    name: data?.name,
    body,
    bills,
    profiles,
    columns: {},
    sources: new Map(),
    notes: [],
    open: [],
    referenceIn: patterns(data?.narrative?.reference),
    receiptIn: patterns(data?.narrative?.receipt),
    unsigned: data?.amounts === "out" ? "out" : "in",
    outNegative: false,
    hundredths: false,
    items: data?.items ?? found.header.some((heading) => headingSays(heading, "item")),
    dayOnce: false,
    foreign: new Map(),
    ways: new Map(),
    rows: { charge: patterns(charge), internal: patterns(internal), reversal: patterns(reversal), other: patterns(others) },
    directions: data?.directions,
    status: { ...data?.status, ...options.status },
    currency: data?.currency,
    zone: data?.zone,
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
const structureOf = ({ header, body, bills }: Seen, told: LayoutOptions["told"]): FileKind | undefined => {
  if (told.has("paid-in") || told.has("withdrawn") || told.has("balance") || told.has("direction")) return "statement";
  if (bills !== undefined) return "orders";
  const fields = (field: FieldName): boolean => header.some((heading) => rankOfHeading(heading, field, "statement") !== undefined);
  if ((fields("paid-in") && fields("withdrawn")) || fields("direction")) return "statement";
  const balance = header.findIndex((heading) => rankOfHeading(heading, "balance", "statement") === 0);
  return balance >= 0 && kindScore(header) >= 0 && isRunning(body, balance) ? "statement" : undefined;
};

/** A list of what was paid says when, or by which receipt. */
const isTimed = (seen: Seen): boolean =>
  seen.profiles.some((profile, column) => {
    const named = (["date", "time", "receipt"] as const).some((field) => rankOfHeading(headingOf(seen, column), field, "statement") !== undefined);
    return named || isDateColumn(profile) || isReceiptColumn(profile);
  });

const kindOf = (seen: Seen, { usually, told, beside }: LayoutOptions): FileKind => {
  const { header } = seen;
  const structure = structureOf(seen, told);
  if (structure !== undefined) return structure;
  if (beside !== undefined) return beside === "statement" ? "orders" : "statement";
  if (usually === "statement") return kindScore(header) > (isTimed(seen) ? -3 : 0) ? "statement" : "orders";
  return kindScore(header, 0.5) > 0.5 ? "statement" : "orders";
};

/** What a file certainly is, by the user, a layout or its columns; and, from its headings, how much it looks like a statement. */
export const kindAlone = (rows: readonly TableRow[], options: LayoutOptions): { readonly certain: FileKind | undefined; readonly score: number } => {
  const draft = createDraft(rows, options);
  const { data, header, profiles } = draft;
  // Orders have no minus signs, but for refunds.
  const signed = profiles.some(({ negatives }) => negatives > 0) ? 1 : 0;
  return { certain: options.as ?? data?.kind ?? structureOf(draft, options.told), score: kindScore(header, 0.5) + signed };
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
    const column = findColumn(draft.header, wanted);
    if (column === "twice") twice ??= wanted;
    else if (column === undefined || column >= Math.max(draft.profiles.length, draft.header.length)) missing.push(`${field}=${wanted}`);
    else take(draft, field, column, "told");
  }
  for (const field of Object.keys(draft.data?.columns ?? {}) as FieldName[]) {
    if (draft.columns[field] !== undefined) continue;
    const spellings = draft.data?.columns[field] ?? [];
    for (const wanted of spellings) {
      const column = typeof wanted === "number" ? wanted - 1 : findColumn(draft.header, wanted);
      if (typeof column !== "number" || column >= draft.profiles.length) continue;
      // One of several spellings may be meant for another field; a single one is meant for both, as a type that is also the direction.
      if (spellings.length > 1 && isTaken(draft, column)) continue;
      take(draft, field, column, "layout");
      break;
    }
  }
  return { missing, twice };
};

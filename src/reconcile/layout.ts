import type { TableRow } from "../tables/cell.ts";
import { createDecimalJudge, type DecimalMark, parseAmount } from "./amounts.ts";
import { type Columns, type FieldName, type FileKind, findColumns, lackingFields } from "./columns.ts";
import { createDayJudge, type DayOrder, looksLikeDate } from "./dates.ts";

export type LayoutOptions = {
  readonly as?: FileKind | undefined;
  /** Field to heading, as told by the user. */
  readonly told: ReadonlyMap<FieldName, string>;
  /** Told where the column itself can't decide. */
  readonly decimal?: DecimalMark | undefined;
  readonly dayOrder?: DayOrder | undefined;
};
export type Layout = {
  readonly kind: FileKind;
  readonly headerLine: number;
  readonly header: readonly string[];
  readonly columns: Columns;
  readonly decimal: DecimalMark;
  readonly dayOrder: DayOrder;
  /** False where no cell of the date column is a date: then it is not used. */
  readonly dated: boolean;
  /** Columns that were found by what is in them: worth a word to the user. */
  readonly byContent: readonly FieldName[];
};
export type Problem = { readonly problem: string; readonly hint: string };
export const isProblem = (value: object): value is Problem => "problem" in value;

const searchedMax = 200;

export const isBlank = (row: TableRow): boolean => filledCells(row) === 0;
/** How many cells have something in them; 2 stands for all larger numbers. */
export const filledCells = (row: TableRow): number => {
  let count = 0;
  for (const cell of row.cells) {
    if (cell !== "" && cell.trim() !== "") count += 1;
    if (count === 2) break;
  }
  return count;
};

/** Finds the header, the kind of file and what each column means, from rows that come one after the other: every one is looked at for decimal marks and the order of dates. */
export const createLayoutJudge = (options: LayoutOptions) => {
  const head: TableRow[] = [];
  let header: Header | Problem | undefined;
  let judge: ReturnType<typeof createColumnJudge> | undefined;
  const settle = (): void => {
    header = findHeader(head, options);
    if (isProblem(header)) return;
    judge = createColumnJudge(header, options);
    for (const row of head) judge.see(row);
  };
  return {
    see(row: TableRow): void {
      if (header !== undefined) {
        judge?.see(row);
        return;
      }
      if (isBlank(row)) return;
      head.push(row);
      if (head.length >= searchedMax) settle();
    },
    end(): Layout | Problem {
      if (head.length === 0) return problemOf(undefined);
      if (header === undefined) settle();
      return judge === undefined ? problemOf(header) : judge.end();
    },
  };
};

const problemOf = (header: Header | Problem | undefined): Problem =>
  header !== undefined && isProblem(header) ? header : { problem: "The file is empty.", hint: "" };

type Header = Pick<Layout, "kind" | "headerLine" | "header" | "columns" | "byContent">;

const findHeader = (head: readonly TableRow[], options: LayoutOptions): Header | Problem => {
  // A statement's columns are many and its own, so it is recognised first; orders have two words in common with everything.
  const kinds: readonly FileKind[] = options.as === undefined ? ["statement", "orders"] : [options.as];
  for (const kind of kinds) {
    for (const row of head) {
      const columns = findColumns(row.cells, kind, options.told);
      if (!isNamed(columns, kind, options)) continue;
      return { kind, headerLine: row.line, header: row.cells, columns, byContent: [] };
    }
  }
  return findByContent(head, options);
};

const isNamed = (columns: Columns, kind: FileKind, options: LayoutOptions): boolean => {
  if (lackingFields(columns, kind).length > 0) return false;
  if ([...options.told.keys()].some((field) => columns[field] === undefined)) return false;
  // Orders may have a receipt and an amount too; the portal's columns are what makes a statement.
  return kind === "orders" || options.as !== undefined || columns["paid-in"] !== undefined || (columns.details !== undefined && columns.date !== undefined);
};

const findByContent = (head: readonly TableRow[], options: LayoutOptions): Header | Problem => {
  const kind = options.as ?? "orders";
  const first = head.find((row) => filledCells(row) > 1);
  if (first === undefined) return lackingProblem(kind, [], ["reference", "amount"]);
  const header = mostNamed(head, kind, options) ?? first;
  const columns: Partial<Record<FieldName, number>> = { ...findColumns(header.cells, kind, options.told) };
  const untold = [...options.told].filter(([field]) => columns[field] === undefined);
  if (untold.length > 0) {
    const names = untold.map(([field, heading]) => `${field}=${heading}`).join(", ");
    // PowerShell makes spaces of the commas of a list without quotes.
    const commas = untold.some(([, heading]) => /\s\S+=/.test(heading)) ? " Several columns are given with commas between them, the whole in quotes." : "";
    return { problem: `The file has no such column: ${names}.${commas}`, hint: `its columns are: ${headingsOf(header.cells)}` };
  }
  const byContent: FieldName[] = [];
  if (kind === "orders") {
    const body = head.filter((row) => row.line > header.line && filledCells(row) > 1);
    for (const field of ["amount", "reference"] as const) {
      if (columns[field] !== undefined || (field === "reference" && columns.receipt !== undefined)) continue;
      const index = columnLike(field, header.cells, body, columns);
      if (index === undefined) continue;
      columns[field] = index;
      byContent.push(field);
    }
  }
  const lacking = lackingFields(columns, kind);
  if (lacking.length > 0) return lackingProblem(kind, header.cells, lacking);
  return { kind, headerLine: header.line, header: header.cells, columns, byContent };
};

/** The row with most of the names we know, if any row has one. */
const mostNamed = (head: readonly TableRow[], kind: FileKind, options: LayoutOptions): TableRow | undefined => {
  let best: { readonly row: TableRow; readonly count: number } | undefined;
  for (const row of head) {
    const count = Object.keys(findColumns(row.cells, kind, options.told)).length;
    if (count > (best?.count ?? 0)) best = { row, count };
  }
  return best?.row;
};

const headingsOf = (cells: readonly string[]): string =>
  cells
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join(", ");

const lackingProblem = (kind: FileKind, header: readonly string[], lacking: readonly string[]): Problem => ({
  problem: `The file lacks ${lacking.length === 1 ? "a column" : "columns"} for ${lacking.join(" and ")}; ${
    kind === "orders"
      ? "orders need reference and amount (status and date are used where there)"
      : "a statement needs receipt, and paid-in and withdrawn (or amount)"
  }.`,
  hint: `name them, as in --columns ${kind === "orders" ? "reference=Order,amount=Total" : "receipt=Code,paid-in=Credit"}${header.length === 0 ? "" : `; its columns are: ${headingsOf(header)}`}`,
});

/** The only column of this kind among those that have no meaning yet; undefined where there is none or several. */
const columnLike = (field: "amount" | "reference", header: readonly string[], body: readonly TableRow[], taken: Columns): number | undefined => {
  const used = new Set(Object.values(taken));
  const fits: number[] = [];
  for (let index = 0; index < header.length; index += 1) {
    if (used.has(index)) continue;
    const cells = body.map((row) => (row.cells[index] ?? "").trim()).filter((cell) => cell !== "");
    if (cells.length === 0 || cells.length < body.length / 2) continue;
    if (field === "amount" ? areAmounts(cells) : areReferences(cells)) fits.push(index);
  }
  return fits.length === 1 ? fits[0] : undefined;
};

// Digits that begin with zero or are very long are numbers of something else: phones, tills, ids.
const areAmounts = (cells: readonly string[]): boolean =>
  cells.every((cell) => !/^0\d|^\+?\d{9,}$/.test(cell) && ([".", ","] as const).some((mark) => isAmount(cell, mark))) && !cells.every(looksLikeDate);
const isAmount = (cell: string, mark: DecimalMark): boolean => "minor" in (parseAmount(cell, mark) ?? {});
const areReferences = (cells: readonly string[]): boolean =>
  cells.every((cell) => /^[\p{L}\p{N}][\p{L}\p{N}\-/_. #]{0,60}$/u.test(cell) && /\d/.test(cell) && /\p{L}/u.test(cell) && !looksLikeDate(cell)) &&
  new Set(cells).size === cells.length;

const createColumnJudge = (header: Header, options: LayoutOptions) => {
  const { columns, kind, headerLine } = header;
  const decimals = createDecimalJudge();
  const days = createDayJudge();
  const amounts = [columns.amount, columns["paid-in"], columns.withdrawn].filter((index) => index !== undefined);
  let anyDate = false;
  return {
    see(row: TableRow): void {
      if (row.line <= headerLine) return;
      for (const index of amounts) decimals.see(row.cells[index] ?? "");
      if (columns.date === undefined) return;
      const cell = (row.cells[columns.date] ?? "").trim();
      if (cell === "") return;
      days.see(cell);
      if (!anyDate) anyDate = looksLikeDate(cell);
    },
    end(): Layout | Problem {
      const decimal = options.decimal ?? decideDecimal(decimals.evidence());
      if (typeof decimal === "object") return decimal;
      const dayOrder = options.dayOrder ?? decideDays(days.evidence(), kind);
      if (typeof dayOrder === "object") return dayOrder;
      return { ...header, decimal, dayOrder, dated: anyDate };
    },
  };
};

const decideDecimal = ({ point, comma, unclear }: ReturnType<ReturnType<typeof createDecimalJudge>["evidence"]>): DecimalMark | Problem => {
  const hint = "say which it is with --columns decimal=point or --columns decimal=comma";
  if (point !== undefined && comma !== undefined)
    return { problem: `The amounts use two decimal marks: "${point}" a point, "${comma}" a comma.`, hint: `make the column one of a kind, or ${hint}` };
  if (point !== undefined) return ".";
  if (comma !== undefined) return ",";
  if (unclear !== undefined) return { problem: `"${unclear}" could be thousands or three decimals, and no other amount of the file decides it.`, hint };
  return ".";
};

const decideDays = ({ dmy, mdy, unclear }: ReturnType<ReturnType<typeof createDayJudge>["evidence"]>, kind: FileKind): DayOrder | Problem => {
  const hint = "say which comes first with --columns dates=dmy or --columns dates=mdy";
  if (dmy !== undefined && mdy !== undefined) return { problem: `The dates use two orders: in "${dmy}" the day comes first, in "${mdy}" the month.`, hint };
  if (dmy !== undefined) return "dmy";
  if (mdy !== undefined) return "mdy";
  // The provider's portal writes the day first, on every statement (cases/reconcile/mini).
  if (unclear !== undefined && kind === "orders")
    return { problem: `"${unclear}" could be day and month or month and day, and no other date of the file decides it.`, hint };
  return "dmy";
};

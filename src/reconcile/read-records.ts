import { usageError } from "../errors.ts";
import type { TableRow } from "../tables/cell.ts";
import type { Table } from "../tables/read-table.ts";
import type { StatusClass } from "../transactions/status.ts";
import { parseAmount } from "./amounts.ts";
import { type Control, readControl } from "./control.ts";
import { currencyOfWord } from "./currency-words.ts";
import { createDateReader, type DateReader, looksLikeDate } from "./dates.ts";
import { createLayoutJudge, filledCells, isProblem, type Layout, type LayoutOptions } from "./layout.ts";
import { emptyRecord, type FileRecord } from "./record.ts";
import { accountInDetails, kindOfRow, reversedReceipt, stateOfWord } from "./words.ts";

export type NotRecord = { readonly line: number; readonly why: string };
export type ReadFile = {
  readonly layout: Layout;
  readonly records: readonly FileRecord[];
  readonly notRecords: readonly NotRecord[];
  readonly control: Control | undefined;
  /** First and last day, in the zone, of the rows and of what the preamble says. */
  readonly period: { readonly from: string; readonly to: string } | undefined;
  /** Words of the status column that mean nothing to us; they count as open. */
  readonly unrecognised: readonly string[];
};
// Only the first of them are worth reporting; a file of blank lines must not fill the memory.
const notRecordsMax = 10_000;

/** `name` is what messages call the file; `zone` is an IANA name. */
type ReadOptions = LayoutOptions & { readonly name: string; readonly zone: string };

/**
 * Goes through a table twice: for its layout, as a cell at the end may decide what the first ones mean, and for its records.
 * Throws CliError usage for what lacks a column.
 */
export const readRecords = async (table: Table, options: ReadOptions): Promise<ReadFile> => {
  const { name, zone } = options;
  const judge = createLayoutJudge(options);
  await table.scan(judge.see);
  const layout = judge.end();
  if (isProblem(layout)) throw usageError(`${name}: ${layout.problem}`, layout.hint === "" ? undefined : layout.hint);
  const dates = createDateReader(zone);
  const days = createPeriod(dates);
  const records: FileRecord[] = [];
  const notRecords: NotRecord[] = [];
  const unrecognised = new Set<string>();
  const preamble: TableRow[] = [];
  const toRecord = layout.kind === "orders" ? orderReader(layout, dates, unrecognised) : statementReader(layout, dates);
  await table.scan((row) => {
    const why = whyNot(row, layout);
    if (why === undefined) {
      refuseMarked(row, name);
      const record = toRecord(row);
      if (record.at !== undefined) days.see(record.at);
      records.push(record);
      return;
    }
    if (why === "preamble") preamble.push(row);
    if (why !== "header" && notRecords.length < notRecordsMax) notRecords.push({ line: row.line, why });
  });
  widenByPreamble(days, preamble, dates, layout);
  return { layout, records, notRecords, control: readControl(preamble, layout), period: days.period(), unrecognised: [...unrecognised] };
};

/** Throws CliError usage for a row that hides others. */
const refuseMarked = ({ line, marks }: TableRow, name: string): void => {
  if (marks === undefined) return;
  const rows = marks.find((mark) => mark?.kind === "rows");
  if (rows !== undefined) throw usageError(`${name}: a cell that begins after line ${line - 1}, on line ${line}, ${rows.says}`);
};

const widenByPreamble = (days: Period, preamble: readonly TableRow[], dates: DateReader, { dayOrder }: Layout): void => {
  for (const row of preamble) {
    if (!row.cells.some((cell) => /period|^from\b|^to\b/i.test(cell.trim()))) continue;
    for (const cell of row.cells) {
      const at = looksLikeDate(cell) ? dates.read(cell, dayOrder) : undefined;
      if (at !== undefined) days.widen(dates.dayOf(at));
    }
  }
};

const whyNot = (row: TableRow, layout: Layout): string | undefined => {
  if (row.line === layout.headerLine) return "header";
  if (row.line < layout.headerLine) return "preamble";
  const filled = filledCells(row);
  if (filled === 0) return "blank";
  if (isHeaderAgain(row, layout)) return "header again";
  if (filled === 1) return "single cell";
  return isTotals(row, layout) ? "totals" : undefined;
};

const isHeaderAgain = (row: TableRow, { header }: Layout): boolean =>
  row.cells.length === header.length && row.cells.every((cell, index) => cell === header[index] || cell.trim() === header[index]?.trim());

/** The word alone in a cell, no receipt, no date (cases/README.md): a payer called TOTAL is no totals line. */
const isTotals = (row: TableRow, { columns }: Layout): boolean =>
  cellAt(row, columns.receipt) === "" &&
  row.cells.some((cell) => cell.length < 20 && /^\s*(?:(?:grand|sub)[\s-]*)?totals?\s*:?\s*$/i.test(cell)) &&
  !looksLikeDate(cellAt(row, columns.date));

const cellAt = (row: TableRow, index: number | undefined): string => (index === undefined ? "" : (row.cells[index] ?? "").trim());
const orUndefined = (text: string): string | undefined => (text === "" ? undefined : text);

/** A status column has few words: each is looked at, and kept, once. */
const createWords = () => {
  const known = new Map<string, { readonly word: string; readonly state: StatusClass; readonly recognised: boolean }>();
  return (cell: string) => {
    const held = known.get(cell);
    if (held !== undefined) return held;
    const read = { word: cell, ...stateOfWord(cell) };
    // A longer piece of a text keeps all of that text alive.
    if (known.size < 1000 && cell.length < 13) known.set(cell, read);
    return read;
  };
};

const orderReader = (layout: Layout, dates: DateReader, unrecognised: Set<string>) => {
  const { columns, decimal, dayOrder, dated } = layout;
  const words = createWords();
  return (row: TableRow): FileRecord => {
    const unreadable = (why: string): FileRecord => ({ ...emptyRecord, line: row.line, unreadable: why });
    const amount = parseAmount(cellAt(row, columns.amount), decimal);
    if (amount === undefined) return unreadable("the amount is missing");
    if ("problem" in amount) return unreadable(amount.problem);
    // The local service is in KES (service 2.1): the same number in another currency is another amount.
    const word = cellAt(row, columns.currency);
    const currency = (word === "" ? undefined : (currencyOfWord(word) ?? word)) || amount.currency;
    if (![undefined, "KES"].includes(currency) || ![undefined, "KES"].includes(amount.currency))
      return unreadable(`the amount is in ${currency === "KES" ? amount.currency : currency}, the service's are in KES`);
    const dateCell = dated ? cellAt(row, columns.date) : "";
    const at = dates.read(dateCell, dayOrder);
    if (at === undefined && dateCell !== "") return unreadable("the date is no date");
    // Assumed: a list without a status column is a list of what was paid; the command says so.
    const {
      word: status,
      state,
      recognised,
    } = columns.status === undefined ? { word: "", state: "paid" as const, recognised: true } : words(cellAt(row, columns.status));
    if (!recognised && unrecognised.size < 20) unrecognised.add(status);
    return {
      line: row.line,
      id: orUndefined(cellAt(row, columns.id)),
      receipt: orUndefined(cellAt(row, columns.receipt)),
      reference: orUndefined(cellAt(row, columns.reference)),
      amountMinor: amount.minor,
      state,
      status: orUndefined(status),
      // Assumed: an order is money in, one of a negative amount (a refund) is money out.
      direction: amount.minor < 0n ? "out" : "in",
      at,
    };
  };
};

const statementReader = (layout: Layout, dates: DateReader) => {
  const { columns, dayOrder, dated } = layout;
  return (row: TableRow): FileRecord => {
    const unreadable = (why: string): FileRecord => ({ ...emptyRecord, line: row.line, unreadable: why });
    const amount = signedAmount(row, layout);
    if (typeof amount === "object") return unreadable(amount.problem);
    const dateCell = dated ? cellAt(row, columns.date) : "";
    const at = dates.read(dateCell, dayOrder);
    if (at === undefined && dateCell !== "") return unreadable("the date is no date");
    const word = cellAt(row, columns.status);
    if (columns.status !== undefined && word === "") return unreadable("the status is missing");
    const details = cellAt(row, columns.details);
    const linked = cellAt(row, columns.linked);
    const kind = kindOfRow({ type: cellAt(row, columns.type), details, amountMinor: amount, linked });
    return {
      ...emptyRecord,
      line: row.line,
      receipt: orUndefined(cellAt(row, columns.receipt)),
      reference: orUndefined(cellAt(row, columns.account)) ?? accountInDetails(details),
      amountMinor: amount,
      state: columns.status === undefined ? "paid" : stateOfWord(word).state,
      status: orUndefined(word),
      direction: amount < 0n ? "out" : "in",
      at,
      kind,
      reverses: kind === "reversal" ? reversedReceipt(details, linked) : undefined,
      whole: row.cells.map((cell) => cell.trim()).join("\u0000"),
    };
  };
};

const minorOf = (amount: ReturnType<typeof parseAmount>): bigint | undefined | { readonly problem: string } =>
  amount === undefined || "problem" in amount ? amount : amount.minor;

/** Paid In as it is, Withdrawn always as money out, whatever sign the export gives it. */
const signedAmount = (row: TableRow, { columns, decimal }: Layout): bigint | { readonly problem: string } => {
  if (columns["paid-in"] === undefined && columns.withdrawn === undefined) {
    const amount = parseAmount(cellAt(row, columns.amount), decimal) ?? { problem: "the amount is missing" };
    if ("problem" in amount) return amount;
    return amount.direction === "debit" && amount.minor > 0n ? -amount.minor : amount.minor;
  }
  const paidIn = minorOf(parseAmount(cellAt(row, columns["paid-in"]), decimal));
  const withdrawn = minorOf(parseAmount(cellAt(row, columns.withdrawn), decimal));
  if (typeof paidIn === "object") return paidIn;
  if (typeof withdrawn === "object") return withdrawn;
  const nothing = (value: bigint | undefined): boolean => value === undefined || value === 0n;
  if (nothing(paidIn) && nothing(withdrawn)) return paidIn ?? withdrawn ?? { problem: "the amount is missing" };
  if (!nothing(paidIn) && !nothing(withdrawn)) return { problem: "the row has money in and money out" };
  if (!nothing(paidIn)) return paidIn ?? 0n;
  const out = withdrawn ?? 0n;
  return out < 0n ? out : -out;
};

/** Instants are compared as text: the days of the least and the greatest are the ends. */
const createPeriod = (dates: DateReader) => {
  let from: string | undefined;
  let to: string | undefined;
  let least: string | undefined;
  let greatest: string | undefined;
  const widen = (day: string | undefined): void => {
    if (day === undefined) return;
    if (from === undefined || day < from) from = day;
    if (to === undefined || day > to) to = day;
  };
  return {
    widen,
    see(at: string): void {
      if (at.length === 10) widen(at);
      else {
        if (least === undefined || at < least) least = at;
        if (greatest === undefined || at > greatest) greatest = at;
      }
    },
    period(): ReadFile["period"] {
      for (const at of [least, greatest]) if (at !== undefined) widen(dates.dayOf(at));
      return from === undefined || to === undefined ? undefined : { from, to };
    },
  };
};
type Period = ReturnType<typeof createPeriod>;

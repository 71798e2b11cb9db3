import { countOf } from "../money/grouped.ts";
import type { TableRow } from "../tables/cell.ts";
import { currencyOfWord } from "./currency-words.ts";
import type { DateReader } from "./dates.ts";
import type { Layout } from "./layout.ts";
import { namesNothing } from "./loose-reference.ts";
import { referenceIn, takeBy } from "./narrative.ts";
import { isLabel, whyNotByWords } from "./not-records.ts";
import { looksLikeReceipt, receiptKey, receiptsOf } from "./receipts.ts";
import { emptyRecord, type FileRecord, type NewRecord } from "./record.ts";
import {
  type Amount,
  cellAt,
  countWord,
  foreignAmount,
  inCell,
  isProblem,
  type Problem,
  readAmount,
  shownMax,
  signedAmount,
  type Unrecognised,
  wayInRow,
} from "./row-amount.ts";
import { type Section, stateTitle, wayTitle } from "./section.ts";
import { kindOfRow, reversedReceipt, type StateOfWord, stateOfWord, wayOfWord } from "./words.ts";

/** A record, or why the row is none. */
export type RowRead = FileRecord | { readonly why: string };
export const isNoRecord = (read: RowRead): read is { readonly why: string } => "why" in read;

const orUndefined = (text: string): string | undefined => (text === "" ? undefined : text);
const toReference = (text: string): string | undefined => (namesNothing(text) ? undefined : text);
/** As it is written; undefined for what says that there is none. */
const toReceipt = (text: string): string | undefined => (receiptKey(text) === undefined ? undefined : text);
type Status = StateOfWord & { /** The cell; rows with the same one have one text. */ readonly word: string };
const allPaid: Status = { state: "paid", recognised: true, word: "" };

/** A status column has few words: each is looked at, and kept, once. */
const createWords = (layout: Layout, section: Section) => {
  const known = new Map<string, Status>();
  const options = { kind: layout.kind, own: layout.status, heading: layout.header[layout.columns.status ?? -1] };
  return (row: TableRow): Status => {
    // Assumed: a list without a status column is a list of what was paid; a note says so.
    if (layout.columns.status === undefined) {
      const title = stateTitle(layout, section);
      return title?.state === undefined ? allPaid : { state: title.state, recognised: true, word: title.text };
    }
    const cell = cellAt(row, layout.columns.status);
    const held = known.get(cell);
    if (held !== undefined) return held;
    const read = { ...stateOfWord(cell, options), word: cell };
    // A longer piece of a text keeps all of that text alive.
    if (known.size < 1000 && cell.length < 13) known.set(cell, read);
    return read;
  };
};

/** `2.60313E+13`: a spreadsheet has thrown the digits away that tell one reference from the next. */
const cutProblem = (row: TableRow, layout: Layout): string | undefined => {
  for (const field of ["reference", "receipt"] as const)
    if (/^\d[.,]\d+E\+\d+$/i.test(cellAt(row, layout.columns[field])))
      return inCell(row, layout, field, `the ${field} is shown in scientific notation, so its digits are lost`);
  return undefined;
};

/** A row whose cells do not stand under the headings, in a text file: nothing of it can be used. */
const shiftedProblem = (row: TableRow, { header, columns }: Layout, positioned: boolean): string | undefined => {
  if (row.marks !== undefined) {
    const used = Object.values(columns).find((index) => row.marks?.[index]?.kind === "quote" && !/^="[^"]*"$/.test((row.cells[index] ?? "").trim()));
    if (used !== undefined) return `the cell "${cellAt(row, used).slice(0, shownMax)}" on line ${row.line} ${row.marks[used]?.says ?? ""}`;
  }
  if (positioned || row.cells.length <= header.length) return undefined;
  let last = row.cells.length - 1;
  while (last >= header.length && (row.cells[last] ?? "").trim() === "") last -= 1;
  if (last < header.length) return undefined;
  return `${last + 1} cells under ${countOf(header.length, "heading")}, so they are shifted: "${cellAt(row, last).slice(0, shownMax)}" on line ${row.line} has no heading`;
};

const currencyOf = (row: TableRow, layout: Layout, amount: Amount | undefined, section: Section): string | undefined => {
  const word = cellAt(row, layout.columns.currency);
  const named = word === "" ? undefined : (currencyOfWord(word) ?? word.toUpperCase());
  return (named === "" ? undefined : named) ?? amount?.currency ?? section.currency ?? layout.currency;
};

/** Date and time of a row, also from several columns. */
const readAt = (row: TableRow, layout: Layout, dates: DateReader): string | undefined | Problem => {
  const cell = layout.dated ? cellAt(row, layout.columns.date) : "";
  return cell === "" ? undefined : (readDay(cell, row, layout, dates) ?? { problem: inCell(row, layout, "date", "the date is no date") });
};
const readDay = (day: string, row: TableRow, { columns, dayOrder }: Layout, dates: DateReader): string | undefined => {
  const [time, zone] = [columns.time === columns.date ? "" : cellAt(row, columns.time), cellAt(row, columns.zone)];
  return (time === "" && zone === "" ? undefined : dates.readCells({ date: day, time, zone }, dayOrder)) ?? dates.read(day, dayOrder);
};

export const unreadableRow = ({ line }: Pick<FileRecord, "line">, why: string): FileRecord => ({ ...emptyRecord, line, unreadable: why });

type RowReader = (row: TableRow) => RowRead;
type ReaderOptions = {
  readonly dates: DateReader;
  readonly unrecognised: Unrecognised;
  /** Cells stand where the sheet has them: a surplus one shifts no other. */
  readonly positioned: boolean;
  /** What the lines above the row say of it; it changes from block to block. */
  readonly section: Section;
};

/** Reads the rows of a file one after the other. */
export const createRowReader = (layout: Layout, options: ReaderOptions): RowReader => {
  const read = layout.kind === "orders" ? createOrderReader(layout, options) : createStatementReader(layout, options);
  return (row) => {
    const shifted = shiftedProblem(row, layout, options.positioned) ?? cutProblem(row, layout);
    return shifted === undefined ? read(row) : unreadableRow(row, shifted);
  };
};

const createOrderReader = (layout: Layout, { dates, unrecognised, section }: ReaderOptions): RowReader => {
  const { columns, items, bills } = layout;
  const words = createWords(layout, section);
  let before: FileRecord | undefined;
  return (row) => {
    if (bills?.words.has(cellAt(row, bills.column)) === true) return { why: "the same money as another row" };
    const amount = foreignAmount(row, layout) ?? readAmount(row, layout);
    const at = readAt(row, layout, dates);
    const reference = cellAt(row, columns.reference) || (referenceIn(layout, cellAt(row, columns.details)) ?? "");
    if (at === undefined || typeof at === "object" || amount === undefined) {
      const why = whyNotByWords(row, layout, {
        dated: typeof at === "string",
        hasReceipt: cellAt(row, columns.receipt) !== "",
        hasAmount: amount !== undefined,
        isOfOrder: reference !== "" && !isLabel(reference),
      });
      if (why !== undefined) return { why };
    }
    const status = words(row);
    const isSameName = reference === "" ? items : before?.reference === reference;
    if (amount === undefined && before !== undefined && isSameName && status.word === "") return { why: "continues the order above" };
    if (amount === undefined) return unreadableRow(row, inCell(row, layout, "amount", "the amount is missing"));
    if ("problem" in amount) return unreadableRow(row, inCell(row, layout, "amount", amount.problem));
    if (typeof at === "object") return unreadableRow(row, at.problem);
    const way = columns.direction === undefined || amount.minor < 0n ? layout.unsigned : wayInRow(row, layout, unrecognised);
    if (typeof way === "object") return unreadableRow(row, way.problem);
    // Assumed: an order is money in, one of a negative amount (a refund) is money out.
    const direction = amount.minor < 0n || way === "out" ? "out" : "in";
    const record: NewRecord = {
      line: row.line,
      reference: toReference(reference),
      amountMinor: amount.minor,
      state: way === "none" ? "unpaid" : status.state,
      status: orUndefined(status.word),
      direction,
    };
    const id = cellAt(row, columns.id);
    const [named = "", ...more] = receiptsOf(cellAt(row, columns.receipt));
    const details = cellAt(row, columns.details);
    const receipt = toReceipt(named) ?? toReceipt(takeBy(layout.receiptIn, details) ?? "");
    const further = layout.receiptIn.length === 0 ? more : details.split(/[^\p{L}\p{N}]+/u).filter((word) => looksLikeReceipt(word) && word !== receipt);
    const phone = cellAt(row, columns.phone);
    const currency = currencyOf(row, layout, amount, section);
    if (further.length > 0) record.moreReceipts = further;
    if (id !== "") record.id = id;
    if (receipt !== undefined) record.receipt = receipt;
    if (at !== undefined) record.at = at;
    if (phone !== "") record.phone = phone;
    if (currency !== undefined) record.currency = currency;
    if (items && before !== undefined && isSameOrder(before, record)) return { why: "continues the order above" };
    if (!status.recognised && !(status.word === "" && isSameName)) countWord(unrecognised, status.word);
    before = record;
    return record;
  };
};

/** Another item of the same order: all that makes the record is the same. */
const isSameOrder = (a: FileRecord, b: FileRecord): boolean =>
  a.reference !== undefined &&
  a.reference === b.reference &&
  a.id === b.id &&
  a.amountMinor === b.amountMinor &&
  a.status === b.status &&
  a.at === b.at &&
  a.receipt === b.receipt;

const createStatementReader = (layout: Layout, { dates, unrecognised, section }: ReaderOptions): RowReader => {
  const { columns } = layout;
  const words = createWords(layout, section);
  return (row) => {
    const status = words(row);
    const amount = signedAmount(row, layout, unrecognised, status.state === "paid");
    const at = readAt(row, layout, dates);
    if (layout.dayOnce && typeof at === "string" && at.length === 10) section.date = at;
    const details = cellAt(row, columns.details) || cellAt(row, layout.besideDetails);
    const receipt = toReceipt(cellAt(row, columns.receipt)) ?? toReceipt(takeBy(layout.receiptIn, details) ?? "");
    const hasAmount = amount !== undefined && (isProblem(amount) || amount.minor !== 0n);
    if (typeof at !== "string" || !hasAmount || cellAt(row, columns.reference) === "" || layout.headerLine === 0) {
      const why = whyNotByWords(row, layout, { dated: typeof at === "string", hasReceipt: receipt !== undefined && /\d/.test(receipt), hasAmount });
      if (why !== undefined) return { why };
    }
    if (amount === undefined && row.cells.length <= lastNeeded(layout))
      return unreadableRow(row, `the row ends after ${row.cells.length} of ${layout.header.length} cells, on line ${row.line}`);
    if (amount !== undefined && isProblem(amount)) return unreadableRow(row, amount.problem);
    if (typeof at === "object") return unreadableRow(row, at.problem);
    if (columns.status !== undefined && status.word === "") return unreadableRow(row, inCell(row, layout, "status", "the status is missing"));
    if (!status.recognised) {
      countWord(unrecognised, status.word);
      return unreadableRow(row, inCell(row, layout, "status", "the status is a word that is not known"));
    }
    // What was voided or only held ready moved nothing, whatever the amount; a balance knows better.
    const stays = columns.balance === undefined && columns.type !== undefined && wayOfWord(cellAt(row, columns.type), layout.directions, true) === "none";
    const unsigned = amount === undefined || stays ? 0n : amount.minor;
    const minor = unsigned > 0n && wayTitle(layout, section)?.way === "out" ? -unsigned : unsigned;
    const [linked, phone] = [cellAt(row, columns.linked), cellAt(row, columns.phone)];
    const currency = currencyOf(row, layout, amount, section);
    const named = kindOfRow({ type: cellAt(row, columns.type), details, amountMinor: minor, linked }, layout.rows);
    const reference = toReference(cellAt(row, columns.reference)) ?? referenceIn(layout, details);
    // A gateway lists payments; what it takes away under a payment's reference is paid back. An account with a balance also pays out.
    const kind = named === "payout" && columns.amount !== undefined && columns.balance === undefined && reference !== undefined ? "reversal" : named;
    return {
      line: row.line,
      id: undefined,
      receipt,
      reference,
      amountMinor: minor,
      state: status.state,
      status: orUndefined(status.word),
      direction: minor < 0n ? "out" : "in",
      at: at ?? (section.date === undefined ? undefined : readDay(section.date, row, layout, dates)),
      kind,
      reverses: kind === "reversal" ? toReceipt(reversedReceipt(details, linked) ?? "") : undefined,
      ...(phone === "" ? {} : { phone }),
      whole: row.cells.map((cell) => cell.trim()).join("\u0000"),
      ...(currency === undefined ? {} : { currency }),
    };
  };
};

/** The last column that every row of a whole file reaches. */
const lastNeeded = ({ columns }: Layout): number => Math.min(...[columns.amount, columns["paid-in"], columns.withdrawn].filter((index) => index !== undefined));

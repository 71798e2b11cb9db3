import { usageError } from "../errors.ts";
import type { TableRow } from "../tables/cell.ts";
import type { Table } from "../tables/read-table.ts";
import { type BalanceBreak, createBalanceCheck } from "./balance-check.ts";
import { type Control, createControl } from "./control.ts";
import { createDateReader, type DateReader, looksLikeDate } from "./dates.ts";
import { isHeaderAgain } from "./draft.ts";
import { filledCells } from "./header.ts";
import type { Layout } from "./layout.ts";
import { isLabel, whyNotByPlace } from "./not-records.ts";
import { joinOrderRows } from "./order-rows.ts";
import type { FileRecord } from "./record.ts";
import { createRowReader, isNoRecord, type RowRead, unreadableRow } from "./row-reader.ts";
import { currencyOfSection, dayOfSection, type Section, stateTitle, type Title, titleOf, wayTitle } from "./section.ts";
import { createJoiner, isTextAlone } from "./wrapped.ts";

export type NotRecord = { readonly line: number; readonly why: string };
export type ReadFile = {
  readonly layout: Layout;
  readonly records: readonly FileRecord[];
  readonly notRecords: readonly NotRecord[];
  /** Lines above the headings that look like records. They are not read. */
  readonly above: readonly number[];
  /** How many rows continue the order above them, or lines the text of a row. */
  readonly continued: number;
  /** Lines of text, with neither a date nor an amount, that belong to no row as far as is proved: how many, and the first of them. */
  readonly loose: { readonly count: number; readonly lines: readonly number[] };
  /** How many rows only are the other side of the booking above them. */
  readonly mirrored: number;
  readonly control: Control | undefined;
  /** First and last day, in the zone, of the rows and of what the preamble says. */
  readonly period: { readonly from: string; readonly to: string } | undefined;
  /** Words of the status and direction columns that mean nothing to us, with the number of their rows. */
  readonly unrecognised: ReadonlyMap<string, number>;
  /** Lines that say of the rows below them what became of them. */
  readonly titles: readonly Title[];
  /** Where the running balance does not go on, in a file where it does otherwise. */
  readonly breaks: readonly BalanceBreak[];
};
// Only the first of them are worth reporting; a file of blank lines must not fill the memory.
const notRecordsMax = 10_000;
const linesShown = 10;

/** `name` is what messages call the file; `zone` is an IANA name. */
type ReadOptions = { readonly name: string; readonly zone: string };

/** Reads every row by a layout. Throws CliError usage for a row that hides others. */
export const readRecords = async (table: Table, layout: Layout, { name, zone }: ReadOptions): Promise<ReadFile> => {
  const dates = createDateReader(layout.zone ?? zone);
  const days = createPeriod(createDateReader(zone));
  const records: FileRecord[] = [];
  const notRecords: NotRecord[] = [];
  let continued = 0;
  const loose: { count: number; readonly lines: number[] } = { count: 0, lines: [] };
  const unrecognised = new Map<string, number>();
  const preamble: TableRow[] = [];
  const balance = createBalanceCheck(layout);
  const control = createControl(layout);
  const positioned = table.kind !== "csv" && table.kind !== "tsv";
  const section: Section = {};
  const titles = new Set<Title>();
  const read = createRowReader(layout, { dates, unrecognised, positioned, section });
  const leaveOut = (row: TableRow, why: string): void => {
    if (why === "preamble" && filledCells(row) > 0) preamble.push(row);
    if (why === "continues the order above") continued += 1;
    if (layout.kind === "statement" && isLoose(row, why, layout)) {
      loose.count += 1;
      if (loose.lines.length < linesShown) loose.lines.push(row.line);
    }
    control.see(row, why);
    seeSection(section, row, layout, dates);
    if (why !== "header" && notRecords.length < notRecordsMax) notRecords.push({ line: row.line, why });
  };
  const take = (row: TableRow): void => {
    refuseMoved(row, layout, name);
    const place = whyNotByPlace(row, layout);
    if (place !== undefined) {
      leaveOut(row, place);
      return;
    }
    refuseHidden(row, name);
    const found = read(row);
    if (isNoRecord(found)) {
      leaveOut(row, found.why);
      return;
    }
    if (found.at !== undefined) days.see(found.at);
    for (const title of [stateTitle(layout, section), wayTitle(layout, section)]) if (title !== undefined) titles.add(title);
    balance.see(row, found);
    records.push(found);
  };
  const joiner = layout.wrapped === undefined ? undefined : createJoiner(layout.wrapped, layout.header, take);
  await table.scan(joiner?.see ?? take);
  joiner?.end();
  widenByPreamble(days, preamble, dates, layout);
  const readAbove = createRowReader(layout, { dates, unrecognised: new Map(), positioned, section: {} });
  const above = preamble.filter((row) => looksLikeRecord(readAbove(row))).map(({ line }) => line);
  const unmoved = balance.unmoved();
  const joined = layout.kind === "statement" ? { records: withoutUnmoved(records, unmoved), continued: 0, mirrored: 0 } : joinOrderRows(records, layout);
  const breaks = balance.breaks();
  return {
    above,
    layout,
    records: joined.records,
    notRecords,
    continued: continued + joined.continued + (joiner?.joined() ?? 0),
    loose,
    mirrored: joined.mirrored,
    control: control.end(balance.last()),
    period: days.period(),
    unrecognised,
    titles: [...titles].slice(0, linesShown),
    breaks,
  };
};

const seeSection = (section: Section, row: TableRow, layout: Layout, dates: DateReader): void => {
  const title = titleOf(row, layout.kind);
  if (title?.state !== undefined) section.state = title;
  if (title?.way !== undefined) section.way = title;
  if (layout.kind === "orders") return;
  const currency = currencyOfSection(row, row.line < layout.headerLine);
  if (currency !== undefined && layout.sources.get("currency") !== "told") section.currency = currency;
  const day = row.line > layout.lastHeaderLine ? dayOfSection(row) : undefined;
  const date = day === undefined ? undefined : dates.read(day, layout.dayOrder);
  if (date !== undefined) section.date = date;
};

const isLoose = (row: TableRow, why: string, { columns }: Layout): boolean =>
  why === "single cell" ? isTextAlone(row, columns.details ?? -1) : why === "footer" && !row.cells.some(isLabel);

/** A row above the headings that reads like the rows below them. */
const looksLikeRecord = (found: RowRead): boolean =>
  !isNoRecord(found) && found.unreadable === undefined && found.amountMinor !== 0n && (found.at !== undefined || found.receipt !== undefined);

const withoutUnmoved = (records: readonly FileRecord[], unmoved: ReadonlySet<number>): readonly FileRecord[] =>
  unmoved.size === 0
    ? records
    : records.map((record) =>
        record.line !== undefined && unmoved.has(record.line)
          ? unreadableRow(record, `the row moves money and the balance does not move, on line ${record.line}`)
          : record,
      );

/** Throws CliError usage for a section of the file whose headings stand in another order: its amounts would change places. */
const refuseMoved = ({ line, cells }: TableRow, { header, headerLine }: Layout, name: string): void => {
  if (headerLine === 0 || !header.includes(cells[0] ?? "")) return;
  const filled = cells.filter((cell) => cell.trim() !== "");
  if (filled.length < 3 || !filled.every((cell) => header.includes(cell)) || isHeaderAgain(cells, header)) return;
  throw usageError(
    `${name}: The columns change their places between lines ${Math.min(line, headerLine)} and ${Math.max(line, headerLine)}.`,
    "Save each section as a file of its own",
  );
};

/** Throws CliError usage for a row that hides others. */
const refuseHidden = ({ line, marks }: TableRow, name: string): void => {
  const rows = marks?.find((mark) => mark?.kind === "rows");
  if (rows !== undefined) throw usageError(`${name}: a cell that begins after line ${line - 1}, on line ${line}, ${rows.says}`);
};

const widenByPreamble = (days: Period, preamble: readonly TableRow[], dates: DateReader, { dayOrder }: Layout): void => {
  for (const row of preamble) {
    if (!row.cells.some((cell) => /period|^from\b|^to\b/i.test(cell.trim()))) continue;
    for (const cell of row.cells) {
      for (const part of cell.split(/\s+(?:-|to|–|until|bis|au)\s+/i)) {
        const at = looksLikeDate(part) ? dates.read(part, dayOrder) : undefined;
        if (at !== undefined) days.widen(dates.dayOf(at));
      }
    }
  }
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

import { usageError } from "../errors.ts";
import type { Json } from "../json/exact-json.ts";
import { groupedAmount, groupedCount } from "../money/grouped.ts";
import type { Context } from "../ports.ts";
import { columnLetters, type TableRow } from "../tables/cell.ts";
import { isStdin } from "../tables/input-file.ts";
import { openTable, type Table, tableOf } from "../tables/read-table.ts";
import { type Columns, type FieldName, type FileKind, fieldNames } from "./columns.ts";
import { createDateReader, type DayOrder, isTimeZone } from "./dates.ts";
import type { Keys, Place } from "./keys.ts";
import { createLayoutJudge, isProblem, type Layout, type LayoutOptions } from "./layout.ts";
import { type Control, type ControlFault, createControlSums, createRecordReader, type ReadFile } from "./read-records.ts";
import { compareResults, type ReconcileOptions, type Result, type Summary } from "./reconcile.ts";
import { reconcileStored } from "./reconcile-stored.ts";
import { formatMinor } from "./record.ts";
import { createRowColumns, type StoredSide } from "./stored-side.ts";

export const usualZone = "Africa/Nairobi";
const stdinBytesMax = 1024 * 1024 * 1024;

export type ColumnsTold = Pick<LayoutOptions, "told" | "decimal" | "dayOrder">;
export type FileSide = {
  readonly side: StoredSide;
  readonly period: ReadFile["period"];
  readonly hasReceipts: boolean;
  /** As `inputs` of the JSON document has it. */
  readonly input: Json;
  /** What the person should know about how it was read. */
  readonly notes: readonly string[];
};

const isFieldName = (name: string): name is FieldName => (fieldNames as readonly string[]).includes(name);

/** `--columns reference=Order,amount=Total`. Throws CliError usage. */
export const parseColumns = (texts: readonly string[]): ColumnsTold => {
  const told = new Map<FieldName, string>();
  let decimal: "." | "," | undefined;
  let dayOrder: DayOrder | undefined;
  for (const part of texts.flatMap((text) => text.split(",")).filter((text) => text.trim() !== "")) {
    const [, name = "", value = ""] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    const field = name.toLowerCase().replaceAll("_", "-");
    if (value === "") throw usageError(`--columns: "${part.trim()}" is no field=heading.`, "as in --columns reference=Order,amount=Total");
    if (field === "decimal" && (value === "point" || value === "comma")) decimal = value === "point" ? "." : ",";
    else if (field === "dates" && (value === "dmy" || value === "mdy")) dayOrder = value;
    else if (isFieldName(field)) told.set(field, value);
    else throw usageError(`--columns does not know "${part.trim()}".`, `fields are ${fieldNames.join(", ")}; also dates=dmy|mdy and decimal=point|comma`);
  }
  return { told, decimal, dayOrder };
};

/** Throws CliError usage. */
export const checkZone = (zone: string): void => {
  if (!isTimeZone(zone)) throw usageError(`--zone does not know "${zone}".`, "give an IANA name, as Africa/Nairobi or UTC");
};

export type FileOptions = ColumnsTold & { readonly as?: FileKind | undefined; readonly zone: string; readonly sheet?: string | undefined };

/** Reads one file of records; `-` is standard input. Throws CliError usage for what can't be read, has no rows or lacks a column. */
export const readFileSide = async (
  path: string,
  options: FileOptions,
  context: Pick<Context, "readStdin" | "signal">,
  { keys, place }: { readonly keys: Keys; readonly place: Place },
): Promise<FileSide> => {
  const name = isStdin(path) ? "standard input" : path;
  const sheets = { sheet: options.sheet, flag: place === "ours" ? "--sheet" : "--against-sheet", includeHidden: true };
  const table = isStdin(path) ? await tableOf(await context.readStdin(stdinBytesMax), name, sheets) : await openTable(path, sheets, context.signal);
  if (table.kind === "xlsx" && table.datesFrom1904)
    throw usageError(`${name} counts its dates from 1904.`, "switch that off in the spreadsheet's options, or save it as CSV");
  const judge = createLayoutJudge(options);
  await table.scan(judge.see);
  const layout = judge.end();
  if (isProblem(layout)) throw usageError(`${name}: ${layout.problem}`, layout.hint === "" ? undefined : layout.hint);
  const rows = createRowColumns(layout.kind, place, keys);
  const reader = createRecordReader(layout, options.zone);
  let hasReceipts = false;
  await table.scan((row) => {
    const record = reader.read(row);
    if (record === undefined) return;
    refuseMarked(row, layout.columns, name);
    hasReceipts ||= record.receipt !== undefined;
    rows.add(record);
  });
  if (rows.count() === 0) throw usageError(`${name} has a header and no rows: there is nothing to compare.`, "was it exported empty, or cut off?");
  const file = reader.end();
  const collect: StoredSide["collect"] = async (isWanted, onRecord) => {
    const again = createRecordReader(layout, options.zone);
    let index = 0;
    await table.scan((row) => {
      const number = again.isRecord(row) ? index++ : undefined;
      if (number === undefined || !isWanted(number)) return;
      const record = again.read(row);
      if (record !== undefined) onRecord(record, number);
    });
  };
  const faults = await faultsOf(file, collect);
  const read = { name, table, layout, file, count: rows.count(), faults };
  return { side: { kind: layout.kind, rows, collect }, period: file.period, hasReceipts, input: inputOf(read), notes: notesOf(read) };
};

/** Throws CliError usage for a row that hides others, and for the result of a formula, which may be an old one, in a column that is used. */
const refuseMarked = ({ line, marks }: TableRow, columns: Columns, name: string): void => {
  if (marks === undefined) return;
  const rows = marks.find((mark) => mark?.kind === "rows");
  if (rows !== undefined) throw usageError(`${name}: a cell that begins after line ${line - 1}, on line ${line}, ${rows.says}`);
  const column = Object.values(columns).find((index) => marks[index]?.kind === "formula");
  if (column !== undefined) throw usageError(`${name}: cell ${columnLetters(column)}${line} ${marks[column]?.says ?? ""}.`);
};

type Read = {
  readonly name: string;
  readonly table: Table;
  readonly layout: Layout;
  readonly file: ReadFile;
  readonly count: number;
  readonly faults: readonly ControlFault[];
};

/** Only a statement that gives figures of itself is gone through for them. */
const faultsOf = async ({ control }: ReadFile, collect: StoredSide["collect"]): Promise<readonly ControlFault[]> => {
  if (control === undefined) return [];
  const sums = createControlSums();
  await collect(() => true, sums.see);
  return sums.faults(control);
};

const columnNames = (columns: Columns, header: readonly string[]): Json =>
  Object.fromEntries(Object.entries(columns).map(([field, index]) => [field, header[index]?.trim() ?? ""]));

const inputOf = ({ name, table, layout, file, count, faults }: Read): Json => ({
  file: name,
  kind: layout.kind,
  format: table.kind,
  encoding: table.encoding,
  bom: table.bom,
  ...(table.delimiter === undefined ? {} : { delimiter: table.delimiter }),
  decimal: layout.decimal,
  headerLine: layout.headerLine,
  columns: columnNames(layout.columns, layout.header),
  records: count,
  notRecords: file.notRecords.slice(0, 1000).map(({ line, why }) => ({ line, why })),
  ...(file.period === undefined ? {} : { period: { from: file.period.from, to: file.period.to } }),
  ...(file.control === undefined ? {} : { control: controlOf(file.control, faults) }),
});

const controlOf = (control: Control, faults: readonly ControlFault[]): Json => {
  return {
    ...Object.fromEntries(Object.entries(control).map(([key, value]) => [key, formatMinor(value)])),
    holds: faults.length === 0,
    ...(faults.length === 0 ? {} : { faults: faults.map(({ what, said, found }) => ({ what, said: formatMinor(said), found: formatMinor(found) })) }),
  };
};

const shown = (minor: bigint): string => groupedAmount(formatMinor(minor), "KES");

const notesOf = ({ name, layout, file, count, faults }: Read): readonly string[] => {
  const notes: string[] = [];
  const named = Object.entries(layout.columns).map(([field, index]) => `${field}=${layout.header[index]?.trim() ?? ""}`);
  notes.push(`${name}: read as ${layout.kind}, ${groupedCount(count)} rows (${named.join(", ")}).`);
  if (layout.byContent.length > 0) notes.push(`${name}: ${layout.byContent.join(" and ")} found by what is in the columns; --columns says it for sure.`);
  if (layout.kind === "orders" && layout.columns.status === undefined) notes.push(`${name}: no status column, so every row counts as paid.`);
  if (layout.columns.date !== undefined && !layout.dated) notes.push(`${name}: the date column holds no dates; it is not used.`);
  if (file.unrecognised.length > 0)
    notes.push(`${name}: unrecognised status, counted as open: ${file.unrecognised.map((word) => (word === "" ? "(empty)" : word)).join(", ")}.`);
  for (const { what, said, found } of faults) {
    notes.push(`${name}: ${what} says ${shown(said)}, its rows give ${shown(found)}: rows are missing or changed.`);
  }
  return notes;
};

export type Compared = {
  /** Those that differ, in a fixed order. */
  readonly differing: readonly Result[];
  readonly summary: Summary;
};

/** Compares a file with what is there. Only what differs is kept: a million matched rows are counted, not held. */
export const compareSides = async (ours: FileSide, theirs: StoredSide, keys: Keys, zone: string): Promise<Compared> => {
  const differing: Result[] = [];
  const options: ReconcileOptions = { period: ours.period, dayOf: createDateReader(zone).dayOf };
  const summary = await reconcileStored(ours.side, theirs, keys, (result) => differing.push(result), options);
  return { differing: differing.sort(compareResults), summary };
};

import { usageError } from "../errors.ts";
import type { Json, JsonObject } from "../json/exact-json.ts";
import { groupedAmount, groupedCount } from "../money/grouped.ts";
import type { Context } from "../ports.ts";
import { isStdin } from "../tables/input-file.ts";
import { openTable, type Table, tableOf } from "../tables/read-table.ts";
import { type Columns, type FieldName, type FileKind, fieldNames } from "./columns.ts";
import { type Control, type ControlFault, controlFaults } from "./control.ts";
import { type DayOrder, isTimeZone } from "./dates.ts";
import type { LayoutOptions } from "./layout.ts";
import { type ReadFile, readRecords } from "./read-records.ts";
import { formatMinor, type Side } from "./record.ts";

export const usualZone = "Africa/Nairobi";
const stdinBytesMax = 1024 * 1024 * 1024;

export type ColumnsTold = Pick<LayoutOptions, "told" | "decimal" | "dayOrder">;
/** A file as one side, and what is reported of how it was read. */
export type FileSide = ReadFile & {
  readonly name: string;
  readonly table: Table;
  readonly side: Side;
  readonly hasReceipts: boolean;
  readonly faults: readonly ControlFault[];
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

export type FileOptions = ColumnsTold & {
  readonly as?: FileKind | undefined;
  readonly zone: string;
  readonly sheet?: string | undefined;
  /** The flag that names the sheet. */
  readonly sheetFlag: string;
};

/** Reads one file of records; `-` is standard input. Throws CliError usage for what can't be read, has no rows or lacks a column. */
export const readFileSide = async (path: string, options: FileOptions, context: Pick<Context, "readStdin" | "signal">): Promise<FileSide> => {
  const name = isStdin(path) ? "standard input" : path;
  const sheets = { sheet: options.sheet, flag: options.sheetFlag, includeHidden: true };
  const table = isStdin(path) ? await tableOf(await context.readStdin(stdinBytesMax), name, sheets) : await openTable(path, sheets, context.signal);
  const file = await readRecords(table, { ...options, name });
  const { records, control } = file;
  if (records.length === 0) throw usageError(`${name} has a header and no rows: there is nothing to compare.`, "was it exported empty, or cut off?");
  return {
    ...file,
    name,
    table,
    side: { kind: file.layout.kind, records },
    hasReceipts: records.some(({ receipt }) => receipt !== undefined),
    faults: control === undefined ? [] : controlFaults(control, records),
  };
};

const columnNames = (columns: Columns, header: readonly string[]): Json =>
  Object.fromEntries(Object.entries(columns).map(([field, index]) => [field, header[index]?.trim() ?? ""]));

/** One of `inputs` of the JSON document. */
export const inputOf = ({ name, table, layout, records, notRecords, period, control, faults }: FileSide): JsonObject => ({
  file: name,
  kind: layout.kind,
  format: table.kind,
  encoding: table.encoding,
  bom: table.bom,
  ...(table.delimiter === undefined ? {} : { delimiter: table.delimiter }),
  decimal: layout.decimal,
  headerLine: layout.headerLine,
  columns: columnNames(layout.columns, layout.header),
  records: records.length,
  notRecords: notRecords.slice(0, 1000).map(({ line, why }) => ({ line, why })),
  ...(period === undefined ? {} : { period: { from: period.from, to: period.to } }),
  ...(control === undefined ? {} : { control: controlOf(control, faults) }),
});

const controlOf = (control: Control, faults: readonly ControlFault[]): Json => ({
  ...Object.fromEntries(Object.entries(control).map(([key, value]) => [key, formatMinor(value)])),
  holds: faults.length === 0,
  ...(faults.length === 0 ? {} : { faults: faults.map(({ what, said, found }) => ({ what, said: formatMinor(said), found: formatMinor(found) })) }),
});

const shown = (minor: bigint): string => groupedAmount(formatMinor(minor), "KES");

/** What the person should know about how the file was read. */
export const notesOf = ({ name, table, layout, records, unrecognised, faults }: FileSide): readonly string[] => {
  const notes = table.notes.map((note) => `${name} ${note}.`);
  const named = Object.entries(layout.columns).map(([field, index]) => `${field}=${layout.header[index]?.trim() ?? ""}`);
  notes.push(`${name}: read as ${layout.kind}, ${groupedCount(records.length)} rows (${named.join(", ")}).`);
  if (layout.byContent.length > 0) notes.push(`${name}: ${layout.byContent.join(" and ")} found by what is in the columns; --columns says it for sure.`);
  if (layout.kind === "orders" && layout.columns.status === undefined) notes.push(`${name}: no status column, so every row counts as paid.`);
  if (layout.columns.date !== undefined && !layout.dated) notes.push(`${name}: the date column holds no dates; it is not used.`);
  if (unrecognised.length > 0)
    notes.push(`${name}: unrecognised status, counted as open: ${unrecognised.map((word) => (word === "" ? "(empty)" : word)).join(", ")}.`);
  for (const { what, said, found } of faults) {
    notes.push(`${name}: ${what} says ${shown(said)}, its rows give ${shown(found)}: rows are missing or changed.`);
  }
  return notes;
};

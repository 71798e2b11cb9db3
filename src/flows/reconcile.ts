import { groupedAmount, groupedCount } from "../domain/grouped.ts";
import { type Columns, type FieldName, type FileKind, fieldNames } from "../domain/reconcile/columns.ts";
import { createDateReader, type DayOrder, isTimeZone } from "../domain/reconcile/dates.ts";
import { findLayout, isProblem, type Layout, type LayoutOptions } from "../domain/reconcile/layout.ts";
import { checkControl, type ReadFile, readRecords } from "../domain/reconcile/read-records.ts";
import { compareResults, isDifference, type ReconcileOptions, type Result, reconcile, type Summary } from "../domain/reconcile/reconcile.ts";
import { formatMinor, type Side } from "../domain/reconcile/record.ts";
import { isStdin } from "../files/input-file.ts";
import { readTable, readTableBytes, type TableFile } from "../files/read-table.ts";
import type { Context } from "../kernel/context.ts";
import { usageError } from "../kernel/errors.ts";
import type { Json } from "../kernel/exact-json.ts";

export const usualZone = "Africa/Nairobi";
const stdinBytesMax = 1024 * 1024 * 1024;

export type ColumnsTold = Pick<LayoutOptions, "told" | "decimal" | "dayOrder">;
export type FileSide = {
  readonly side: Side;
  readonly layout: Layout;
  readonly file: ReadFile;
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

export type FileOptions = ColumnsTold & { readonly as?: FileKind | undefined; readonly zone: string };

/** Reads one file of records; `-` is standard input. Throws CliError usage for what can't be read, has no rows or lacks a column. */
export const readFileSide = async (path: string, options: FileOptions, context: Pick<Context, "readStdin">): Promise<FileSide> => {
  const bytes = isStdin(path) ? await context.readStdin(stdinBytesMax) : await readTableBytes(path, stdinBytesMax);
  const name = isStdin(path) ? "standard input" : path;
  const table = await readTable(bytes, name);
  const layout = findLayout(table.rows, options);
  if (isProblem(layout)) throw usageError(`${name}: ${layout.problem}`, layout.hint === "" ? undefined : layout.hint);
  const file = readRecords(table.rows, layout, options.zone);
  if (file.records.length === 0) throw usageError(`${name} has a header and no rows: there is nothing to compare.`, "was it exported empty, or cut off?");
  const side: Side = { kind: layout.kind, records: file.records };
  // The table is not handed on: it holds every byte of the file.
  return { side, layout, file, input: inputOf(name, table, layout, file), notes: notesOf(name, layout, file) };
};

const columnNames = (columns: Columns, header: readonly string[]): Json =>
  Object.fromEntries(Object.entries(columns).map(([field, index]) => [field, header[index]?.trim() ?? ""]));

const inputOf = (name: string, table: TableFile, layout: Layout, file: ReadFile): Json => ({
  file: name,
  kind: layout.kind,
  format: table.kind,
  encoding: table.encoding,
  bom: table.bom,
  ...(table.delimiter === undefined ? {} : { delimiter: table.delimiter }),
  decimal: layout.decimal,
  headerLine: layout.headerLine,
  columns: columnNames(layout.columns, layout.header),
  records: file.records.length,
  notRecords: file.notRecords.slice(0, 1000).map(({ line, why }) => ({ line, why })),
  ...(file.period === undefined ? {} : { period: { from: file.period.from, to: file.period.to } }),
  ...(file.control === undefined ? {} : { control: controlOf(file) }),
});

const controlOf = (file: ReadFile): Json => {
  const control = file.control ?? {};
  const faults = checkControl(control, file.records);
  return {
    ...Object.fromEntries(Object.entries(control).map(([key, value]) => [key, formatMinor(value)])),
    holds: faults.length === 0,
    ...(faults.length === 0 ? {} : { faults: faults.map(({ what, said, found }) => ({ what, said: formatMinor(said), found: formatMinor(found) })) }),
  };
};

const shown = (minor: bigint): string => groupedAmount(formatMinor(minor), "KES");

const notesOf = (name: string, layout: Layout, file: ReadFile): readonly string[] => {
  const notes: string[] = [];
  const named = Object.entries(layout.columns).map(([field, index]) => `${field}=${layout.header[index]?.trim() ?? ""}`);
  notes.push(`${name}: read as ${layout.kind}, ${groupedCount(file.records.length)} rows (${named.join(", ")}).`);
  if (layout.byContent.length > 0) notes.push(`${name}: ${layout.byContent.join(" and ")} found by what is in the columns; --columns says it for sure.`);
  if (layout.kind === "orders" && layout.columns.status === undefined) notes.push(`${name}: no status column, so every row counts as paid.`);
  if (layout.columns.date !== undefined && !layout.dated) notes.push(`${name}: the date column holds no dates; it is not used.`);
  if (file.unrecognised.length > 0)
    notes.push(`${name}: unrecognised status, counted as open: ${file.unrecognised.map((word) => (word === "" ? "(empty)" : word)).join(", ")}.`);
  for (const { what, said, found } of checkControl(file.control ?? {}, file.records)) {
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
export const compareSides = (ours: FileSide, theirs: Side, zone: string): Compared => {
  const differing: Result[] = [];
  const dates = createDateReader(zone);
  const options: ReconcileOptions = { period: ours.file.period, dayOf: dates.dayOf };
  const summary = reconcile(
    ours.side,
    theirs,
    (result) => {
      if (isDifference(result.category)) differing.push(result);
    },
    options,
  );
  return { differing: differing.sort(compareResults), summary };
};

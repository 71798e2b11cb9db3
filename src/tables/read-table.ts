import { usageError } from "../errors.ts";
import type { TableRow } from "./cell.ts";
import type { SheetOptions } from "./choose-sheet.ts";
import type { Encoding } from "./decode-text.ts";
import { createRowReader } from "./delimited.ts";
import { collect } from "./input-file.ts";
import { createLineReader, parseJsonLine, refuseRepeatedKey, rowOfJsonLine } from "./json-lines.ts";
import { linesOfJson } from "./json-list.ts";
import { readMt940 } from "./mt940.ts";
import { sourceOfBytes, sourceOfFile, type TableSource } from "./table-source.ts";
import { createDecoder, mixedNote, probe, type TextShape } from "./text-shape.ts";

export type { TableRow } from "./cell.ts";

type SheetShape = {
  readonly kind: "xlsx" | "xls" | "ods";
  readonly encoding: Encoding;
  readonly bom: false;
  readonly delimiter?: undefined;
  readonly hiddenColumns: ReadonlySet<number>;
};
/**
 * A table whose rows can be gone through again and again; those of a text file on disk, and of a large sheet, are read anew each
 * time. For JSONL and MT940 the first row, of line 0, has the headings. Blank lines are rows with one empty cell. Going through
 * throws CliError usage, naming the line, where the text is broken.
 */
export type Table = (TextShape | SheetShape) & {
  /** What must be reported of how the file was read. Each is the end of a sentence that begins with the file's name. */
  readonly notes: readonly string[];
  readonly scan: (onRow: (row: TableRow) => void) => Promise<void>;
};

const workbookBytesMax = 128 * 1024 * 1024;
/** All of it is held, several times over; 65,536 rows are below it. */
const xlsBytesMax = 48 * 1024 * 1024;
const statementBytesMax = 32 * 1024 * 1024;
/** A table with more columns than a sheet's usual few is no table of payments; each costs a cell in every row. */
const keysMax = 1000;

/** Opens a table file. Throws CliError usage for what is missing, or is no table. */
export const openTable = async (path: string, options: SheetOptions = {}, signal?: AbortSignal): Promise<Table> =>
  readSource(await sourceOfFile(path, signal), options);

/** A table in memory. `name` is what messages call it. Throws CliError usage for what is no table. */
export const tableOf = (bytes: Uint8Array, name: string, options: SheetOptions = {}): Promise<Table> => readSource(sourceOfBytes(bytes, name), options);

const readSource = async (source: TableSource, options: SheetOptions): Promise<Table> => {
  const { name } = source;
  const shape = await probe(source);
  if (shape === "zip") {
    const { openWorkbook } = await import("./open-workbook.ts");
    const { kind, hiddenColumns, notes, scan } = await openWorkbook(await collect(source.pieces(), name, workbookBytesMax), name, options);
    return { kind, encoding: "utf-8", bom: false, hiddenColumns, notes, scan };
  }
  if (shape === "office") {
    const { openXls } = await import("./xls.ts");
    const { hiddenColumns, notes, scan } = await openXls(await collect(source.pieces(), name, xlsBytesMax), name, options);
    return { kind: "xls", encoding: "utf-8", bom: false, hiddenColumns, notes, scan };
  }
  if (options.sheet !== undefined)
    throw usageError(`${name} is not a workbook, so it has no sheet ${options.sheet}.`, `Leave ${options.flag ?? "--sheet"} out`);
  const notes = shape.mixed === true ? [await mixedNote(source)] : [];
  if (shape.kind === "mt940") {
    const statement = readMt940(await wholeText(source, shape), name);
    return { ...shape, notes: [...notes, ...statement.notes], scan: async (onRow) => statement.rows.forEach(onRow) };
  }
  if (shape.kind === "json") {
    const { lines, note } = linesOfJson(await wholeText(source, shape), name);
    return tableOfText(sourceOfBytes(Buffer.from(lines), name), { kind: "jsonl", encoding: "utf-8", bom: false }, [...notes, note]);
  }
  return tableOfText(source, shape, notes);
};

const tableOfText = async (source: TableSource, shape: TextShape, notes: readonly string[]): Promise<Table> => {
  const keys = shape.kind === "jsonl" ? await readKeys(source, shape) : [];
  return { ...shape, notes, scan: (onRow) => scanText(source, shape, keys, onRow) };
};

const wholeText = async (source: TableSource, shape: TextShape): Promise<string> => {
  const decode = createDecoder(shape, source.name);
  return decode(await collect(source.pieces(), source.name, statementBytesMax)) + decode(undefined);
};

type TextReader = { readonly push: (text: string) => void; readonly end: () => void };

const feed = async ({ name, pieces }: TableSource, shape: TextShape, reader: TextReader): Promise<void> => {
  const decode = createDecoder(shape, name);
  for await (const piece of pieces()) reader.push(decode(piece));
  reader.push(decode(undefined));
  reader.end();
};

/** Names of a JSONL file's objects, in the order first met. */
const readKeys = async (source: TableSource, shape: TextShape): Promise<readonly string[]> => {
  const keys = new Set<string>();
  const reader = createLineReader((text, line) => {
    const object = parseJsonLine(text, line, source.name);
    if (object === undefined) return;
    refuseRepeatedKey(text, object, line, source.name);
    for (const key of Object.keys(object)) keys.add(key);
    if (keys.size > keysMax) throw usageError(`Line ${line} of ${source.name}: its objects have more than ${keysMax} different names.`);
  }, source.name);
  await feed(source, shape, reader);
  return [...keys];
};

const scanText = async (source: TableSource, shape: TextShape, keys: readonly string[], onRow: (row: TableRow) => void): Promise<void> => {
  if (shape.kind === "jsonl") {
    onRow({ line: 0, cells: keys });
    await feed(
      source,
      shape,
      createLineReader((text, line) => onRow(rowOfJsonLine(text, line, keys, source.name)), source.name),
    );
    return;
  }
  if (shape.kind === "html") {
    const { createHtmlReader } = await import("./html.ts");
    await feed(source, shape, createHtmlReader(onRow, source.name));
    return;
  }
  const onOther = (row: TableRow): void => {
    if (row.line > 1) onRow(row);
  };
  await feed(source, shape, createRowReader(shape.delimiter ?? ",", shape.delimiterLine === true ? onOther : onRow, source.name));
};

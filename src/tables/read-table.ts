import { usageError } from "../errors.ts";
import type { TableRow } from "./cell.ts";
import { createTextDecoder, createUtf8Check, type Encoding, sniffEncoding } from "./decode-text.ts";
import { createRowReader, type Delimiter, findDelimiter, statedDelimiter } from "./delimited.ts";
import { createLineReader, parseJsonLine, refuseRepeatedKey, rowOfJsonLine } from "./json-lines.ts";
import { createForeignCheck, isHtml, isZip, refuseMarkup } from "./recognise.ts";
import { collect, sourceOfBytes, sourceOfFile, type TableSource } from "./table-source.ts";
import type { SheetOptions } from "./xlsx.ts";

export type { TableRow } from "./cell.ts";

type TextShape = {
  readonly kind: "csv" | "tsv" | "jsonl" | "html";
  readonly encoding: Encoding;
  /** A byte order mark was there. */
  readonly bom: boolean;
  /** Of csv and tsv. */
  readonly delimiter?: Delimiter;
  /** The first line only names the delimiter. */
  readonly delimiterLine?: boolean;
};
type SheetShape = {
  readonly kind: "xlsx";
  readonly encoding: Encoding;
  readonly bom: false;
  readonly delimiter?: undefined;
  readonly hiddenColumns: ReadonlySet<number>;
  readonly datesFrom1904: boolean;
};
/**
 * A table whose rows can be gone through again and again; those of a text file on disk are read anew each time. For JSONL the
 * first row, of line 0, has the keys. Blank lines are rows with one empty cell. Going through throws CliError usage, naming the
 * line, where the text is broken.
 */
export type Table = (TextShape | SheetShape) & { readonly scan: (onRow: (row: TableRow) => void) => Promise<void> };

/** What the delimiter is judged by. */
const sampleMax = 1024 * 1024;
const workbookBytesMax = 64 * 1024 * 1024;

/** Opens a table file. Throws CliError usage for what is missing, or is no table. */
export const openTable = async (path: string, options: SheetOptions = {}, signal?: AbortSignal): Promise<Table> =>
  readSource(await sourceOfFile(path, signal), options);

/** A table in memory. `name` is what messages call it. Throws CliError usage for what is no table. */
export const tableOf = (bytes: Uint8Array, name: string, options: SheetOptions = {}): Promise<Table> => readSource(sourceOfBytes(bytes, name), options);

const readSource = async (source: TableSource, options: SheetOptions): Promise<Table> => {
  const shape = await probe(source);
  if (shape === "zip") {
    const { readXlsx } = await import("./xlsx.ts");
    const { rows, ...sheet } = await readXlsx(await collect(source.pieces(), source.name, workbookBytesMax), source.name, options);
    return { kind: "xlsx", encoding: "utf-8", bom: false, ...sheet, scan: async (onRow) => rows.forEach(onRow) };
  }
  if (options.sheet !== undefined)
    throw usageError(`${source.name} is not a workbook, so it has no sheet ${options.sheet}.`, `leave ${options.flag ?? "--sheet"} out`);
  const keys = shape.kind === "jsonl" ? await readKeys(source, shape) : [];
  return { ...shape, scan: (onRow) => scanText(source, shape, keys, onRow) };
};

/** Learns, from all bytes of a file, how it is to be read. */
const probe = async ({ name, pieces }: TableSource): Promise<TextShape | "zip"> => {
  const foreign = createForeignCheck(name);
  const utf8 = createUtf8Check();
  const sample: Uint8Array[] = [];
  let sampled = 0;
  for await (const piece of pieces()) {
    foreign.see(piece);
    utf8.feed(piece);
    if (sampled < sampleMax) sample.push(piece.slice(0, sampleMax - sampled));
    sampled += piece.length;
  }
  const head = sample[0] ?? new Uint8Array();
  if (isZip(head)) return "zip";
  foreign.end();
  const { encoding: stated, bomBytes } = sniffEncoding(head);
  const found = stated === undefined || stated === "utf-8" ? utf8.end() : stated;
  if (found === "mixed" || (stated === "utf-8" && found !== "utf-8"))
    throw usageError(`${name} is cut off, or mixes UTF-8 with another encoding: some of its characters cannot be read.`, "save it again as UTF-8");
  return textShape(sample, found, bomBytes > 0, name);
};

const textShape = (sample: readonly Uint8Array[], encoding: Encoding, bom: boolean, name: string): TextShape => {
  const decode = createTextDecoder(encoding, name);
  const text = sample.map(decode).join("");
  const lead = text.trimStart();
  if (lead.startsWith("{") || /\.(?:jsonl|ndjson)$/i.test(name)) return { kind: "jsonl", encoding, bom };
  if (/^\[\s*\{/.test(lead)) throw usageError(`${name} is one JSON array.`, "write one object on each line (JSONL)");
  if (isHtml(lead)) return { kind: "html", encoding, bom };
  refuseMarkup(lead, name);
  const said = statedDelimiter(text, name);
  const delimiter = said ?? findDelimiter(text);
  return { kind: delimiter === "\t" ? "tsv" : "csv", encoding, bom, delimiter, delimiterLine: said !== undefined };
};

type TextReader = { readonly push: (text: string) => void; readonly end: () => void };

const feed = async ({ name, pieces }: TableSource, { encoding }: TextShape, reader: TextReader): Promise<void> => {
  const decode = createTextDecoder(encoding, name);
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

import { open, stat } from "node:fs/promises";
import { CliError, usageError } from "../kernel/errors.ts";
import { createUtf8Check, decoderOf, type Encoding, sniffEncoding } from "./decode-text.ts";
import { createRowReader, type Delimiter, findDelimiter, type TableRow } from "./delimited.ts";
import { inputKind, inputPieces } from "./input-file.ts";
import { cellOfJson, createLineReader, parseJsonLine, refuseRepeatedKey } from "./json-lines.ts";

export type { Delimiter, TableRow } from "./delimited.ts";
export type TableKind = "csv" | "tsv" | "jsonl" | "xlsx";
type Shape = {
  readonly kind: TableKind;
  readonly encoding: Encoding;
  /** A byte order mark was there. */
  readonly bom: boolean;
  /** Of csv and tsv. */
  readonly delimiter?: Delimiter;
};
/**
 * `rows` can be gone through again and again. For JSONL the first row, of line 0, has the keys. Blank lines are rows with one
 * empty cell. Going through throws CliError usage, naming the line, where the text is broken.
 */
export type TableFile = Shape & { readonly rows: Iterable<TableRow> };
/** The same, read from the file piece by piece: memory does not grow with it (but for XLSX, which is small). */
export type TableStream = Shape & { readonly rows: AsyncIterable<TableRow> };
/** Rows can be gone through again and again; nothing of them is held. */
export type TableScan = Shape & { readonly scan: (onRow: (row: TableRow) => void) => Promise<void> };

const chunkBytes = 256 * 1024;
/** What the delimiter is judged by. */
const sampleMax = 1024 * 1024;
const xlsxBytesMax = 64 * 1024 * 1024;
const starts = (bytes: Uint8Array, ...magic: readonly number[]): boolean => magic.every((byte, index) => bytes[index] === byte);

/** Learns, from all bytes of a file in order, how it is to be read. */
const createProbe = (name: string) => {
  let head: Uint8Array | undefined;
  let sniffed: ReturnType<typeof sniffEncoding> | undefined;
  const utf8 = createUtf8Check();
  const sample: Uint8Array[] = [];
  let sampled = 0;
  return {
    see(bytes: Uint8Array): void {
      if (head === undefined && bytes.length > 0) {
        head = bytes.slice(0, 8192);
        sniffed = sniffEncoding(head);
      }
      utf8.feed(bytes);
      if (sampled >= sampleMax) return;
      sample.push(bytes.slice(0, sampleMax - sampled));
      sampled += Math.min(bytes.length, sampleMax - sampled);
    },
    end(): Shape {
      const first = head ?? new Uint8Array();
      const encoding = sniffed?.encoding ?? (utf8.end() ? "utf-8" : "windows-1252");
      const bom = (sniffed?.bomBytes ?? 0) > 0;
      if (isXlsx(first)) return { kind: "xlsx", encoding: "utf-8", bom: false };
      if (starts(first, 0xd0, 0xcf, 0x11, 0xe0)) throw usageError(`${name} is a workbook of the old kind (.xls).`, "save it as .xlsx or CSV");
      if (starts(first, 0x25, 0x50, 0x44, 0x46)) throw usageError(`${name} is a PDF.`, "export it as CSV or XLSX");
      const decoder = decoderOf(encoding);
      const text = sample.map((part) => decoder.decode(part, { stream: true })).join("");
      if (text.includes("\u0000")) throw usageError(`${name} is no text: it has zero bytes.`, "CSV, TSV, JSONL and XLSX are understood");
      const lead = text.trimStart();
      if (lead.startsWith("{") || /\.(?:jsonl|ndjson)$/i.test(name)) return { kind: "jsonl", encoding, bom };
      if (lead.startsWith("[{") || /^\[\s*\{/.test(lead)) throw usageError(`${name} is one JSON array.`, "write one object on each line (JSONL)");
      const delimiter = findDelimiter(text);
      return { kind: delimiter === "\t" ? "tsv" : "csv", encoding, bom, delimiter };
    },
  };
};
const isXlsx = (bytes: Uint8Array): boolean => starts(bytes, 0x50, 0x4b, 0x03, 0x04) || starts(bytes, 0x50, 0x4b, 0x05, 0x06);

/** Turns pieces of text into rows; `rows` is emptied by whoever reads them. */
const createTextReader = (shape: Shape, name: string, keys: readonly string[]) => {
  const rows: TableRow[] = [];
  const reader =
    shape.kind === "jsonl"
      ? createLineReader((text, line) => {
          const object = parseJsonLine(text, line, name);
          rows.push({ line, cells: object === undefined ? [""] : keys.map((key) => cellOfJson(Object.hasOwn(object, key) ? object[key] : undefined)) });
        }, name)
      : createRowReader(shape.delimiter ?? ",", (row) => rows.push(row), name);
  if (shape.kind === "jsonl") rows.push({ line: 0, cells: keys });
  return { rows, push: reader.push, end: reader.end };
};

/** Names of a JSONL file's objects, in the order first met. */
const createKeyReader = (name: string) => {
  const keys = new Set<string>();
  const reader = createLineReader((text, line) => {
    const object = parseJsonLine(text, line, name);
    if (object === undefined) return;
    refuseRepeatedKey(text, object, line, name);
    for (const key of Object.keys(object)) keys.add(key);
  }, name);
  return { push: reader.push, end: reader.end, keys };
};

const piecesOf = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
};

/** Reads a table that is in memory. `name` is what messages call it. Throws CliError usage for what is no table. */
export const readTable = async (bytes: Uint8Array, name: string): Promise<TableFile> => {
  const probe = createProbe(name);
  for (const piece of piecesOf(bytes)) probe.see(piece);
  const shape = probe.end();
  if (shape.kind === "xlsx") return { ...shape, rows: await xlsxRows(bytes, name) };
  const texts = function* (): Generator<string> {
    const decoder = decoderOf(shape.encoding);
    for (const piece of piecesOf(bytes)) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  };
  const keys = shape.kind === "jsonl" ? createKeyReader(name) : undefined;
  if (keys !== undefined) {
    for (const text of texts()) keys.push(text);
    keys.end();
  }
  const iterate = function* (): Generator<TableRow> {
    const reader = createTextReader(shape, name, [...(keys?.keys ?? [])]);
    for (const text of texts()) {
      reader.push(text);
      yield* reader.rows.splice(0);
    }
    reader.end();
    yield* reader.rows.splice(0);
  };
  return { ...shape, rows: { [Symbol.iterator]: iterate } };
};

const xlsxRows = async (bytes: Uint8Array, name: string): Promise<readonly TableRow[]> => {
  const { readXlsx } = await import("./xlsx.ts");
  return readXlsx(bytes, name);
};

const fileBytesMax = 1024 * 1024 * 1024;
/** What a pipe may bring, as it has to be kept. */
const pipeBytesMax = 256 * 1024 * 1024;

/** Reads a table file from disk. It is read twice: once to learn how, once for the rows; a shell's pipe once. Throws CliError usage. */
export const readTableFile = async (path: string, signal?: AbortSignal): Promise<TableStream> => {
  if ((await kindOf(path)) === "pipe") {
    const table = await readTable(await readTableBytes(path, pipeBytesMax, signal), path);
    return { ...table, rows: iterateLater(table.rows) };
  }
  const probe = createProbe(path);
  for await (const piece of filePieces(path)) probe.see(piece);
  const shape = probe.end();
  if (shape.kind === "xlsx") return { ...shape, rows: iterateLater(await xlsxRows(await readTableBytes(path, xlsxBytesMax), path)) };
  const texts = async function* (): AsyncGenerator<string> {
    const decoder = decoderOf(shape.encoding);
    for await (const piece of filePieces(path)) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  };
  const keys = shape.kind === "jsonl" ? createKeyReader(path) : undefined;
  if (keys !== undefined) {
    for await (const text of texts()) keys.push(text);
    keys.end();
  }
  const iterate = async function* (): AsyncGenerator<TableRow> {
    const reader = createTextReader(shape, path, [...(keys?.keys ?? [])]);
    for await (const text of texts()) {
      reader.push(text);
      yield* reader.rows.splice(0);
    }
    reader.end();
    yield* reader.rows.splice(0);
  };
  return { ...shape, rows: { [Symbol.asyncIterator]: iterate } };
};

/**
 * Opens a table whose rows are gone through more than once: a file on disk is read again each time, so that memory does not
 * grow with it; anything else (a pipe, a device, a workbook) is held. Throws CliError usage, also where the file changes in between.
 */
export const openTable = async (path: string, signal?: AbortSignal): Promise<TableScan> => {
  const first = await stampOf(path);
  if (first === undefined) return scanHeld(await readTable(await readTableBytes(path, fileBytesMax, signal), path));
  const probe = createProbe(path);
  for await (const piece of filePieces(path, true)) probe.see(piece);
  const shape = probe.end();
  if (shape.kind === "xlsx") return scanHeld(await readTable(await readTableBytes(path), path));
  const eachText = async (onText: (text: string) => void): Promise<void> => {
    const decoder = decoderOf(shape.encoding);
    for await (const piece of filePieces(path, true)) onText(decoder.decode(piece, { stream: true }));
    onText(decoder.decode());
    if ((await stampOf(path)) !== first) throw usageError(`${path} changed while it was read.`, "run again when nothing writes to it");
  };
  const keys = shape.kind === "jsonl" ? createKeyReader(path) : undefined;
  if (keys !== undefined) {
    await eachText(keys.push);
    keys.end();
  }
  const scan: TableScan["scan"] = async (onRow) => {
    const reader = createTextReader(shape, path, [...(keys?.keys ?? [])]);
    const give = (): void => {
      for (const row of reader.rows) onRow(row);
      reader.rows.length = 0;
    };
    await eachText((text) => {
      reader.push(text);
      give();
    });
    reader.end();
    give();
  };
  return { ...shape, scan };
};

/** A table that is in memory, to be gone through in the same way. */
export const scanHeld = ({ rows, ...shape }: TableFile): TableScan => ({
  ...shape,
  scan: async (onRow) => {
    for (const row of rows) onRow(row);
  },
});

/** What tells that a file is still the same; undefined for what is no plain file, or is not there. */
const stampOf = async (path: string): Promise<string | undefined> => {
  try {
    const found = await stat(path);
    return found.isFile() ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}` : undefined;
  } catch {
    return undefined;
  }
};

const iterateLater = (rows: Iterable<TableRow>): AsyncIterable<TableRow> => ({
  async *[Symbol.asyncIterator]() {
    yield* rows;
  },
});

/** All bytes of a file that is to be read as a table. Throws CliError usage where it is missing, too large or no file. */
export const readTableBytes = async (path: string, bytesMax = fileBytesMax, signal?: AbortSignal): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const piece of (await kindOf(path)) === "pipe" ? shellPieces(path, signal) : filePieces(path)) {
    total += piece.length;
    if (total > bytesMax) throw usageError(`${path} is larger than ${Math.floor(bytesMax / 1024 / 1024)} MB.`, "cut it into smaller files");
    parts.push(piece);
  }
  return Buffer.concat(parts);
};

/** With `again` each piece lies where the one before it lay: for whoever is done with it by then. */
const filePieces = async function* (path: string, again = false): AsyncGenerator<Uint8Array> {
  let handle: Awaited<ReturnType<typeof open>>;
  await kindOf(path);
  try {
    handle = await open(path, "r");
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
  try {
    const same = new Uint8Array(chunkBytes);
    for (;;) {
      const buffer = again ? same : new Uint8Array(chunkBytes);
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (cause) {
    throw cause instanceof CliError ? cause : unreadableFile(path, cause);
  } finally {
    await handle.close();
  }
};

const shellPieces = async function* (path: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* inputPieces(path, signal);
  } catch (cause) {
    throw cause instanceof CliError ? cause : unreadableFile(path, cause);
  }
};

const kindOf = async (path: string): Promise<"file" | "pipe"> => {
  try {
    return await inputKind(path);
  } catch (cause) {
    throw cause instanceof CliError ? cause : unreadableFile(path, cause);
  }
};

const reasons: Readonly<Record<string, string>> = { ENOENT: "there is no such file", EACCES: "permission denied", EISDIR: "it is a folder" };
const unreadableFile = (path: string, cause: unknown): CliError => {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return new CliError("usage", `${path} cannot be read: ${reasons[code] ?? (code === "" ? "unknown reason" : code)}.`, { cause });
};

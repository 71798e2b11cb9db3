import { usageError } from "../errors.ts";
import { createMixedDecoder, createTextDecoder, createUtf8Check, type Encoding, sniffEncoding } from "./decode-text.ts";
import { type Delimiter, findDelimiter, statedDelimiter } from "./delimited.ts";
import { isMt940 } from "./mt940.ts";
import { createForeignCheck, isHtml, isOfficeContainer, isZip, refuseMarkup, refusePrinted } from "./recognise.ts";
import type { TableSource } from "./table-source.ts";

/** How a text is read as a table. */
export type TextShape = {
  readonly kind: "csv" | "tsv" | "jsonl" | "json" | "html" | "mt940";
  readonly encoding: Encoding;
  /** A byte order mark was there. */
  readonly bom: boolean;
  /** UTF-8 with single bytes of windows-1252 in it. */
  readonly mixed?: true;
  /** Of csv and tsv. */
  readonly delimiter?: Delimiter;
  /** The first line only names the delimiter. */
  readonly delimiterLine?: boolean;
};

/** What the delimiter is judged by. */
const sampleMax = 1024 * 1024;

/** Learns, from all bytes of a file, how it is to be read: as text, or by the reader of its kind. Throws CliError usage. */
export const probe = async ({ name, pieces }: TableSource): Promise<TextShape | "zip" | "office"> => {
  const foreign = createForeignCheck(name);
  const utf8 = createUtf8Check();
  const sample: Uint8Array[] = [];
  let sampled = 0;
  for await (const piece of pieces()) {
    if (sampled === 0 && isZip(piece)) return "zip";
    if (sampled === 0 && isOfficeContainer(piece)) return "office";
    foreign(piece);
    utf8.feed(piece);
    if (sampled < sampleMax) sample.push(piece.slice(0, sampleMax - sampled));
    sampled += piece.length;
  }
  const { encoding: stated, bomBytes } = sniffEncoding(sample[0] ?? new Uint8Array());
  const encoding = stated ?? "utf-8";
  if (encoding !== "utf-8") return textShape(sample, { encoding, bom: bomBytes > 0 }, name);
  const kind = utf8.end();
  if (kind === "cut") throw usageError(`${name} is cut off: it ends in the middle of a character.`, "Export it again");
  if (kind === "mixed" || (kind === "windows-1252" && bomBytes > 0)) return textShape(sample, { encoding, bom: bomBytes > 0, mixed: true }, name);
  return textShape(sample, { encoding: kind, bom: bomBytes > 0 }, name);
};

export const createDecoder = ({ encoding, mixed }: Pick<TextShape, "encoding" | "mixed">, name: string): ((piece: Uint8Array | undefined) => string) =>
  mixed === true ? createMixedDecoder() : createTextDecoder(encoding, name);

/** The note on a file of two encodings. */
export const mixedNote = async ({ pieces }: TableSource): Promise<string> => {
  let count = 0;
  let first = 0;
  const decode = createMixedDecoder((line) => {
    if (count === 0) first = line;
    count += 1;
  });
  for await (const piece of pieces()) decode(piece);
  decode(undefined);
  return `is UTF-8 with ${count === 1 ? "a character" : `${count} characters`} of windows-1252 in it (line ${first}${count === 1 ? "" : " first"}): look at ${count === 1 ? "it" : "them"}`;
};

const textShape = (sample: readonly Uint8Array[], shape: Omit<TextShape, "kind">, name: string): TextShape => {
  const text = sample
    .map(createDecoder(shape, name))
    .join("")
    .replace(/^\ufeff/, "");
  const lead = text.trimStart();
  if (isMt940(lead)) return { ...shape, kind: "mt940" };
  // One object over many lines, or on a single one that has a list of objects in it.
  const isAlone = lead.startsWith("{") && /\[\s*\{/.test(lead) && !lead.trimEnd().includes("\n");
  if (isAlone || /^(?:\[\s*\{|\{\s*[\r\n])/.test(lead)) return { ...shape, kind: "json" };
  if (lead.startsWith("{") || /\.(?:jsonl|ndjson)$/i.test(name)) return { ...shape, kind: "jsonl" };
  if (isHtml(lead)) return { ...shape, kind: "html" };
  refuseMarkup(lead, name);
  refusePrinted(text, name);
  const said = statedDelimiter(text, name);
  const delimiter = said ?? findDelimiter(text);
  return { ...shape, kind: delimiter === "\t" ? "tsv" : "csv", delimiter, delimiterLine: said !== undefined };
};

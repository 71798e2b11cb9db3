import { usageError } from "../errors.ts";

const toTable = "export the table as CSV or XLSX";
const starts = (bytes: Uint8Array, magic: readonly (number | undefined)[]): boolean =>
  magic.every((byte, index) => byte === undefined || bytes[index] === byte);
const codes = (text: string): readonly number[] => [...text].map((letter) => letter.charCodeAt(0));
const any = undefined;

/** Kinds of files that are no tables of text, by their first bytes. */
const others: readonly (readonly [magic: readonly (number | undefined)[], what: string, todo: string])[] = [
  [codes("%PDF"), "a PDF", toTable],
  [[0x89, ...codes("PNG")], "a picture", toTable],
  [[0xff, 0xd8, 0xff], "a picture", toTable],
  [codes("GIF8"), "a picture", toTable],
  [[...codes("RIFF"), any, any, any, any, ...codes("WEBP")], "a picture", toTable],
  [[any, any, any, any, ...codes("ftyp")], "a picture or film", toTable],
  [[0x49, 0x49, 0x2a, 0], "a picture", toTable],
  [[0x4d, 0x4d, 0, 0x2a], "a picture", toTable],
  [[...codes("BM"), any, any, any, any, 0, 0, 0, 0], "a picture", toTable],
  [codes("{\\rtf"), "a text document (RTF)", toTable],
  [[0x1f, 0x8b], "a compressed file (gzip)", "unpack it, and give the file inside"],
  [codes("BZh"), "a compressed file (bzip2)", "unpack it, and give the file inside"],
  [[0xfd, ...codes("7zXZ")], "a compressed file (xz)", "unpack it, and give the file inside"],
  [codes("7z\u00bc\u00af"), "an archive (7z)", "unpack it, and give the file inside"],
  [codes("Rar!"), "an archive (RAR)", "unpack it, and give the file inside"],
];

export const isZip = (head: Uint8Array): boolean => starts(head, codes("PK\u0003\u0004")) || starts(head, codes("PK\u0005\u0006"));

/** A file of an old Office program, or a newer one under a password. */
export const isOfficeContainer = (head: Uint8Array): boolean => starts(head, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
/** Refuses, by the first bytes of a file, what is no table of a kind that is read. Throws CliError usage. */
export const createForeignCheck = (name: string): ((bytes: Uint8Array) => void) => {
  let seen = false;
  return (bytes) => {
    if (seen) return;
    seen = true;
    for (const [magic, what, todo] of others) if (starts(bytes, magic)) throw usageError(`${name} is ${what}, not a table.`, todo);
  };
};

export const isHtml = (lead: string): boolean =>
  /^(?:<!doctype html|<(?:html|head|body|table|meta|style|div))\b/i.test(lead) || /^<!--.{0,500}<html\b/is.test(lead);

/** Nearly all lines have gaps between their words, and no sign that could separate cells. */
const isSpacedOut = (text: string): boolean => {
  const lines = text
    .slice(0, 20_000)
    .split(/\r?\n/, 60)
    .filter((line) => line.trim() !== "");
  const isSpaced = (line: string): boolean => (line.match(/\S {2,}(?=\S)/g)?.length ?? 0) > 1 && !/[,;|\t]/.test(line.replace(/(?<=\d),(?=\d{3})/g, ""));
  const spaced = lines.filter(isSpaced).length;
  return spaced > 2 && spaced * 5 >= lines.length * 4;
};

/** Throws CliError usage for a table as it is printed: its columns are places in a line, and may be ruled off by hyphens or stars. */
export const refusePrinted = (text: string, name: string): void => {
  if (/^[ \t]*[-=*_]{3,}(?:[ \t]+[-=*_]{3,}){2,}[ \t]*\r?$/m.test(text) || isSpacedOut(text))
    throw usageError(`${name} is a printed table: its columns are places in a line, and no sign stands between them.`, "Export it as CSV or XLSX");
};

/** Throws CliError usage for text that is other markup, without showing any of it. */
export const refuseMarkup = (lead: string, name: string): void => {
  const other = /^(?:OFXHEADER:|<OFX>)/.test(lead) ? "OFX" : /^!(?:Type|Account|Option):/i.test(lead) ? "QIF" : undefined;
  if (other !== undefined) throw usageError(`${name} is a statement in the form ${other}, which is not read.`, "Export it as CSV, XLSX or MT940");
  const kind = /^<[?!a-z]/i.test(lead) ? "XML" : /^(?:mime-version|content-type):/i.test(lead) ? "a web archive" : undefined;
  if (kind !== undefined) throw usageError(`${name} is ${kind}, not a workbook or CSV.`, "Open it in a spreadsheet program and save it as .xlsx or CSV");
};

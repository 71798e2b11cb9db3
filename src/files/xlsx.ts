import { usageError } from "../kernel/errors.ts";
import type { TableRow } from "./delimited.ts";

/** cli.md, issue 3.8: XLSX up to so many rows of one sheet. */
export const xlsxRowsMax = 20_000;
const columnsMax = 512;
/** What a workbook may unpack to: a sheet of 20,000 rows is far below it. */
const unpackedMax = 128 * 1024 * 1024;
const partsMax = 2000;

/** Rows of the only sheet with anything on it. Numbers and dates are given as the sheet keeps them (dates as serials). Throws CliError usage. */
export const readXlsx = async (bytes: Uint8Array, name: string): Promise<readonly TableRow[]> => {
  const parts = await unpack(bytes, name);
  const workbook = parts.get("xl/workbook.xml");
  if (workbook === undefined) throw usageError(`${name} is a zip file, but no workbook.`, "save it as .xlsx or CSV");
  if (/<(?:\w+:)?workbookPr\b[^<>]*\bdate1904="(?:1|true)"/.test(workbook))
    throw usageError(`${name} counts its dates from 1904.`, "switch that off in the spreadsheet's options, or save it as CSV");
  const filled = orDamaged(name, () => filledSheets(workbook, parts, name));
  if (filled.length > 1)
    throw usageError(`${name} has several sheets: ${filled.map(({ title }) => title).join(", ")}.`, "save the one that is meant as a file of its own");
  return filled[0]?.rows ?? [];
};

type Sheet = { readonly title: string; readonly rows: readonly TableRow[] };
const filledSheets = (workbook: string, parts: ReadonlyMap<string, string>, name: string): readonly Sheet[] => {
  const strings = sharedStrings(parts.get("xl/sharedStrings.xml") ?? "");
  return sheetsOf(workbook, parts.get("xl/_rels/workbook.xml.rels") ?? "").flatMap(({ title, path }) => {
    const xml = parts.get(path);
    const rows = xml === undefined ? [] : sheetRows(xml, strings, `${name}, sheet ${title}`);
    return rows.length > 0 ? [{ title, rows }] : [];
  });
};

/** A row that is cut off may be money that is not seen: the whole is then refused. */
const orDamaged = <T>(name: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && error.name === "CliError") throw error;
    throw usageError(`${name} is a damaged workbook.`, "open it in a spreadsheet program and save it again, or save it as CSV");
  }
};

const unpack = async (bytes: Uint8Array, name: string): Promise<ReadonlyMap<string, string>> => {
  const { unzipSync } = await import("fflate");
  let total = 0;
  let count = 0;
  const wanted = /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|worksheets\/[^/]+\.xml)$/;
  const tooLarge = (): Error => usageError(`${name} unpacks to more than ${unpackedMax / 1024 / 1024} MB.`, "save it as CSV");
  const filter = (file: { readonly name: string; readonly originalSize: number }): boolean => {
    count += 1;
    if (count > partsMax) throw tooLarge();
    if (!wanted.test(file.name)) return false;
    total += file.originalSize;
    if (total > unpackedMax) throw tooLarge();
    return true;
  };
  const files = orDamaged(name, () => unzipSync(bytes, { filter }));
  return new Map(Object.entries(files).map(([path, part]) => [path, new TextDecoder().decode(part)]));
};

const attributesOf = (tag: string): ReadonlyMap<string, string> =>
  new Map([...tag.matchAll(/(?<![\w:])([\w:]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, unescapeXml(value)]));

const sheetsOf = (workbook: string, relations: string): { readonly title: string; readonly path: string }[] => {
  const targets = new Map<string, string>();
  for (const [tag] of relations.matchAll(/<(?:\w+:)?Relationship\b[^<>]*>/g)) {
    const attributes = attributesOf(tag);
    const target = attributes.get("Target") ?? "";
    targets.set(attributes.get("Id") ?? "", target.startsWith("/") ? target.slice(1) : `xl/${target}`);
  }
  return [...workbook.matchAll(/<(?:\w+:)?sheet\b[^<>]*>/g)].map(([tag], index) => {
    const attributes = attributesOf(tag);
    const id = [...attributes].find(([key]) => key.endsWith(":id"))?.[1] ?? "";
    return { title: attributes.get("name") ?? `${index + 1}`, path: targets.get(id) ?? `xl/worksheets/sheet${index + 1}.xml` };
  });
};

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const unescapeXml = (text: string): string =>
  text.includes("&") || text.includes("_x")
    ? text
        .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex?: string, decimal?: string, named?: string) => {
          if (named !== undefined) return entities[named] ?? whole;
          const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
          return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
        })
        .replace(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

type Element = { readonly tag: string; readonly inner: string; readonly start: number; readonly end: number };
/**
 * The elements of a local name, one after the other. Time grows with the text's length alone, whatever a hostile workbook
 * leaves open: a lazy `.*?` up to the end tag would look through the rest of the text once for each start tag. Throws for one
 * that is never closed.
 */
const elementsOf = function* (xml: string, name: string): Generator<Element> {
  const opening = new RegExp(`<(\\w{1,100}:)?${name}(?=[\\s/>])`, "g");
  for (let found = opening.exec(xml); found !== null; found = opening.exec(xml)) {
    const [head, prefix = ""] = found;
    const tagEnd = xml.indexOf(">", opening.lastIndex);
    if (tagEnd < 0) throw new Error(`<${name}> is cut off.`);
    const closed = xml[tagEnd - 1] === "/";
    const close = `</${prefix}${name}>`;
    const innerEnd = closed ? tagEnd + 1 : xml.indexOf(close, tagEnd);
    if (innerEnd < 0) throw new Error(`<${name}> is never closed.`);
    const end = closed ? innerEnd : innerEnd + close.length;
    yield {
      tag: xml.slice(found.index + head.length, closed ? tagEnd - 1 : tagEnd),
      inner: closed ? "" : xml.slice(tagEnd + 1, innerEnd),
      start: found.index,
      end,
    };
    opening.lastIndex = end;
  }
};

/** The text of a string item: runs joined, phonetic hints left out. */
const textIn = (xml: string): string => {
  let kept = "";
  let from = 0;
  for (const { start, end } of elementsOf(xml, "rPh")) {
    kept += xml.slice(from, start);
    from = end;
  }
  return [...elementsOf(kept + xml.slice(from), "t")].map(({ inner }) => unescapeXml(inner)).join("");
};

const sharedStrings = (xml: string): readonly string[] => [...elementsOf(xml, "si")].map(({ inner }) => textIn(inner));

const columnOf = (letters: string): number => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

const sheetRows = (xml: string, strings: readonly string[], where: string): TableRow[] => {
  const rows: TableRow[] = [];
  let previous = 0;
  for (const { tag, inner } of elementsOf(xml, "row")) {
    const line = Number(attributesOf(tag).get("r") ?? previous + 1);
    if (line <= previous) throw usageError(`${where}: row ${line} comes twice or out of order.`, "open it in a spreadsheet program and save it again");
    previous = line;
    const cells = rowCells(inner, line, strings, where);
    if (cells.every((cell) => cell === "")) continue;
    if (rows.length >= xlsxRowsMax) throw usageError(`${where} has more than ${xlsxRowsMax} rows.`, "save it as CSV: that may be of any length");
    rows.push({ line, cells });
  }
  return rows;
};

const rowCells = (inner: string, line: number, strings: readonly string[], where: string): string[] => {
  const cells: string[] = [];
  const given = new Set<number>();
  let next = 0;
  for (const { tag, inner: body } of elementsOf(inner, "c")) {
    const attributes = attributesOf(tag);
    const address = attributes.get("r");
    const found = address === undefined ? null : /^([A-Z]{1,3})(\d+)$/.exec(address);
    const column = found === null ? next : columnOf(found[1] ?? "A");
    const name = address ?? `column ${column + 1} of row ${line}`;
    if (column >= columnsMax) throw usageError(`${where}: cell ${name} lies beyond ${columnsMax} columns.`, "save it as CSV");
    if (given.has(column) || (found !== null && Number(found[2]) !== line))
      throw usageError(`${where}: cell ${name} comes twice.`, "open it in a spreadsheet program and save it again");
    if (/<(?:\w+:)?f\b/.test(body)) throw usageError(`${where}: cell ${name} holds a formula.`, "put the values in place of formulas, or save it as CSV");
    given.add(column);
    next = column + 1;
    while (cells.length < column) cells.push("");
    cells[column] = cellText(attributes.get("t"), body, strings);
  }
  return cells;
};

const cellText = (type: string | undefined, body: string, strings: readonly string[]): string => {
  if (type === "inlineStr") return textIn(body);
  const value = unescapeXml(/<(?:\w+:)?v(?:\s[^<>]*)?>([^<]*)<\/(?:\w+:)?v>/.exec(body)?.[1] ?? "");
  if (type === "s") return strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  return type === undefined || type === "n" ? numberText(value) : value;
};

/** A sheet keeps binary fractions: what it shows as 0.3 may be written 0.30000000000000004. Fifteen digits are what it has. */
const numberText = (value: string): string => {
  if (value === "" || /^-?(?:0|[1-9]\d{0,14})$/.test(value)) return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const rounded = Number(number.toPrecision(15));
  return Math.abs(rounded) >= 1e21 || (rounded !== 0 && Math.abs(rounded) < 1e-6) ? value : String(rounded);
};

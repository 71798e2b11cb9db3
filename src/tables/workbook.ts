import { posix } from "node:path";
import { type CellFormat, createFormats, formatCode } from "./number-format.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import { readXml, type XmlShape } from "./xml.ts";
import type { ZipEntry } from "./zip.ts";

/** Opens a part of the workbook. Throws UnreadableWorkbook if it is missing, or unpacks to more than `bytesMax`. */
export type OpenPart = (path: string, bytesMax?: number) => AsyncGenerator<Uint8Array>;
/** Texts are held in memory. */
const stringsBytesMax = 256 * 1024 * 1024;
export type Sheet = { readonly title: string; readonly path: string; readonly hidden: boolean };
export type Workbook = {
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** By the number of a cell's style. */
  readonly formats: readonly CellFormat[];
  /** Numbers of the conditional styles that change how numbers are shown. */
  readonly conditionalFormats: ReadonlySet<number>;
  readonly datesFrom1904: boolean;
};

type Relation = { readonly type: string; readonly path: string };

/** The folder that a part lies in, with a slash at its end. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** By their ids; undefined if the part has no list of them. */
const readRelations = async (path: string, open: OpenPart, has: (path: string) => boolean): Promise<ReadonlyMap<string, Relation> | undefined> => {
  const relations = new Map<string, Relation>();
  const file = `${folderOf(path)}_rels/${path.slice(folderOf(path).length)}.rels`;
  if (!has(file)) return undefined;
  const Relationship: XmlShape = {
    open: (attribute) => {
      const id = attribute("Id") ?? "";
      const type = attribute("Type") ?? "";
      const target = attribute("Target") ?? "";
      if (relations.has(id)) throw new UnreadableWorkbook(`its part ${file} names ${id} twice`);
      if (attribute("TargetMode") === "External") return;
      const absolute = posix.join("/", target.startsWith("/") ? "" : folderOf(path), target);
      relations.set(id, { type: type.slice(type.lastIndexOf("/") + 1), path: absolute.slice(1) });
    },
  };
  await readXml(open(file), file, { children: { Relationships: { children: { Relationship } } } });
  return relations;
};

export const isTrue = (value: string | undefined): boolean => value === "1" || value === "true";

/** Where the parts are in a workbook that has no lists of relations, as some programs write it. */
const usualPaths: Readonly<Record<string, string>> = { officeDocument: "xl/workbook.xml", sharedStrings: "xl/sharedStrings.xml", styles: "xl/styles.xml" };

/** What the sheets need: their names and places, and what their cells refer to. Throws UnreadableWorkbook. */
export const readWorkbook = async (entries: ReadonlyMap<string, ZipEntry>, open: OpenPart): Promise<Workbook> => {
  const has = (path: string): boolean => entries.has(path.toLowerCase());
  const pathOf = (type: string, relations: ReadonlyMap<string, Relation> | undefined): string | undefined => {
    const usual = usualPaths[type] ?? "";
    if (relations === undefined) return has(usual) ? usual : undefined;
    return [...relations.values()].find((relation) => relation.type === type)?.path;
  };
  const start = pathOf("officeDocument", await readRelations("", open, has));
  if (start === undefined) throw new UnreadableWorkbook("nothing says where its list of sheets is");
  const relations = await readRelations(start, open, has);
  const sheets: Sheet[] = [];
  let datesFrom1904 = false;
  const sheet: XmlShape = {
    open: (attribute) => {
      const title = attribute("name") ?? "";
      const usual = { type: "worksheet", path: `${folderOf(start)}worksheets/sheet${sheets.length + 1}.xml` };
      const relation = relations === undefined ? usual : relations.get(attribute("relationships:id") ?? "");
      if (relation === undefined) throw new UnreadableWorkbook(`nothing says where its sheet ${title} is`);
      if (relation.type === "worksheet") sheets.push({ title, path: relation.path, hidden: (attribute("state") ?? "visible") !== "visible" });
    },
  };
  const workbookPr: XmlShape = {
    open: (attribute) => {
      datesFrom1904 = isTrue(attribute("date1904"));
    },
  };
  await readXml(open(start), start, { children: { workbook: { children: { workbookPr, sheets: { children: { sheet } } } } } });
  const strings = await readStrings(pathOf("sharedStrings", relations), open);
  return { sheets, datesFrom1904, strings, ...(await readStyles(pathOf("styles", relations), open)) };
};

/** `_x000D_` and its like are characters that XML cannot hold. */
export const unescaped = (text: string): string =>
  text.includes("_x") ? text.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : text;

/** The text of a string item: runs joined, phonetic hints left out. */
export const createTextItem = () => {
  let parts = "";
  const t: XmlShape = {
    close: (text) => {
      parts += unescaped(text);
    },
  };
  const shape: Readonly<Record<string, XmlShape>> = { t, r: { children: { t } }, rPh: { children: { t: { close: () => undefined } } } };
  return {
    shape,
    take: (): string => {
      const text = parts;
      parts = "";
      return text;
    },
  };
};

const readStrings = async (path: string | undefined, open: OpenPart): Promise<readonly string[]> => {
  const strings: string[] = [];
  if (path === undefined) return strings;
  const item = createTextItem();
  const si: XmlShape = { close: () => strings.push(item.take()), children: item.shape };
  await readXml(open(path, stringsBytesMax), path, { children: { sst: { children: { si } } } });
  return strings;
};

type Style = { readonly formatId: number; readonly parent: number; readonly ownFormat: boolean };

const readStyles = async (path: string | undefined, open: OpenPart): Promise<Pick<Workbook, "formats" | "conditionalFormats">> => {
  const described = new Map<number, string>();
  const styles: Style[] = [];
  const parents: number[] = [];
  const conditionalFormats = new Set<number>();
  let conditional = -1;
  const numFmts: XmlShape = {
    children: { numFmt: { open: (attribute) => described.set(Number(attribute("numFmtId")), attribute("formatCode") ?? "") } },
  };
  const cellXfs: XmlShape = {
    children: {
      xf: {
        open: (attribute) => {
          const applies = attribute("applyNumberFormat");
          const ownFormat = applies === undefined || isTrue(applies);
          styles.push({ formatId: Number(attribute("numFmtId") ?? 0), parent: Number(attribute("xfId") ?? 0), ownFormat });
        },
      },
    },
  };
  const cellStyleXfs: XmlShape = { children: { xf: { open: (attribute) => parents.push(Number(attribute("numFmtId") ?? 0)) } } };
  const dxf: XmlShape = {
    open: () => {
      conditional += 1;
    },
    children: { numFmt: { open: () => conditionalFormats.add(conditional) } },
  };
  if (path !== undefined)
    await readXml(open(path), path, { children: { styleSheet: { children: { numFmts, cellXfs, cellStyleXfs, dxfs: { children: { dxf } } } } } });
  else styles.push({ formatId: 0, parent: 0, ownFormat: true });
  const formatOf = createFormats();
  // Programs differ in what they show for a cell that is said not to use its own format.
  const formats = styles.map(({ formatId, parent, ownFormat }) =>
    formatOf(ownFormat || parents[parent] === formatId ? formatCode(formatId, described.get(formatId)) : undefined),
  );
  return { formats, conditionalFormats };
};

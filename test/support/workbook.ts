import { strToU8, type Zippable, zipSync } from "fflate";

export type SheetPart = {
  readonly name?: string;
  /** What is inside `<sheetData>`. */
  readonly rows?: string;
  /** What comes before and after `<sheetData>`. */
  readonly before?: string;
  readonly after?: string;
  readonly state?: "visible" | "hidden" | "veryHidden";
};
export type WorkbookParts = {
  readonly sheets: readonly SheetPart[];
  /** What is inside `<sst>`. */
  readonly strings?: string;
  /** Codes of number formats; style 1 has the first, style 2 the second. A number is a format of the workbook program's own. */
  readonly formats?: readonly (string | number)[];
  /** What is inside `<styleSheet>` besides. */
  readonly moreStyles?: string;
  readonly properties?: string;
  readonly strict?: boolean;
  /** Parts as they are, in place of those made here. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
};

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Also what looks like an escape of the format itself, such as `_x000D_`. */
export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter).replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_");

const spaces = (strict: boolean) =>
  strict
    ? { main: "http://purl.oclc.org/ooxml/spreadsheetml/main", relations: "http://purl.oclc.org/ooxml/officeDocument/relationships" }
    : { main: "http://schemas.openxmlformats.org/spreadsheetml/2006/main", relations: "http://schemas.openxmlformats.org/officeDocument/2006/relationships" };

const relationsXml = (relations: readonly (readonly [type: string, target: string])[], space: string): string => {
  const items = relations.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${space}/${type}" Target="${target}"/>`);
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join("")}</Relationships>`;
};

const stylesXml = (formats: readonly (string | number)[], more: string): string => {
  const own = formats.map((format, index) => (typeof format === "number" ? "" : `<numFmt numFmtId="${200 + index}" formatCode="${escapeXml(format)}"/>`));
  const styles = formats.map((format, index) => `<xf numFmtId="${typeof format === "number" ? format : 200 + index}" xfId="0" applyNumberFormat="1"/>`);
  return `<numFmts>${own.join("")}</numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0" xfId="0"/>${styles.join("")}</cellXfs>${more}`;
};

/** An .xlsx file, part by part as a spreadsheet program writes it. */
export const workbook = ({ sheets, strings = "", formats = [], moreStyles = "", properties = "", strict = false, parts = {} }: WorkbookParts): Uint8Array => {
  const space = spaces(strict);
  const root = (name: string, inner: string): string =>
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<${name} xmlns="${space.main}" xmlns:r="${space.relations}">${inner}</${name}>`;
  const names = sheets.map(
    ({ name = "", state = "visible" }, index) =>
      `<sheet name="${escapeXml(name || `Sheet${index + 1}`)}" sheetId="${index + 1}" state="${state}" r:id="rId${index + 1}"/>`,
  );
  const all: Record<string, string | Uint8Array> = {
    "_rels/.rels": relationsXml([["officeDocument", "xl/workbook.xml"]], space.relations),
    "xl/workbook.xml": root("workbook", `${properties}<sheets>${names.join("")}</sheets>`),
    "xl/_rels/workbook.xml.rels": relationsXml(
      [
        ...sheets.map((_, index) => ["worksheet", `worksheets/sheet${index + 1}.xml`] as const),
        ["styles", "styles.xml"],
        ["sharedStrings", "sharedStrings.xml"],
      ],
      space.relations,
    ),
    "xl/styles.xml": root("styleSheet", stylesXml(formats, moreStyles)),
    "xl/sharedStrings.xml": root("sst", strings),
    ...Object.fromEntries(
      sheets.map(({ rows = "", before = "", after = "" }, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        root("worksheet", `${before}<sheetData>${rows}</sheetData>${after}`),
      ]),
    ),
    ...parts,
  };
  const zippable: Zippable = Object.fromEntries(Object.entries(all).map(([path, part]) => [path, typeof part === "string" ? strToU8(part) : part]));
  return zipSync(zippable);
};

/** A cell with text in it. */
export const textCell = (text: string): string => `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;

/** Rows of a payout sheet: the header, and each payout as its cells in XML. */
export const payoutRows = (...payouts: readonly (readonly string[])[]): string =>
  [["phone", "amount", "reference"].map(textCell), ...payouts].map((cells) => `<row>${cells.join("")}</row>`).join("");

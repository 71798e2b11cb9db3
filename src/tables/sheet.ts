import type { CellMark, TableRow } from "./cell.ts";
import { createCellReader, isFormula, type SheetRow } from "./sheet-cells.ts";
import { createRanges } from "./sheet-ranges.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import { isTrue, type Workbook } from "./workbook.ts";
import { readXml, type XmlShape } from "./xml.ts";

const rowsMax = 20_000;
const rowNumberMax = 1_048_576;
const columnNumberMax = 16_384;
/** No letter can be seen in a lower row (points) or a narrower column (characters). */
const shownHeightMin = 2;
const shownWidthMin = 0.2;

const isMerged: CellMark = { kind: "unclear", says: "is part of merged cells: split them" };
const isConditional: CellMark = { kind: "unclear", says: "has a conditional format that may show another number" };

/** The rows of a sheet that hold anything, in order, and the columns that it does not show. Throws UnreadableWorkbook. */
export const readSheet = async (pieces: AsyncIterable<Uint8Array>, path: string, workbook: Workbook) => {
  const merged = createRanges(isMerged);
  const formulas = createRanges(isFormula);
  const conditional = createRanges(isConditional);
  const rows: SheetRow[] = [];
  const columns = createColumnReader();
  let area = "";
  const cfRule: XmlShape = {
    open: (attribute) => {
      if (workbook.conditionalFormats.has(Number(attribute("dxfId") ?? -1))) conditional.add(area);
    },
  };
  const conditionalFormatting: XmlShape = {
    open: (attribute) => {
      area = attribute("sqref") ?? "";
    },
    children: { cfRule },
  };
  const mergeCells: XmlShape = { children: { mergeCell: { open: (attribute) => merged.add(attribute("ref") ?? "") } } };
  const cells = createCellReader(workbook, formulas.add);
  const worksheet: XmlShape = { children: { cols: columns.shape, ...rowShapes(cells, rows), mergeCells, conditionalFormatting } };
  await readXml(pieces, path, { children: { worksheet } });
  for (const ranges of [merged, formulas, conditional]) ranges.apply(rows);
  return { rows: rows satisfies readonly TableRow[], hiddenColumns: columns.hidden };
};

const rowShapes = (cells: ReturnType<typeof createCellReader>, rows: SheetRow[]): Readonly<Record<string, XmlShape>> => {
  let previous = 0;
  let lowByDefault = false;
  let current: SheetRow | undefined;
  const sheetFormatPr: XmlShape = {
    open: (attribute) => {
      lowByDefault = Number(attribute("defaultRowHeight") ?? shownHeightMin) < shownHeightMin;
    },
  };
  const row: XmlShape = {
    open: (attribute) => {
      const number = attribute("r") ?? String(previous + 1);
      const line = /^[1-9]\d{0,6}$/.test(number) ? Number(number) : 0;
      if (line <= previous || line > rowNumberMax) throw new UnreadableWorkbook(`its row ${number} comes twice, out of order or beyond the last`);
      previous = line;
      const height = attribute("ht");
      const isLow = height === undefined ? lowByDefault : Number(height) < shownHeightMin;
      current = { line, cells: [], marks: [], hidden: isLow || isTrue(attribute("hidden")) };
      cells.startRow(current);
    },
    close: () => {
      if (current === undefined || current.cells.length === 0) return;
      if (rows.length >= rowsMax) throw new UnreadableWorkbook(`it has more than ${rowsMax} rows in one sheet`);
      rows.push(current);
    },
    children: { c: cells.shape },
  };
  return { sheetFormatPr, sheetData: { children: { row } } };
};

const createColumnReader = () => {
  const hidden = new Set<number>();
  let last = 0;
  const col: XmlShape = {
    open: (attribute) => {
      const [min, max] = [Number(attribute("min")), Number(attribute("max"))];
      if (!(min > last && max >= min && max <= columnNumberMax)) throw new UnreadableWorkbook("its columns are described twice or out of order");
      last = max;
      if (!isTrue(attribute("hidden")) && Number(attribute("width") ?? shownWidthMin) >= shownWidthMin) return;
      for (let column = min; column <= max; column += 1) hidden.add(column - 1);
    },
  };
  return { hidden: hidden satisfies ReadonlySet<number>, shape: { children: { col } } satisfies XmlShape };
};

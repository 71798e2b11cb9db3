import type { CellMark, TableRow } from "./cell.ts";
import { createCellReader, isFormula, isMerged, type SheetRow } from "./sheet-cells.ts";
import { createSheetFacts, type Survey } from "./sheet-facts.ts";
import { createRanges } from "./sheet-ranges.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import { isTrue, type Workbook } from "./workbook.ts";
import { readXml, type XmlShape } from "./xml.ts";

const rowNumberMax = 1_048_576;
const columnNumberMax = 16_384;
/** No letter can be seen in a lower row (points) or a narrower column (characters). */
const shownHeightMin = 2;
const shownWidthMin = 0.2;

const isConditional: CellMark = { kind: "unclear", says: "has a conditional format that may show another number" };

/** Cells that are kept between one going through and the next; a larger sheet is unpacked anew each time. */
const keptCellsMax = 400_000;

/**
 * Goes through a sheet for what lies behind its rows (merged cells, conditional formats) and for what a reader of it must know;
 * `scan` then gives the rows that hold anything, in order. Throws UnreadableWorkbook.
 */
export const surveySheet = async (open: () => AsyncIterable<Uint8Array>, path: string, workbook: Workbook): Promise<Survey> => {
  const merged = createRanges(isMerged);
  const formulas = createRanges(isFormula);
  const conditional = createRanges(isConditional);
  const columns = createColumnReader();
  const facts = createSheetFacts();
  const kept: SheetRow[] = [];
  let cellsKept = 0;
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
  const rows = rowShapes(createCellReader(workbook, formulas.add), (row) => {
    facts.see(row);
    cellsKept += row.cells.length;
    if (cellsKept <= keptCellsMax) kept.push(row);
    else kept.length = 0;
  });
  await readXml(open(), path, { children: { worksheet: { children: { cols: columns.shape, ...rows, mergeCells, conditionalFormatting } } } });
  const createMarker = () => {
    const markers = [merged.createMarker(), formulas.createMarker(), conditional.createMarker()];
    return (row: SheetRow): void => {
      for (const mark of markers) mark(row);
    };
  };
  if (cellsKept <= keptCellsMax) kept.forEach(createMarker());
  const scan = async (onRow: (row: TableRow) => void): Promise<void> => {
    if (cellsKept <= keptCellsMax) {
      kept.forEach(onRow);
      return;
    }
    const mark = createMarker();
    const again = rowShapes(
      createCellReader(workbook, () => undefined),
      (row) => {
        mark(row);
        onRow(row);
      },
    );
    await readXml(open(), path, { children: { worksheet: { children: { ...again, cols: {}, mergeCells: {}, conditionalFormatting: {} } } } });
  };
  return { isFilled: cellsKept > 0, hiddenColumns: columns.hidden, notes: facts.notes(columns.hidden), scan };
};

const rowShapes = (cells: ReturnType<typeof createCellReader>, onRow: (row: SheetRow) => void): Readonly<Record<string, XmlShape>> => {
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
      if (current !== undefined && current.cells.length > 0) onRow(current);
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

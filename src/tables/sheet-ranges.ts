import type { CellMark } from "./cell.ts";
import { UnreadableWorkbook } from "./unreadable.ts";

/** Rows count from 1, columns from 0. */
export type Range = { readonly top: number; readonly left: number; readonly bottom: number; readonly right: number };
type MarkedRow = { readonly line: number; readonly cells: readonly string[]; readonly marks: (CellMark | undefined)[] };

const rangesMax = 200_000;
/** Of one row. */
const overlapMax = 500;

const columnOf = (letters: string): number => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** Throws UnreadableWorkbook. */
export const readAddress = (text: string): { readonly column: number; readonly line: number } => {
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(text) ?? [];
  if (letters === undefined || digits === undefined) throw new UnreadableWorkbook(`"${text}" is not the name of a cell`);
  return { column: columnOf(letters), line: Number(digits) };
};

/** Throws UnreadableWorkbook. */
const readRange = (text: string): Range => {
  const [from = "", to = from] = text.split(":");
  const [first, last] = [readAddress(from), readAddress(to)];
  return { top: first.line, left: first.column, bottom: last.line, right: last.column };
};

const tooMany = (): UnreadableWorkbook => new UnreadableWorkbook("it has too many merged cells, array formulas or conditional formats");

/** Areas of a sheet whose cells all get one mark. */
export const createRanges = (mark: CellMark) => {
  const ranges: Range[] = [];
  return {
    addRange: (range: Range): void => {
      ranges.push(range);
      if (ranges.length > rangesMax) throw tooMany();
    },
    /** `A1:B2`, or several with spaces between. */
    add: (text: string): void => {
      for (const part of text.split(/\s+/)) if (part !== "") ranges.push(readRange(part));
      if (ranges.length > rangesMax) throw tooMany();
    },
    /** A function that marks the cells of rows, one after the other and in order. */
    createMarker: (): ((row: MarkedRow) => void) => {
      const sorted = ranges.toSorted((a, b) => a.top - b.top);
      let next = 0;
      let active: Range[] = [];
      return (row) => {
        if (active.length === 0 && (sorted[next]?.top ?? Number.POSITIVE_INFINITY) > row.line) return;
        for (let range = sorted[next]; range !== undefined && range.top <= row.line; range = sorted[next]) {
          if (range.bottom >= row.line) active.push(range);
          next += 1;
        }
        active = active.filter(({ bottom }) => bottom >= row.line);
        if (active.length > overlapMax) throw new UnreadableWorkbook(`too many merged cells, array formulas or conditional formats cover its row ${row.line}`);
        markRow(row, active, mark);
      };
    },
  };
};

const markRow = ({ cells, marks }: MarkedRow, ranges: readonly Range[], mark: CellMark): void => {
  let column = 0;
  for (const { left, right } of ranges.toSorted((a, b) => a.left - b.left))
    for (column = Math.max(column, left); column <= Math.min(right, cells.length - 1); column += 1) marks[column] = mark;
};

import { groupedCount } from "../money/grouped.ts";
import { columnLetters, type TableRow } from "./cell.ts";

/** What is known of a sheet before its rows are read. */
export type Survey = {
  readonly isFilled: boolean;
  readonly hiddenColumns: ReadonlySet<number>;
  readonly notes: readonly string[];
  readonly scan: (onRow: (row: TableRow) => void) => Promise<void>;
};

const namedMax = 10;
export const from1904Note = "counts its dates from 1904: cells with the format of a date are read so";

const listed = (names: readonly string[], count: number): string =>
  count > names.length ? `${names.join(", ")} and ${groupedCount(count - names.length)} more` : names.join(", ");

/** A sheet whose rows are held. */
export const surveyOfRows = (rows: readonly TableRow[], hiddenColumns: ReadonlySet<number>): Survey => {
  const facts = createSheetFacts();
  rows.forEach(facts.see);
  return { isFilled: rows.length > 0, hiddenColumns, notes: facts.notes(hiddenColumns), scan: async (onRow) => rows.forEach(onRow) };
};

/** Collects, row by row, what a person must know of a sheet: each note is the end of a sentence that begins with the file's name. */
export const createSheetFacts = () => {
  const hiddenRows: string[] = [];
  let hidden = 0;
  let formulas = 0;
  let firstFormula = "";
  return {
    see({ line, marks, hidden: isHidden }: TableRow): void {
      if (isHidden === true) {
        hidden += 1;
        if (hiddenRows.length < namedMax) hiddenRows.push(String(line));
      }
      marks?.forEach((mark, column) => {
        if (mark?.kind !== "formula") return;
        if (formulas === 0) firstFormula = `${columnLetters(column)}${line}`;
        formulas += 1;
      });
    },
    notes(hiddenColumns: ReadonlySet<number>): readonly string[] {
      const notes: string[] = [];
      if (hidden > 0) notes.push(`has hidden rows, which are read too: ${listed(hiddenRows, hidden)}`);
      const columns = [...hiddenColumns].slice(0, namedMax).map(columnLetters);
      if (columns.length > 0) notes.push(`has hidden columns, which are read too: ${listed(columns, hiddenColumns.size)}`);
      if (formulas > 0)
        notes.push(
          `has ${groupedCount(formulas)} cell${formulas === 1 ? "" : "s"} with a formula (${firstFormula} first): the results are used that were kept when it was saved`,
        );
      return notes;
    },
  };
};

import type { TableRow } from "../tables/cell.ts";
import { parseSigned } from "./amounts.ts";
import { looksLikeDate } from "./dates.ts";
import { type Draft, isHeaderAgain, nameOf, profileOf, sampleMax } from "./draft.ts";
import { filledCells } from "./header.ts";
import { looseReference } from "./loose-reference.ts";
import { isLabel } from "./not-records.ts";
import { isTelling, type OtherSide, wordsOf } from "./other-side.ts";
import { isAmountCell, isAmountColumn, usualDecimal } from "./profile.ts";
import { receiptKey } from "./receipts.ts";

/** Texts that go on in lines of their own, as where a PDF was made a table. */
export type Wrapped = {
  /** The column of the text. */
  readonly column: number;
  /** The columns of amounts: what has one is a row of its own. */
  readonly amounts: readonly number[];
  /** Where the row is that the lines belong to. */
  readonly toward: "above" | "below";
};

/** More lines than one text has. */
const linesMax = 20;

/** A line with nothing but a text in this column. */
export const isTextAlone = ({ cells, marks }: TableRow, column: number): boolean => {
  const text = (cells[column] ?? "").trim();
  return (
    text !== "" &&
    marks?.[column] === undefined &&
    cells.every((cell, index) => index === column || cell.trim() === "") &&
    !isLabel(text) &&
    !looksLikeDate(text)
  );
};

const isWhole = ({ cells }: TableRow, amounts: readonly number[]): boolean =>
  amounts.some((column) => isAmountCell((cells[column] ?? "").trim())) && !cells.some(isLabel);

type Run = { readonly before: TableRow | undefined; readonly lines: readonly TableRow[]; readonly after: TableRow | undefined };

/** Lines of text that follow each other, with the whole rows right before and behind them. */
const runsOf = (rows: readonly TableRow[], column: number, amounts: readonly number[]): readonly Run[] => {
  const runs: Run[] = [];
  for (let from = 0; from < rows.length; from += 1) {
    let to = from;
    for (let row = rows[to]; row !== undefined && isTextAlone(row, column); row = rows[to]) to += 1;
    if (to === from) continue;
    const [before, after] = [rows[from - 1], rows[to]].map((row) => (row !== undefined && isWhole(row, amounts) ? row : undefined));
    // Where the rows looked at end, nobody knows what follows.
    if (to < rows.length || rows.length < sampleMax) runs.push({ before, lines: rows.slice(from, to), after });
    from = to;
  }
  return runs;
};

type Toward = Wrapped["toward"];
const oneOf = (above: boolean, below: boolean): readonly Toward[] => (above === below ? [] : [above ? "above" : "below"]);
/** What all of them say; undefined if they contradict each other. */
const decided = (votes: readonly Toward[]): Toward | undefined => (new Set(votes).size === 1 ? votes[0] : undefined);

/** Which of the rows around it has the amount that the other side has for what the lines name. */
const byAmounts = (runs: readonly Run[], { column, amounts }: Pick<Wrapped, "column" | "amounts">, other: OtherSide): readonly Toward[] => {
  const decimal = usualDecimal(
    runs.flatMap(({ before, after }) => [before, after].filter((row) => row !== undefined)),
    amounts,
  );
  const has = (row: TableRow | undefined, amount: bigint): boolean =>
    amounts.some((each) => {
      const own = parseSigned(row?.cells[each] ?? "", decimal);
      return own === amount || own === -amount;
    });
  return runs.flatMap(({ before, lines, after }) => {
    const words = lines.flatMap(({ cells }) => wordsOf(cells[column] ?? ""));
    const known = words.flatMap((word) => {
      const found = other.receipts.get(receiptKey(word) ?? "") ?? (isTelling(word) ? other.references.get(looseReference(word) ?? "") : undefined);
      return found?.amountMinor === undefined ? [] : [found.amountMinor];
    });
    return oneOf(
      known.some((amount) => has(before, amount)),
      known.some((amount) => has(after, amount)),
    );
  });
};

/**
 * Finds out whether lines that hold only text continue the row above them or the row below. Two things prove it: lines at the very top
 * or bottom have a row on one side alone; or they name a payment of the other file, and only the row on one side has its amount. Undefined
 * if the file has no such lines, or if neither proves it.
 */
export const findWrapped = (draft: Draft, rows: readonly TableRow[], other: OtherSide | undefined): Wrapped | undefined => {
  const { details: column } = draft.columns;
  if (draft.kind !== "statement" || column === undefined) return undefined;
  const amounts = draft.profiles.flatMap((_, index) => (index !== column && isAmountColumn(profileOf(draft, index)) ? [index] : []));
  const runs = runsOf(
    rows.filter(({ line, cells }) => line > draft.lastHeaderLine && !isHeaderAgain(cells, draft.header)),
    column,
    amounts,
  );
  if (runs.length === 0) return undefined;
  const edges = runs.flatMap(({ before, after }) => oneOf(before !== undefined, after !== undefined));
  const proofs = [
    { toward: decided(edges), why: "because the first or the last of them has no row on its other side" },
    { toward: other === undefined ? undefined : decided(byAmounts(runs, { column, amounts }, other)), why: `by the amounts of ${other?.name ?? ""}` },
  ];
  const proof = proofs.find(({ toward }) => toward !== undefined);
  if (proof?.toward === undefined) return undefined;
  draft.notes.push(`Texts: lines with nothing but a text in ${nameOf(draft, column)} continue the row ${proof.toward} them, ${proof.why}.`);
  return { column, amounts, toward: proof.toward };
};

/** Hands on rows with the lines of their text joined to it. A line that belongs to no row stays a row. */
export const createJoiner = ({ column, amounts, toward }: Wrapped, headings: readonly string[], onRow: (row: TableRow) => void) => {
  let held: TableRow | undefined;
  let lines: TableRow[] = [];
  let joined = 0;
  const flush = (): void => {
    if (held !== undefined && lines.length > 0 && isWhole(held, amounts)) {
      const texts = (toward === "above" ? [held, ...lines] : [...lines, held]).map(({ cells }) => (cells[column] ?? "").trim());
      const cells = Array.from({ length: Math.max(held.cells.length, column + 1) }, (_, index) => held?.cells[index] ?? "");
      cells[column] = texts.filter((text) => text !== "").join(" ");
      joined += lines.length;
      onRow({ ...held, cells });
    } else for (const row of toward === "above" ? [held, ...lines] : [...lines, held]) if (row !== undefined) onRow(row);
    held = undefined;
    lines = [];
  };
  return {
    joined: (): number => joined,
    see(row: TableRow): void {
      if (isTextAlone(row, column)) {
        lines.push(row);
        if (lines.length > linesMax) flush();
        return;
      }
      // A page ends in the middle of a text.
      if (filledCells(row) === 0 || isHeaderAgain(row.cells, headings)) {
        onRow(row);
        return;
      }
      if (toward === "above") flush();
      held = row;
      if (toward === "below") flush();
    },
    end: flush,
  };
};

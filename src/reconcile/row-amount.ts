import { columnLetters, type TableRow } from "../tables/cell.ts";
import { parseAmount } from "./amounts.ts";
import type { FieldName } from "./columns.ts";
import type { Layout } from "./layout.ts";
import { type Way, wayOfWord } from "./words.ts";

export type Problem = { readonly problem: string };
export type Amount = { readonly minor: bigint; readonly currency?: string | undefined };
export const isProblem = (value: object): value is Problem => "problem" in value;

/** A text that a formula protects (`="00731"`) is that text. */
export const cellAt = (row: TableRow, index: number | undefined): string => {
  const cell = index === undefined ? "" : (row.cells[index] ?? "").trim();
  return cell.startsWith('="') && cell.endsWith('"') ? cell.slice(2, -1) : cell;
};
export const shownMax = 40;

/** A reason with its cell, as people find it in the file. */
export const inCell = (row: TableRow, { header, columns }: Layout, field: FieldName, why: string): string => {
  const index = columns[field];
  if (index === undefined) return why;
  const text = cellAt(row, index);
  const shown = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
  const heading = (header[index] ?? "").trim();
  return `${why}: "${shown}" in ${heading === "" ? `column ${columnLetters(index)}` : heading}, line ${row.line}`;
};

/** Counts of words that mean nothing to us. */
export type Unrecognised = Map<string, number>;
const unrecognisedMax = 50;
export const countWord = (unrecognised: Unrecognised, word: string): void => {
  const before = unrecognised.get(word);
  if (before !== undefined) unrecognised.set(word, before + 1);
  else if (unrecognised.size < unrecognisedMax) unrecognised.set(word.slice(0, 100), 1);
};

/** The amount with its sign, as the columns, words and the balance say; money out is negative, whatever sign the export gives it. */
export const signedAmount = (row: TableRow, layout: Layout, unrecognised: Unrecognised, moved: boolean): Amount | Problem | undefined => {
  const { columns } = layout;
  const foreign = foreignAmount(row, layout);
  if (foreign !== undefined) return "problem" in foreign ? { problem: inCell(row, layout, "amount", foreign.problem) } : foreign;
  if (columns["paid-in"] === undefined && columns.withdrawn === undefined) return singleAmount(row, layout, unrecognised, moved);
  // Beside them, a column of amounts says what was paid, and they only which way it went.
  const paid = columns.amount === undefined ? undefined : readAmount(row, layout);
  const read = (field: "paid-in" | "withdrawn"): Amount | Problem | undefined => {
    const cell = parseAmount(cellAt(row, columns[field]), layout.decimal);
    const moves = cell !== undefined && !("problem" in cell) && cell.minor !== 0n;
    if (moves && cell.direction === (field === "paid-in" ? "debit" : "credit") && layout.sources.get(field) !== "other side")
      return { problem: inCell(row, layout, field, "the word beside the amount contradicts the column") };
    const amount = moves && paid !== undefined ? paid : cell;
    return amount !== undefined && "problem" in amount ? { problem: inCell(row, layout, field, amount.problem) } : amount;
  };
  const paidIn = read("paid-in");
  const withdrawn = read("withdrawn");
  if (paidIn !== undefined && isProblem(paidIn)) return paidIn;
  if (withdrawn !== undefined && isProblem(withdrawn)) return withdrawn;
  const nothing = (value: Amount | undefined): boolean => value === undefined || value.minor === 0n;
  if (nothing(paidIn) && nothing(withdrawn)) return paidIn ?? withdrawn;
  if (!nothing(paidIn) && !nothing(withdrawn)) return { problem: `the row has money in and money out, on line ${row.line}` };
  if (paidIn !== undefined && !nothing(paidIn)) return paidIn;
  return withdrawn === undefined ? undefined : { ...withdrawn, minor: layout.outNegative ? withdrawn.minor : -withdrawn.minor };
};

/** Of the column of another currency that has one. */
export const foreignAmount = (row: TableRow, { foreign, decimal }: Layout): ReturnType<typeof parseAmount> => {
  for (const [column, currency] of foreign) {
    const amount = parseAmount(cellAt(row, column), decimal);
    if (amount !== undefined && ("problem" in amount || amount.minor !== 0n)) return "problem" in amount ? amount : { ...amount, currency };
  }
  return undefined;
};

/** The cell of the amount column. */
export const readAmount = (row: TableRow, { columns, decimal, hundredths, cents }: Layout): ReturnType<typeof parseAmount> => {
  const whole = cellAt(row, columns.amount);
  const part = cents === undefined ? "" : cellAt(row, cents).replace(/^-+$/, "");
  if (part !== "" && !(/^\d{1,2}$/.test(part) && /^\D*[\d,\s]*$/.test(whole))) return { problem: `"${part}" is no number of cents` };
  const amount = parseAmount(part === "" ? whole : `${whole || "0"}${decimal}${part.padStart(2, "0")}`, decimal);
  if (!hundredths || amount === undefined || "problem" in amount) return amount;
  return amount.minor % 100n === 0n ? { ...amount, minor: amount.minor / 100n } : { problem: "the amount is no whole number of cents" };
};

const singleAmount = (row: TableRow, layout: Layout, unrecognised: Unrecognised, moved: boolean): Amount | Problem | undefined => {
  const amount = readAmount(row, layout);
  if (amount === undefined) return undefined;
  if ("problem" in amount) return { problem: inCell(row, layout, "amount", amount.problem) };
  if (amount.minor <= 0n) return amount;
  if (layout.columns.direction !== undefined) {
    const way = wayInRow(row, layout, unrecognised);
    return typeof way === "object" ? way : signedBy(way, amount);
  }
  const said = amount.direction === undefined ? undefined : amount.direction === "debit" ? "out" : "in";
  const way = said ?? layout.ways.get(row.line) ?? (moved || layout.unsigned !== "unknown" ? layout.unsigned : "in");
  if (way === "unknown") return { problem: inCell(row, layout, "amount", "the balance does not say whether the money came in or went out") };
  return signedBy(way, amount);
};

/** What the word of the direction column says. */
export const wayInRow = (row: TableRow, layout: Layout, unrecognised: Unrecognised): Way | Problem => {
  const word = cellAt(row, layout.columns.direction);
  const way = wayOfWord(word, layout.directions, layout.columns.direction === layout.columns.type);
  if (way === undefined) countWord(unrecognised, word);
  return way ?? { problem: inCell(row, layout, "direction", "nothing says whether the money came in or went out") };
};

const signedBy = (way: Way, amount: Amount): Amount => ({ ...amount, minor: way === "in" ? amount.minor : way === "out" ? -amount.minor : 0n });

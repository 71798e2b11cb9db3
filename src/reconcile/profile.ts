import type { TableRow } from "../tables/cell.ts";
import { createDecimalJudge, type DecimalEvidence, type DecimalMark, parseAmount } from "./amounts.ts";
import { looksLikeDate } from "./dates.ts";
import { looksLikeReceipt } from "./receipts.ts";

/** What stands in one column of the rows that were looked at. */
export type Profile = {
  readonly filled: number;
  readonly amounts: number;
  readonly negatives: number;
  /** Cells that say DR or CR beside their amount. */
  readonly directed: number;
  readonly dates: number;
  /** Dates that are ten digits or more: seconds since 1970, or numbers of something. */
  readonly epochs: number;
  readonly times: number;
  readonly phones: number;
  readonly receipts: number;
  /** Letters and digits, or digits alone, without being any of the above. */
  readonly identifiers: number;
  /** Two words of letters or more. */
  readonly phrases: number;
  readonly distinct: number;
  /** The different cells, if there are few. */
  readonly words: ReadonlyMap<string, number>;
};

const wordsMax = 12;

/**
 * Could the cell be an amount? Digits that begin with zero, are very long or are a day (`20260313`) are something else (phones, tills, ids), and
 * so are letters with digits right behind them, though `R-1` may be rand and `C1001` a credit.
 */
export const isAmountCell = (cell: string): boolean => {
  if (!/\d/.test(cell) || /^20[0-4]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$|^\+?0\d|^\+?\d{10,}$|^\p{L}{1,4}[-/_#]\d+$|^\p{L}{1,2}\d+$/u.test(cell))
    return false;
  return ([".", ","] as const).some((mark) => "minor" in (parseAmount(cell, mark) ?? {}));
};
const isPhone = (cell: string): boolean => /^\+?(?:254|255|256|250|0)?[17]\d{8}$|^\+?2547\*+\d+$/.test(cell.replace(/[\s-]/g, ""));
/** As it is written, or as a sheet keeps it: a part of a day. */
const isTime = (cell: string): boolean => /^0?\.\d+$|^\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?$/i.test(cell);
const isIdentifier = (cell: string): boolean => /^[#\p{L}\p{N}][\p{L}\p{N}\-/_. #|]{0,60}$/u.test(cell) && /\d/.test(cell);

export const profileColumn = (rows: readonly TableRow[], column: number): Profile => {
  const counts = { filled: 0, amounts: 0, negatives: 0, directed: 0, dates: 0, epochs: 0, times: 0, phones: 0, receipts: 0, identifiers: 0, phrases: 0 };
  const words = new Map<string, number>();
  const seen = new Set<string>();
  for (const row of rows) {
    const cell = (row.cells[column] ?? "").trim();
    if (cell === "" || /^-+$/.test(cell)) continue;
    counts.filled += 1;
    seen.add(cell);
    if (words.size <= wordsMax) words.set(cell, (words.get(cell) ?? 0) + 1);
    if (isTime(cell)) counts.times += 1;
    else if (looksLikeDate(cell)) {
      counts.dates += 1;
      if (/^\d{10,}$/.test(cell)) counts.epochs += 1;
    }
    if (isPhone(cell)) counts.phones += 1;
    else if (isAmountCell(cell)) {
      counts.amounts += 1;
      const amount = ([".", ","] as const).map((mark) => parseAmount(cell, mark)).find((each) => each !== undefined && "minor" in each);
      if (amount !== undefined && "minor" in amount) {
        if (amount.minor < 0n) counts.negatives += 1;
        if (amount.direction !== undefined) counts.directed += 1;
      }
    }
    if (looksLikeReceipt(cell)) counts.receipts += 1;
    if (isIdentifier(cell)) counts.identifiers += 1;
    if (/\p{L}{2}[^\p{L}\p{N}_].*\p{L}{2}/su.test(cell)) counts.phrases += 1;
  }
  return { ...counts, distinct: seen.size, words: words.size > wordsMax ? new Map() : words };
};

const isShare = (count: number, share: number, { filled }: Profile): boolean => filled > 0 && count >= share * filled;
export const isAmountColumn = (profile: Profile): boolean => isShare(profile.amounts, 0.6, profile);
export const isDateColumn = (profile: Profile): boolean => isShare(profile.dates, 0.6, profile);
export const isTimeColumn = (profile: Profile): boolean => isShare(profile.times, 0.8, profile);
export const isPhoneColumn = (profile: Profile): boolean => isShare(profile.phones, 0.8, profile);
export const isReceiptColumn = (profile: Profile): boolean => isShare(profile.receipts, 0.7, profile);
export const isIdentifierColumn = (profile: Profile): boolean => isShare(profile.identifiers, 0.8, profile);

export const emptyProfile: Profile = profileColumn([], 0);

/** What the cells of some columns say of their decimal mark. */
export const decimalEvidence = (rows: readonly TableRow[], columns: readonly number[]): DecimalEvidence => {
  const judge = createDecimalJudge();
  for (const row of rows) for (const column of columns) judge.see((row.cells[column] ?? "").trim());
  return judge.evidence();
};

/** The decimal mark that most of the columns use, for sums that only prove which column is what. */
export const usualDecimal = (rows: readonly TableRow[], columns: readonly number[]): DecimalMark => {
  const { point, comma } = decimalEvidence(rows, columns);
  return point === undefined && comma !== undefined ? "," : ".";
};

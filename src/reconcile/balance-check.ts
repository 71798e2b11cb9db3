import type { TableRow } from "../tables/cell.ts";
import { parseSigned } from "./amounts.ts";
import type { Layout } from "./layout.ts";
import type { FileRecord } from "./record.ts";

/** A step of the balance that no row explains: between two lines a row is missing or changed. */
export type BalanceBreak = { readonly after: number; readonly line: number; readonly missingMinor: bigint };
const breaksMax = 20;
/** More breaks than one step in so many mean that the rows are in another order than the balance: nothing is proved. */
const stepsPerBreak = 10;

/** Follows a proved running balance through the whole file. */
export const createBalanceCheck = ({ columns, decimal, balanceOrder }: Layout) => {
  const breaks: BalanceBreak[] = [];
  const unmoved = new Set<number>();
  let steps = 0;
  let broken = 0;
  let before: { readonly balance: bigint; readonly amount: bigint; readonly line: number } | undefined;
  return {
    see(row: TableRow, { amountMinor, state, unreadable }: FileRecord): void {
      if (balanceOrder === undefined || columns.balance === undefined) return;
      const balance = parseSigned(row.cells[columns.balance] ?? "", decimal);
      if (balance === undefined) return;
      const now = { balance, amount: state === "paid" ? amountMinor : 0n, line: row.line };
      const last = before;
      before = unreadable === undefined ? now : undefined;
      if (last === undefined || unreadable !== undefined) return;
      steps += 1;
      const missing = balanceOrder === 1 ? now.balance - last.balance - now.amount : last.balance - now.balance - last.amount;
      if (missing === 0n) return;
      // The row says that it moved money, and its balance is the one before it.
      const mover = balanceOrder === 1 ? now : last;
      if (columns.status === undefined && now.balance === last.balance && -missing === mover.amount) {
        unmoved.add(mover.line);
        return;
      }
      broken += 1;
      if (breaks.length < breaksMax) breaks.push({ after: last.line, line: now.line, missingMinor: missing });
    },
    /** Empty unless nearly all of the steps hold. */
    breaks: (): readonly BalanceBreak[] => (broken * stepsPerBreak > steps ? [] : breaks),
    /** Lines of rows that the balance does not know of; as `breaks`, empty unless nearly all steps hold. */
    unmoved: (): ReadonlySet<number> => ((broken + unmoved.size) * 4 > steps ? new Set() : unmoved),
    /** The balance after the newest row, if the file goes from the oldest to the newest. */
    last: (): bigint | undefined => (balanceOrder === 1 ? before?.balance : undefined),
  };
};

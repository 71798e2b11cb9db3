import type { TableRow } from "../tables/cell.ts";
import { parseSigned } from "./amounts.ts";
import { looseReference } from "./loose-reference.ts";
import type { OtherSide } from "./other-side.ts";
import { usualDecimal } from "./profile.ts";
import { receiptKey } from "./receipts.ts";
import { plainWord } from "./words.ts";

const bill = /^(?:\p{L}+ )?(?:invoice|bill|rechnung|facture|factura|ankara)s?$/u;
const payment = /^(?:\p{L}+ )?(?:payment|receipt|zahlung|paiement|pago|malipo)s?(?: received)?$|^receive payment$/u;

/** A list of bills and their payments: the same money twice. The rows with these words in this column are left out. */
export type Bills = { readonly column: number; readonly words: ReadonlySet<string>; readonly kept: string; readonly amounts: number; readonly rows: number };

/**
 * A column calls some rows invoices and others payments, and most payments have the amount of an invoice. The invoices are read,
 * unless the other side knows more of the payments.
 */
export const findBills = (rows: readonly TableRow[], width: number, other: OtherSide | undefined): Bills | undefined => {
  for (let column = 0; column < width; column += 1) {
    const wordOf = ({ cells }: TableRow): string => (cells[column] ?? "").trim();
    const [bills, payments] = [bill, payment].map((pattern) => rows.filter((row) => pattern.test(plainWord(wordOf(row))))) as [TableRow[], TableRow[]];
    if (bills.length < 2 || payments.length < 2) continue;
    const decimal = usualDecimal(
      rows,
      Array.from({ length: width }, (_, index) => index),
    );
    const amountsOf = ({ cells }: TableRow): readonly bigint[] =>
      cells.flatMap((cell) => {
        const amount = parseSigned(cell.trim(), decimal) ?? 0n;
        return amount === 0n ? [] : [amount < 0n ? -amount : amount];
      });
    const billed = new Set(bills.flatMap(amountsOf));
    const amounts = payments.filter((row) => amountsOf(row).some((amount) => billed.has(amount))).length;
    if (amounts * 2 < payments.length) continue;
    const isKnown = (cell: string): boolean =>
      other !== undefined && (other.references.has(looseReference(cell) ?? "") || other.receipts.has(receiptKey(cell) ?? ""));
    const known = (some: readonly TableRow[]): number => some.filter(({ cells }) => cells.some((cell) => isKnown(cell))).length;
    const [left, kept] = known(payments) > known(bills) ? [bills, payments] : [payments, bills];
    return { column, words: new Set(left.map(wordOf)), kept: wordOf(kept[0] as TableRow), amounts, rows: payments.length };
  }
  return undefined;
};

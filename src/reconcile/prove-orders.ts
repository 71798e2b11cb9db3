import { amountColumns, toAmountRows } from "./amount-rows.ts";
import { absolute } from "./balance-proof.ts";
import { cellOf, type Draft, freeColumns, headingOf, nameOf, profileOf, take } from "./draft.ts";
import { groupBy } from "./group-by.ts";
import type { OrderLines } from "./layout.ts";
import { looseReference } from "./loose-reference.ts";
import { splitTotal, sumOf } from "./order-rows.ts";
import type { OtherSide } from "./other-side.ts";
import { isAmountColumn } from "./profile.ts";
import { isRestHeading } from "./words.ts";

/** A list without a status may say what is still owed: never more than the amount, nothing of some of the orders, and of none in both signs. */
export const proveRest = (draft: Draft): void => {
  const { amount, status } = draft.columns;
  if (draft.kind !== "orders" || amount === undefined || status !== undefined) return;
  const columns = freeColumns(draft).filter((each) => isRestHeading(headingOf(draft, each)) && isAmountColumn(profileOf(draft, each)));
  const rows = toAmountRows(draft, [amount, ...columns]).filter(({ amounts }) => amounts.has(amount));
  const column = columns.find((each) => {
    const rests = rows.map(({ amounts }) => [absolute(amounts.get(each) ?? 0n), absolute(amounts.get(amount) ?? 0n)] as const);
    const signs = new Set(rows.map(({ amounts }) => Math.sign(Number(amounts.get(each) ?? 0n))).filter((sign) => sign !== 0));
    return (
      signs.size < 2 && rows.every(({ amounts }) => amounts.has(each)) && rests.every(([rest, whole]) => rest <= whole) && rests.some(([rest]) => rest === 0n)
    );
  });
  if (column === undefined) return;
  take(draft, "status", column, "form");
  draft.notes.push(`Status: an order of which "${nameOf(draft, column)}" says that nothing is left counts as paid, any other as open.`);
};

/** A row for each part of a payment: what the parts of neighbouring rows add up to is the amount that each of these rows has. */
export const hasParts = (draft: Draft): boolean => {
  const { amount, receipt, reference } = draft.columns;
  if (draft.kind !== "orders" || amount === undefined) return false;
  const rows = toAmountRows(draft, [amount, ...amountColumns(draft)]);
  const groups = groupBy(rows, ({ row, amounts }) => `${cellOf(row, receipt)} ${cellOf(row, reference)} ${amounts.get(amount) ?? ""}`);
  const several = [...groups.values()].filter(({ length }) => length > 1);
  const addsUp = (column: number): boolean =>
    several.every((parts) => parts.reduce((sum, { amounts }) => sum + (amounts.get(column) ?? 0n), 0n) === parts[0]?.amounts.get(amount));
  return several.length > 0 && amountColumns(draft).some((column) => column !== amount && addsUp(column));
};

type Line = { readonly amountMinor: bigint; readonly isTotal: boolean };
const totalWords = /^(?:(?:grand|order|invoice|bill|cart)[\s_-]*)?(?:total|jumla|summe|gesamt|gesamtsumme|suma)\b[^\p{L}]{0,20}$/iu;

/** The row of each order that has what its other rows add up to, or says so: the first, or the last. */
const totalsOf = (orders: readonly (readonly Line[])[]): OrderLines | undefined => {
  const several = orders.filter(({ length }) => length > 1);
  for (const at of ["last", "first"] as const) {
    const split = several.map((lines) => splitTotal(lines, at));
    const isSaid = several.length > 0 && split.every(({ total, rest }) => total?.isTotal === true && !rest.some(({ isTotal }) => isTotal));
    const adding = split.filter(({ total, rest }) => total?.amountMinor === sumOf(rest));
    if (isSaid || (adding.length * 10 >= several.length * 9 && adding.filter(({ rest }) => rest.length > 1).length >= 2)) return { at, isSaid };
  }
  return undefined;
};

/** Orders with a row for each line: one of them has the total, or the other side has what the lines add up to, and no single one of them. */
export const proveLines = (draft: Draft, other: OtherSide | undefined): void => {
  const { amount, reference } = draft.columns;
  if (draft.kind !== "orders" || amount === undefined || reference === undefined) return;
  const orders = new Map<string, Line[]>();
  for (const { row, amounts } of toAmountRows(draft, [amount])) {
    const name = looseReference(cellOf(row, reference));
    const amountMinor = amounts.get(amount);
    const isTotal = row.cells.some((cell) => totalWords.test(cell.trim()));
    if (name !== undefined && amountMinor !== undefined) orders.set(name, [...(orders.get(name) ?? []), { amountMinor, isTotal }]);
  }
  draft.lines = totalsOf([...orders.values()]);
  if (draft.lines !== undefined) {
    const { at, isSaid } = draft.lines;
    draft.notes.push(
      `Amounts: of rows with the same reference the ${at} is the order, as it ${isSaid ? "says that it is the total" : "has what the others add up to"}.`,
    );
    return;
  }
  const several = [...orders].flatMap(([name, lines]) => {
    const paid = lines.length > 1 ? other?.references.get(name)?.amountMinor : undefined;
    return paid === undefined || lines.some(({ amountMinor }) => amountMinor === absolute(paid)) ? [] : [sumOf(lines) === absolute(paid)];
  });
  const added = several.filter((fits) => fits).length;
  if (added === 0 || added * 2 < several.length) return;
  draft.lines = { at: "all", isSaid: false };
  draft.notes.push(`Amounts: rows with the same reference are added up, as they make what ${other?.name ?? ""} has for ${added} of ${several.length} orders.`);
};

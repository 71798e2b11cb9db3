import { absolute, amountColumns, toAmountRows } from "./amount-rows.ts";
import { cellOf, type Draft, freeColumns, nameOfColumn, take } from "./draft.ts";
import { looseReference } from "./loose-reference.ts";
import type { OtherSide } from "./other-side.ts";
import { emptyProfile, isAmountColumn } from "./profile.ts";
import { isRestHeading } from "./words.ts";

/** A list without a status may say what is still owed: never more than the amount, nothing of some of the orders, and of none in both signs. */
export const proveRest = (draft: Draft): void => {
  const { amount, status } = draft.columns;
  if (draft.kind !== "orders" || amount === undefined || status !== undefined) return;
  const columns = freeColumns(draft).filter((each) => isRestHeading(draft.header.headings[each] ?? "") && isAmountColumn(draft.profiles[each] ?? emptyProfile));
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
  draft.notes.push(`Status: an order of which "${nameOfColumn(draft.header, column)}" says that nothing is left counts as paid, any other as open.`);
};

/** A row for each part of a payment: what the parts of neighbouring rows add up to is the amount that each of these rows has. */
export const hasParts = (draft: Draft): boolean => {
  const { amount, receipt, reference } = draft.columns;
  if (draft.kind !== "orders" || amount === undefined) return false;
  const rows = toAmountRows(draft, [amount, ...amountColumns(draft)]);
  const groups = new Map<string, (typeof rows)[number]["amounts"][]>();
  for (const [index, { amounts }] of rows.entries()) {
    const row = draft.body[index] ?? { line: 0, cells: [] };
    const name = `${cellOf(row, receipt)} ${cellOf(row, reference)} ${amounts.get(amount) ?? ""}`;
    groups.set(name, [...(groups.get(name) ?? []), amounts]);
  }
  const several = [...groups.values()].filter(({ length }) => length > 1);
  const addsUp = (column: number): boolean =>
    several.every((parts) => parts.reduce((sum, part) => sum + (part.get(column) ?? 0n), 0n) === parts[0]?.get(amount));
  return several.length > 0 && amountColumns(draft).some((column) => column !== amount && addsUp(column));
};

/** Orders with a row for each line: the other side has what the lines add up to, and no single one of them. */
export const proveLines = (draft: Draft, other: OtherSide | undefined): void => {
  const { amount, reference } = draft.columns;
  if (draft.kind !== "orders" || other === undefined || amount === undefined || reference === undefined) return;
  const lines = new Map<string, bigint[]>();
  for (const [index, { amounts }] of toAmountRows(draft, [amount]).entries()) {
    const name = looseReference(cellOf(draft.body[index] ?? { line: 0, cells: [] }, reference));
    const value = amounts.get(amount);
    if (name !== undefined && value !== undefined) lines.set(name, [...(lines.get(name) ?? []), value]);
  }
  const several = [...lines].flatMap(([name, values]) => {
    const paid = values.length > 1 ? other.references.get(name)?.amountMinor : undefined;
    return paid === undefined || values.some((value) => value === absolute(paid)) ? [] : [values.reduce((sum, value) => sum + value, 0n) === absolute(paid)];
  });
  const orders = several.filter((fits) => fits).length;
  if (orders === 0 || orders * 2 < several.length) return;
  draft.linesAddUp = true;
  draft.notes.push(`Amounts: rows with the same reference are added up, as they make what ${other.name} has for ${orders} of ${several.length} orders.`);
};

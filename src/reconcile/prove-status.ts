import { absolute, toAmountRows } from "./amount-rows.ts";
import { cellOf, type Draft, nameOfColumn } from "./draft.ts";
import { stateOfWord } from "./words.ts";

/** A status that nobody knows says "paid" if the balance moves by the amounts of the rows that have it. */
export const proveStatus = (draft: Draft): void => {
  const { status, balance, amount, "paid-in": paidIn, withdrawn } = draft.columns;
  if (draft.kind !== "statement" || status === undefined || balance === undefined || draft.balanceOrder === undefined) return;
  const own = [amount, paidIn, withdrawn].filter((column) => column !== undefined);
  const rows = toAmountRows(draft, [...own, balance]).map(({ amounts }, index) => ({
    amounts,
    word: cellOf(draft.body[index] ?? { line: 0, cells: [] }, status),
  }));
  const steps = new Map<string, { moved: number; other: number }>();
  let before: bigint | undefined;
  for (const { amounts, word } of draft.balanceOrder === 1 ? rows : rows.reverse()) {
    const now = amounts.get(balance);
    if (now === undefined) continue;
    const count = steps.get(word) ?? { moved: 0, other: 0 };
    const step = before === undefined ? undefined : absolute(now - before);
    if (step !== undefined) count[step !== 0n && own.some((column) => absolute(amounts.get(column) ?? 0n) === step) ? "moved" : "other"] += 1;
    steps.set(word, count);
    before = now;
  }
  const options = { kind: draft.kind, own: draft.status, heading: draft.header.headings[status] };
  for (const [word, { moved, other }] of steps) {
    if (word === "" || moved < 2 || other * 3 > moved || stateOfWord(word, options).recognised) continue;
    draft.status = { ...draft.status, paid: [...(draft.status?.paid ?? []), word] };
    draft.notes.push(
      `Status: "${word}" in ${nameOfColumn(draft.header, status)} counts as paid, as the balance moves by the amounts of ${moved} rows that say so.`,
    );
  }
};

import { parseSigned } from "./amounts.ts";
import { type AmountRow, type BalanceProof, proveBalance } from "./balance-proof.ts";
import type { FieldName } from "./columns.ts";
import { byHeading, cellOf, type Draft, freeColumns, isSure, nameOfColumn, take } from "./draft.ts";
import { rankOfHeading } from "./heading-words.ts";
import { looseReference } from "./loose-reference.ts";
import { takeBy } from "./narrative.ts";
import type { Known, OtherSide } from "./other-side.ts";
import { isAmountColumn, usualDecimal } from "./profile.ts";
import { receiptKey } from "./receipts.ts";
import { plainWord, wayOfWord } from "./words.ts";

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** Columns of amounts whose meaning is not settled by the user or a layout. */
const amountColumns = (draft: Draft): readonly number[] => {
  const own = (["amount", "paid-in", "withdrawn", "balance"] as const).flatMap((field) => draft.columns[field] ?? []);
  return [...new Set([...own, ...freeColumns(draft)])].filter((column) => {
    const profile = draft.profiles[column];
    return profile !== undefined && isAmountColumn(profile) && !isOnlySerials(draft, column);
  });
};

/** Days as a spreadsheet counts them look like amounts; a heading tells them apart. */
const isOnlySerials = (draft: Draft, column: number): boolean => {
  const profile = draft.profiles[column];
  return profile !== undefined && profile.dates === profile.filled && rankOfHeading(draft.header.headings[column] ?? "", "date", draft.kind) !== undefined;
};

const toAmountRows = (draft: Draft, columns: readonly number[]): readonly AmountRow[] => {
  const decimal = usualDecimal(draft.body, columns);
  return draft.body.map((row) => {
    const amounts = new Map<number, bigint>();
    for (const column of columns) {
      const amount = parseSigned(cellOf(row, column), decimal);
      if (amount !== undefined) amounts.set(column, amount);
    }
    return { line: row.line, amounts };
  });
};

/** Which columns are money in, money out and the balance, by the running balance. */
export const proveByBalance = (draft: Draft): void => {
  if (draft.kind !== "statement") return;
  const columns = amountColumns(draft);
  const likely = draft.columns.balance === undefined ? byHeading(draft, "balance", columns) : [draft.columns.balance];
  const proof = proveBalance(toAmountRows(draft, columns), columns, likely);
  if (proof === undefined) {
    if (draft.columns.balance === undefined && likely[0] !== undefined) take(draft, "balance", likely[0], "heading");
    return;
  }
  draft.balanceOrder = proof.order;
  takeProved(draft, "balance", proof.balance);
  if (!isSure(draft, "amount")) {
    takeProved(draft, "paid-in", proof.paidIn);
    takeProved(draft, "withdrawn", proof.withdrawn);
  }
  if (proof.amount !== undefined && draft.columns["paid-in"] === undefined && draft.columns.withdrawn === undefined) takeProved(draft, "amount", proof.amount);
  draft.ways = proof.ways;
  draft.notes.push(sayBalance(draft, proof));
};

const takeProved = (draft: Draft, field: FieldName, column: number | undefined): void => {
  if (column === undefined || draft.columns[field] === column) return;
  if (isSure(draft, field)) {
    draft.notes.push(
      `The running balance says that ${nameOfColumn(draft.header, column)} is ${field}, and not ${nameOfColumn(draft.header, draft.columns[field] ?? 0)}.`,
    );
    return;
  }
  // One column of money in or out is also what a single column for both looks like.
  if ((field === "paid-in" || field === "withdrawn") && rankOfHeading(draft.header.headings[column] ?? "", field, "statement") === undefined) {
    const other = field === "paid-in" ? "withdrawn" : "paid-in";
    if (draft.columns[other] === undefined && rankOfHeading(draft.header.headings[column] ?? "", "amount", "statement") !== undefined) return;
  }
  take(draft, field, column, "balance");
};

const sayBalance = (draft: Draft, { balance, paidIn, withdrawn, amount, explained, steps }: BalanceProof): string => {
  const name = (column: number): string => nameOfColumn(draft.header, column);
  const parts = [
    ...(paidIn === undefined ? [] : [`${name(paidIn)} is money in`]),
    ...(withdrawn === undefined ? [] : [`${name(withdrawn)} is money out`]),
    ...(amount === undefined ? [] : [`${name(amount)} is the amount`]),
  ];
  return `Amounts: ${name(balance)} is a running balance, and ${explained} of its ${steps} steps prove that ${parts.join(" and ")}.`;
};

/** The amount of a row on the other side that has the reference or the receipt of this row. */
const knownOf = (draft: Draft, row: Draft["body"][number], other: OtherSide): Known | undefined => {
  const receipt = receiptKey(cellOf(row, draft.columns.receipt));
  const cell = cellOf(row, draft.columns.reference);
  const reference = cell === "" ? takeBy(draft.referenceIn, cellOf(row, draft.columns.details)) : cell;
  return (receipt === undefined ? undefined : other.receipts.get(receipt)) ?? other.references.get(looseReference(reference ?? "") ?? "");
};

/** How many rows of each column have the amount that the other side has for the same payment. */
const countEqual = (draft: Draft, columns: readonly number[], other: OtherSide): { readonly equal: ReadonlyMap<number, number>; readonly known: number } => {
  const equal = new Map<number, number>(columns.map((column) => [column, 0]));
  let known = 0;
  const rows = toAmountRows(draft, columns);
  for (const [index, row] of draft.body.entries()) {
    const amountMinor = knownOf(draft, row, other)?.amountMinor;
    if (amountMinor === undefined) continue;
    known += 1;
    for (const column of columns) {
      const value = rows[index]?.amounts.get(column);
      if (value !== undefined && value !== 0n && absolute(value) === absolute(amountMinor)) equal.set(column, (equal.get(column) ?? 0) + 1);
    }
  }
  return { equal, known };
};

/** The column of the amount: by what the other side has for the same payments, else by its heading. */
export const proveAmount = (draft: Draft, other: OtherSide | undefined): void => {
  const { columns, kind } = draft;
  if (kind === "statement" && takeInAndOut(draft)) return;
  if (isSure(draft, "amount")) return;
  const proved = draft.sources.get("amount") === "balance" ? columns.amount : undefined;
  const candidates = amountColumns(draft).filter((column) => ![columns.balance, columns.receipt, columns.reference, columns.id].includes(column));
  const named = byHeading(draft, "amount", candidates);
  const [first, second] = named;
  if (other !== undefined) {
    const { equal, known } = countEqual(draft, candidates, other);
    const most = Math.max(0, ...equal.values());
    // A gateway's balance moves by what is left after its fee; the other side has what was paid.
    if (proved !== undefined && (equal.get(proved) ?? 0) * 2 >= most) return;
    const top = candidates.filter((column) => equal.get(column) === most);
    const column = named.find((each) => top.includes(each)) ?? (top.length === 1 ? top[0] : undefined);
    if (column !== undefined && most >= Math.min(2, known) && most > 0) {
      take(draft, "amount", column, "other side");
      draft.notes.push(`Amounts: in ${most} of the ${known} rows that ${other.name} knows, "${nameOfColumn(draft.header, column)}" has its amount.`);
      return;
    }
  }
  if (proved !== undefined) return;
  const rank = (column: number | undefined): number => (column === undefined ? 99 : (rankOfHeading(draft.header.headings[column] ?? "", "amount", kind) ?? 99));
  if (first !== undefined && (rank(first) < rank(second) || second === undefined)) {
    // Two columns that both say "amount" are told apart only where the words of one are plain.
    if (second === undefined || rank(first) <= 1) {
      take(draft, "amount", first, "heading");
      if (second !== undefined)
        draft.notes.push(`Amounts: ${nameOfColumn(draft.header, first)} is taken, not ${nameOfColumn(draft.header, second)}; nothing but the heading says so.`);
      return;
    }
  }
  if (named.length === 0 && candidates.length === 1 && candidates[0] !== undefined) {
    take(draft, "amount", candidates[0], "form");
    draft.notes.push(`Amounts: ${nameOfColumn(draft.header, candidates[0])} is the only column of amounts.`);
    return;
  }
  draft.open.push({ field: "amount", candidates: named.length > 0 ? [...named, ...candidates.filter((each) => !named.includes(each))] : candidates });
};

/** Two columns for money in and money out, by their headings. False if there are none. */
const takeInAndOut = (draft: Draft): boolean => {
  const { columns } = draft;
  if (columns["paid-in"] === undefined && columns.withdrawn === undefined && columns.amount !== undefined) return false;
  for (const field of ["paid-in", "withdrawn"] as const) {
    if (columns[field] !== undefined) continue;
    const [column] = byHeading(draft, field).filter((each) => {
      const profile = draft.profiles[each];
      return profile !== undefined && (profile.filled === 0 || isAmountColumn(profile));
    });
    const empty = draft.header.headings.findIndex(
      (heading, each) => draft.profiles[each]?.filled === 0 && rankOfHeading(heading, field, "statement") !== undefined,
    );
    if (column !== undefined) take(draft, field, column, "heading");
    else if (empty >= 0 && !Object.values(columns).includes(empty)) take(draft, field, empty, "heading");
  }
  return columns["paid-in"] !== undefined || columns.withdrawn !== undefined;
};

/** Which way the money of a single column went: its signs, a column of words, or the other side. */
export const proveWays = (draft: Draft): void => {
  const { columns } = draft;
  if (columns["paid-in"] !== undefined || columns.withdrawn !== undefined || columns.amount === undefined) return;
  if (draft.kind === "orders" || draft.data?.amounts !== undefined) return;
  const profile = draft.profiles[columns.amount];
  if (profile === undefined || profile.negatives > 0 || profile.directed > 0) return;
  if (columns.direction === undefined) {
    const column = [...new Set([columns.type, ...freeColumns(draft)])].find((each) => each !== undefined && isWayColumn(draft, each, each === columns.type));
    if (column !== undefined) {
      draft.wayIsType = column === columns.type;
      take(draft, "direction", column, "form");
      draft.notes.push(`Amounts: ${nameOfColumn(draft.header, column)} says which are money out.`);
      return;
    }
  }
  if (columns.direction === undefined && draft.ways.size === 0)
    draft.notes.push(`Amounts: nothing says which way the money went, so all of ${nameOfColumn(draft.header, columns.amount)} counts as money in.`);
};

/** The balance says nothing of the oldest row, as none stands before it. The other side may, if it agrees with the balance on the others. */
export const proveOldestWay = (draft: Draft, other: OtherSide | undefined): void => {
  if (other === undefined || draft.ways.size === 0) return;
  const known = draft.body.flatMap((row) => {
    const direction = knownOf(draft, row, other)?.direction;
    return direction === "in" || direction === "out" ? [{ line: row.line, direction }] : [];
  });
  const proved = known.filter(({ line }) => draft.ways.has(line));
  if (proved.length === 0 || proved.some(({ line, direction }) => draft.ways.get(line) !== direction)) return;
  draft.ways = new Map([...known.map(({ line, direction }) => [line, direction] as const), ...draft.ways]);
};

const isWayColumn = (draft: Draft, column: number, isType: boolean): boolean => {
  const words = [...(draft.profiles[column]?.words.keys() ?? [])];
  const ways = words.map((word) => wayOfWord(word, draft.data?.directions, isType));
  return (
    words.length > 0 &&
    ways.some((way) => way === "out") &&
    (isType ? ways.filter((way) => way !== undefined).length >= words.length / 2 : !ways.includes(undefined)) &&
    words.every((word) => plainWord(word) !== "" || /^[-+]$/.test(word))
  );
};

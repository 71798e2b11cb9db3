import { countOf } from "../money/grouped.ts";
import type { TableRow } from "../tables/cell.ts";
import type { StatusClass } from "../transactions/status.ts";
import { amountColumns, directedRows, knownOf, toAmountRows } from "./amount-rows.ts";
import { absolute, type BalanceProof, proveBalance } from "./balance-proof.ts";
import type { FieldName } from "./columns.ts";
import { byHeading, cellOf, type Draft, headingOf, isSure, nameOf, profileOf, says, stateIn, take } from "./draft.ts";
import { rankOfHeading } from "./heading-words.ts";
import type { Known, OtherSide } from "./other-side.ts";
import { decimalEvidence, isAmountColumn } from "./profile.ts";

/** Which columns are money in, money out and the balance, by the running balance. */
export const proveByBalance = (draft: Draft): void => {
  if (draft.kind !== "statement") return;
  const columns = amountColumns(draft).filter((column) => !says(draft, column, "earlier balance"));
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
  draft.notes.push(sayBalance(draft, proof));
};

const takeProved = (draft: Draft, field: FieldName, column: number | undefined): void => {
  if (column === undefined || draft.columns[field] === column) return;
  if (isSure(draft, field)) {
    draft.notes.push(`The running balance says that ${nameOf(draft, column)} is ${field}, and not ${nameOf(draft, draft.columns[field] ?? 0)}.`);
    return;
  }
  // One column of money in or out is also what a single column for both looks like.
  if ((field === "paid-in" || field === "withdrawn") && rankOfHeading(headingOf(draft, column), field, "statement") === undefined) {
    const other = field === "paid-in" ? "withdrawn" : "paid-in";
    if (draft.columns[other] === undefined && rankOfHeading(headingOf(draft, column), "amount", "statement") !== undefined) return;
  }
  take(draft, field, column, "balance");
};

const sayBalance = (draft: Draft, { balance, paidIn, withdrawn, amount, explained, steps }: BalanceProof): string => {
  const name = (column: number): string => nameOf(draft, column);
  const say = (column: number | undefined, what: string): readonly string[] => (column === undefined ? [] : [`${name(column)} is ${what}`]);
  // A single column for both ways is not taken for one of them, though all that is proved went that way.
  const way = (column: number | undefined, field: "paid-in" | "withdrawn"): string =>
    draft.columns[field] === column ? (field === "paid-in" ? "money in" : "money out") : "what it moves by";
  const parts = [...say(paidIn, way(paidIn, "paid-in")), ...say(withdrawn, way(withdrawn, "withdrawn")), ...say(amount, "what it moves by")];
  return `Amounts: ${name(balance)} is a running balance, and ${explained} of its ${steps} steps prove that ${parts.join(" and ")}.`;
};

type Equal = {
  readonly equal: (column: number) => number;
  /** Rows with a hundred times the amount: the column is in cents. */
  readonly hundredfold: (column: number) => number;
  readonly known: number;
  readonly payments: number; // Of the other side: a fee is a row of the same one.
};

const stateOfRow = (draft: Draft, row: TableRow): StatusClass => {
  const { status } = draft.columns;
  return status === undefined ? "paid" : stateIn(draft, status, cellOf(row, status)).state;
};

/** Of several rows there with one reference, each proves the amount of one row here. */
const createTakeOne = () => {
  const left = new Map<Known, Map<number, bigint[]>>();
  return (column: number, known: Known, amount: bigint): boolean => {
    const columns = left.get(known) ?? new Map<number, bigint[]>();
    left.set(known, columns);
    const amounts = columns.get(column) ?? [known.amountMinor ?? 0n, ...(known.more ?? [])].map(absolute);
    columns.set(column, amounts);
    const at = amounts.indexOf(amount);
    if (at >= 0) amounts.splice(at, 1);
    return at >= 0;
  };
};

/** How many rows of each column have the amount that the other side has for the same payment. */
const countEqual = (draft: Draft, columns: readonly number[], other: OtherSide): Equal => {
  const [equal, hundredfold] = [new Map<number, number>(), new Map<number, number>()];
  let known = 0;
  const payments = new Set<Known>();
  const takeOne = createTakeOne();
  for (const { row, amounts } of toAmountRows(draft, columns)) {
    const there = knownOf(draft, row, other);
    // What was declined proves nothing of the column with what was paid.
    if (there?.amountMinor === undefined || stateOfRow(draft, row) === "unpaid") continue;
    const { amountMinor } = there;
    known += 1;
    payments.add(there);
    for (const [column, value] of amounts) {
      if (value === 0n) continue;
      const isThere = there.more === undefined ? absolute(value) === absolute(amountMinor) : takeOne(column, there, absolute(value));
      const counts = isThere ? equal : absolute(value) === 100n * absolute(amountMinor) ? hundredfold : undefined;
      counts?.set(column, (counts.get(column) ?? 0) + 1);
    }
  }
  return { equal: (column) => equal.get(column) ?? 0, hundredfold: (column) => hundredfold.get(column) ?? 0, known, payments: payments.size };
};

/** `1,500` is thousands or a fraction: the other side has the amount of some such rows in one of the two readings only. */
export const proveDecimal = (draft: Draft, other: OtherSide | undefined): void => {
  const columns = amountColumns(draft).filter((column) => column !== draft.columns.balance);
  const { point, comma, unclear } = decimalEvidence(draft.body, columns);
  if (other === undefined || unclear === undefined || point !== undefined || comma !== undefined) return;
  const [asPoint = 0, asComma = 0] = ([".", ","] as const).map((mark) => {
    draft.decimal = mark;
    return Math.max(0, ...columns.map(countEqual(draft, columns, other).equal));
  });
  // Whole numbers without a mark are the same in both.
  const more = asPoint - asComma;
  draft.decimal = more >= 2 ? "." : more <= -2 ? "," : undefined;
  if (draft.decimal === undefined) return;
  draft.notes.push(
    `Amounts: ${Math.abs(more)} of those of ${other.name} prove that the decimal mark is a ${more > 0 ? "point" : "comma"}, as in "${unclear}".`,
  );
};

/** The column of the amount: by what the other side has for the same payments, else by its heading. */
export const proveAmount = (draft: Draft, other: OtherSide | undefined): void => {
  const { columns, kind } = draft;
  if (kind === "statement" && takeInAndOut(draft)) {
    if (other !== undefined) proveInAndOut(draft, other);
    return;
  }
  if (isSure(draft, "amount")) {
    // Which column it is says nothing of cents.
    if (other !== undefined && columns.amount !== undefined) takeHundredths(draft, [columns.amount], other);
    return;
  }
  const proved = draft.sources.get("amount") === "balance" ? columns.amount : undefined;
  const candidates = amountColumns(draft).filter((column) => ![columns.balance, columns.receipt, columns.reference, columns.id].includes(column));
  const rank = (column: number | undefined): number => (column === undefined ? 99 : (rankOfHeading(headingOf(draft, column), "amount", kind) ?? 99));
  const named = byHeading(draft, "amount", candidates);
  let likeliest = [...named, ...candidates.filter((each) => !named.includes(each))];
  if (other !== undefined) {
    const { equal, known } = countEqual(draft, candidates, other);
    const most = Math.max(0, ...candidates.map(equal));
    // A gateway's balance moves by what is left after its fee; the other side has what was paid.
    if (proved !== undefined && equal(proved) * 2 >= most) return;
    const top = candidates.filter((column) => equal(column) === most);
    const likely = candidates.filter((each) => equal(each) >= 2 && equal(each) * 2 >= most);
    const asked = named.find((each) => top.includes(each)) ?? (haveSameCells(draft, top) ? top[0] : undefined);
    // What was asked for is what the orders say in every row, also where less of it was paid.
    const paid = kind === "statement" && asked !== undefined ? candidates.find((each) => isPaid(draft, each) && agreesWith(draft, each, asked)) : undefined;
    const column = paid ?? asked;
    const beside = likely.filter((each) => each !== column && column !== undefined && !haveSameCells(draft, [each, column]));
    const rival = beside.find((each) => kind === "orders" && equal(each) === most && rank(each) === rank(column));
    if (column !== undefined && rival !== undefined) {
      draft.open.push({ field: "amount", candidates: isPaid(draft, rival) ? [rival, column] : [column, rival] });
      return;
    }
    if (column !== undefined && beside.length > 0)
      draft.notes.push(`Amounts: "${nameOf(draft, column)}" is read, and "${nameOf(draft, beside[0] ?? 0)}" could be the amount too.`);
    if (column !== undefined && most >= Math.min(2, known) && most > 0) {
      take(draft, "amount", column, "other side");
      draft.notes.push(`Amounts: they stand in "${nameOf(draft, column)}"; ${equal(column)} of ${known} agree with ${other.name}.`);
      return;
    }
    if (takeHundredths(draft, likeliest, other)) return;
    likeliest = [...likeliest].sort((a, b) => equal(b) - equal(a));
  }
  if (proved !== undefined) return;
  const [first, second] = likeliest.filter((each) => named.includes(each));
  if (first !== undefined && (rank(first) < rank(second) || second === undefined)) {
    // Two columns that both say "amount" are told apart only where the words of one are plain.
    if (second === undefined || rank(first) <= 1) {
      take(draft, "amount", first, "heading");
      if (second !== undefined) draft.notes.push(`Amounts: ${nameOf(draft, first)} is taken, not ${nameOf(draft, second)}; nothing but the heading says so.`);
      return;
    }
  }
  if (named.length === 0 && candidates.length === 1 && candidates[0] !== undefined) {
    take(draft, "amount", candidates[0], "form");
    draft.notes.push(`Amounts: ${nameOf(draft, candidates[0])} is the only column of amounts.`);
    return;
  }
  draft.open.push({ field: "amount", candidates: likeliest });
};

/** Columns in which the other side has amounts of the same payments, those with most of them first. */
export const agreeing = (draft: Draft, columns: readonly number[], other: OtherSide | undefined): readonly number[] => {
  if (other === undefined) return [];
  const { equal } = countEqual(draft, columns, other);
  return columns.filter((column) => equal(column) > 0).sort((a, b) => equal(b) - equal(a));
};

/** What is read is not what the other side has: then another column is asked about, or people are told. */
export const checkAmounts = (draft: Draft, other: OtherSide | undefined): void => {
  const read = (["amount", "paid-in", "withdrawn"] as const).filter((field) => draft.columns[field] !== undefined);
  if (other === undefined || read.length === 0 || draft.open.length > 0 || draft.hundredths || draft.lines?.at === "all" || draft.foreign.size > 0) return;
  const own = read.flatMap((field) => draft.columns[field] ?? []);
  const free = amountColumns(draft).filter((column) => !own.includes(column) && column !== draft.columns.balance);
  const { equal, known } = countEqual(draft, [...own, ...free], other);
  const mine = own.reduce((sum, column) => sum + equal(column), 0);
  const isAsked = (column: number): boolean => draft.kind === "statement" && own.some((each) => isPaid(draft, each) && agreesWith(draft, each, column));
  const better = free.filter((column) => equal(column) >= 2 && equal(column) > mine * 2 && !isAsked(column));
  if (better.length > 0 && !read.some((field) => isSure(draft, field)))
    draft.open.push({ field: read.join() === "withdrawn" ? "paid-in" : "amount", candidates: agreeing(draft, [...better, ...own], other) });
  else if (known > 1 && mine === 0)
    draft.notes.push(
      `Amounts: of ${known} rows that ${other.name} knows, none has the amount that it has there${better[0] === undefined ? "" : `; "${nameOf(draft, better[0])}" has`}.`,
    );
};

const isPaid = (draft: Draft, column: number): boolean => says(draft, column, "paid");

/** Most rows that count as paid have the same amount in both columns. */
const agreesWith = (draft: Draft, one: number, other: number): boolean => {
  const rows = toAmountRows(draft, [one, other]).filter(({ row }) => stateOfRow(draft, row) === "paid");
  return rows.filter(({ amounts }) => amounts.get(one) === amounts.get(other)).length * 2 >= rows.length && rows.length > 0;
};

/** A column that has a hundred times what the other side has is in cents. */
const takeHundredths = (draft: Draft, columns: readonly number[], other: OtherSide): boolean => {
  const { hundredfold, payments } = countEqual(draft, columns, other);
  const column = columns.find((each) => hundredfold(each) >= 2 && hundredfold(each) * 4 >= payments * 3);
  if (column === undefined) return false;
  if (!isSure(draft, "amount")) take(draft, "amount", column, "other side");
  draft.hundredths = true;
  const times = hundredfold(column);
  draft.notes.push(`Amounts: ${nameOf(draft, column)} is in hundredths: ${times} of them are a hundred times what ${other.name} has.`);
  return true;
};

/** Columns that say the same in every row: it does not matter which is read. */
export const haveSameCells = (draft: Draft, [first, ...others]: readonly number[]): boolean =>
  first !== undefined && draft.body.every((row) => others.every((column) => cellOf(row, column) === cellOf(row, first)));

/**
 * What the other side says of columns of money in and out. They may be what is left after a fee, beside a column of what was paid;
 * and the merchant's own ledger has money in as a debit.
 */
const proveInAndOut = (draft: Draft, other: OtherSide): void => {
  const own = (["paid-in", "withdrawn"] as const).filter((field) => draft.columns[field] !== undefined);
  if (own.some((field) => isSure(draft, field))) return;
  const columns = own.flatMap((field) => draft.columns[field] ?? []);
  const candidates = amountColumns(draft).filter((column) => column !== draft.columns.balance);
  const { equal, known } = countEqual(draft, [...new Set([...columns, ...candidates])], other);
  const mine = columns.reduce((sum, column) => sum + equal(column), 0);
  const [better] = candidates.filter((column) => !columns.includes(column)).sort((a, b) => equal(b) - equal(a));
  // Where it has an amount, they have one too: else it is money of the other way.
  const beside = toAmountRows(draft, better === undefined ? [] : [better, ...columns]).filter(({ amounts }) => (amounts.get(better ?? -1) ?? 0n) !== 0n);
  const isBeside = beside.every(({ amounts }) => columns.some((column) => (amounts.get(column) ?? 0n) !== 0n));
  if (better !== undefined && isBeside && equal(better) >= 2 && mine * 2 < equal(better)) {
    take(draft, "amount", better, "other side");
    draft.notes.push(
      `Amounts: ${nameOf(draft, better)} is what ${other.name} has for ${equal(better)} of ${countOf(known, "row")}; ${columns.map((column) => nameOf(draft, column)).join(" and ")} only say which way the money went.`,
    );
  }
  if (!other.isDirected || own.some((field) => draft.sources.get(field) === "balance")) return;
  const { "paid-in": paidIn, withdrawn } = draft.columns;
  const isIn = new Map(toAmountRows(draft, columns).map(({ row, amounts }) => [row, (amounts.get(paidIn ?? -1) ?? 0n) !== 0n]));
  const ways = directedRows(draft, other).map(({ row, way }) => (way === "in") === isIn.get(row));
  if (ways.length < 2 || ways.includes(true)) return;
  delete draft.columns["paid-in"];
  delete draft.columns.withdrawn;
  if (withdrawn !== undefined) take(draft, "paid-in", withdrawn, "other side");
  if (paidIn !== undefined) take(draft, "withdrawn", paidIn, "other side");
  draft.notes.push(
    `Amounts: ${other.name} has all ${ways.length} rows with the same reference the other way round, so money in is ${nameOf(draft, withdrawn ?? 0)}.`,
  );
};

/** Two columns for money in and money out, by their headings. False if there are none. */
const takeInAndOut = (draft: Draft): boolean => {
  const { columns } = draft;
  if (columns["paid-in"] === undefined && columns.withdrawn === undefined && columns.amount !== undefined) return false;
  for (const field of ["paid-in", "withdrawn"] as const) {
    if (columns[field] !== undefined) continue;
    const [column] = byHeading(draft, field).filter((each) => isAmountColumn(profileOf(draft, each)));
    const empty = draft.header.findIndex((heading, each) => profileOf(draft, each).filled === 0 && rankOfHeading(heading, field, "statement") !== undefined);
    if (column !== undefined) take(draft, field, column, "heading");
    else if (empty >= 0 && !Object.values(columns).includes(empty)) take(draft, field, empty, "heading");
  }
  return columns["paid-in"] !== undefined || columns.withdrawn !== undefined;
};

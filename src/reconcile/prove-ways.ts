import { countOf } from "../money/grouped.ts";
import type { TableRow } from "../tables/cell.ts";
import { amountColumns, directedRows, knownOf, toAmountRows } from "./amount-rows.ts";
import { type DecimalMark, parseSigned } from "./amounts.ts";
import { absolute, proveWaysBetween, type WayRow } from "./balance-proof.ts";
import type { Columns } from "./columns.ts";
import { byHeading, cellOf, type Draft, freeColumns, headingOf, isSure, nameOf, profileOf, quoted, says, take, wordsIn } from "./draft.ts";
import { currencyOfHeadings, headingWords, rankOfHeading } from "./heading-words.ts";
import { isTotals } from "./not-records.ts";
import type { OtherSide } from "./other-side.ts";
import { isAmountColumn, usualDecimal } from "./profile.ts";
import { agreeing } from "./prove-amounts.ts";
import { plainWord, wayOfWord } from "./words.ts";

type WayColumns = Pick<Columns, "amount" | "balance"> & { readonly charge: number | undefined };
/** A row as the balance judges it; sums are no amounts. */
export const wayRow = (row: TableRow, { amount, balance, charge }: WayColumns, decimal: DecimalMark): WayRow => {
  const read = (column: number | undefined): bigint | undefined => parseSigned(row.cells[column ?? -1] ?? "", decimal);
  return { line: row.line, amount: isTotals(row) ? undefined : read(amount), balance: read(balance), charge: absolute(read(charge) ?? 0n) };
};

/** Which way the money of a single column went: its signs, a column of words, or the other side. */
export const proveWays = (draft: Draft, other: OtherSide | undefined): void => {
  const { columns } = draft;
  if (columns["paid-in"] !== undefined || columns.withdrawn !== undefined || columns.amount === undefined) return;
  if (draft.data?.amounts !== undefined) return;
  const { negatives, directed } = profileOf(draft, columns.amount);
  if (negatives > 0 || directed > 0) return;
  if (columns.direction === undefined) {
    const column = [...new Set([columns.type, ...freeColumns(draft)])].find((each) => each !== undefined && isWayColumn(draft, each));
    if (column !== undefined && other !== undefined && draft.sources.get("amount") !== "told" && isContradicted(draft, column, other)) {
      draft.open.push({ field: "direction", candidates: [column] });
      return;
    }
    if (column !== undefined) {
      if (isTypeColumn(draft, column)) take(draft, "type", column, "heading");
      take(draft, "direction", column, "form");
      draft.notes.push(`Amounts: ${nameOf(draft, column)} says which are money out.`);
      // Beside "Payout" any other kind of row is money in; beside "Payment" it may be a payment too.
      if (draft.kind === "statement" && draft.columns.type === column) takeOppositeWord(draft, column, "out");
      return;
    }
  }
  if (columns.direction !== undefined) {
    takeOppositeWord(draft, columns.direction);
    return;
  }
  if (draft.kind === "orders") {
    noteUnreadType(draft);
    return;
  }
  if (columns.balance !== undefined && profileOf(draft, columns.balance).amounts > 1) {
    const decimal = usualDecimal(draft.body, [columns.amount, columns.balance]);
    const charges = freeColumns(draft).filter((column) => isAmountColumn(profileOf(draft, column)) && says(draft, column, "charge"));
    const proofs = [...charges, undefined].map((charge) => ({
      charge,
      ...proveWaysBetween(
        draft.body.map((row) => wayRow(row, { ...columns, charge }, decimal)),
        draft.balanceOrder,
      ),
    }));
    const { charge, order, ways } = proofs.reduce((best, each) => (each.ways.size > best.ways.size ? each : best));
    draft.charge = charge;
    draft.ways = ways;
    draft.waysOrder = order;
    draft.unsigned = "unknown";
    draft.notes.push(
      `Amounts: only the balance says which way the money of ${nameOf(draft, columns.amount)} went; a row of which it says nothing is unreadable.`,
    );
    return;
  }
  const others = wordsIn(draft, columns.type).filter((word) => wayOfWord(word, draft.data?.directions, true) !== "in");
  const said = others.length === 0 ? "" : ` (${nameOf(draft, columns.type)} says ${quoted(others)})`;
  draft.notes.push(`Amounts: nothing says which way the money went, so all of ${nameOf(draft, columns.amount)} counts as money in${said}.`);
};

const noteUnreadType = (draft: Draft): void => {
  const type = freeColumns(draft).find(
    (column) =>
      isTypeColumn(draft, column) && wordsIn(draft, column).length > 1 && wordsIn(draft, column).some((word) => wayOfWord(word, undefined, true) !== undefined),
  );
  if (type !== undefined)
    draft.notes.push(`Amounts: ${nameOf(draft, type)} says ${quoted(wordsIn(draft, type))} and is not read, so all rows count as money in.`);
};

/** Of two words, one of which is known, the other says the opposite. */
const takeOppositeWord = (draft: Draft, column: number, only?: "out"): void => {
  const words = wordsIn(draft, column);
  const ways = words.map((word) => wayOfWord(word, draft.data?.directions, only !== undefined));
  const unknown = words[ways.indexOf(undefined)];
  const known = ways.find((way) => way !== undefined);
  if (words.length !== 2 || unknown === undefined || known === undefined || known !== (only ?? known)) return;
  draft.directions = known === "in" ? { ...draft.data?.directions, out: [unknown] } : { ...draft.data?.directions, in: [unknown] };
  draft.notes.push(`Amounts: "${unknown}" in ${nameOf(draft, column)} is money ${known === "in" ? "out" : "in"}, as the only other word is the opposite.`);
};

/** The balance says nothing of the oldest row, as none stands before it. The other side may, if it agrees with the balance on the others. */
export const proveOldestWay = (draft: Draft, other: OtherSide | undefined): void => {
  if (other === undefined || draft.ways.size === 0) return;
  const known = directedRows(draft, other);
  const proved = known.filter(({ row }) => draft.ways.has(row.line));
  if (proved.length === 0 || proved.some(({ row, way }) => draft.ways.get(row.line) !== way)) return;
  draft.ways = new Map([...known.map(({ row, way }) => [row.line, way] as const), ...draft.ways]);
};

/**
 * Words such as debit and credit may speak of cards: then some payments that are all of one way on the other side would be money
 * out, and some money in.
 */
const isContradicted = (draft: Draft, column: number, other: OtherSide): boolean => {
  const ways = new Map<string, Set<string>>();
  for (const { row, way: there } of directedRows(draft, other)) {
    const way = wayOfWord(cellOf(row, column), draft.data?.directions, isTypeColumn(draft, column));
    if (there !== "in" || way === undefined || way === "none") continue;
    const name = cellOf(row, draft.columns.reference) || cellOf(row, draft.columns.details);
    ways.set(name, (ways.get(name) ?? new Set<string>()).add(way));
  }
  const all = [...ways.values()];
  return all.some((found) => found.has("in")) && all.some((found) => !found.has("in"));
};

const isTypeColumn = (draft: Draft, column: number): boolean =>
  column === draft.columns.type || (draft.kind === "orders" && isHeaded(headingOf(draft, column), "type"));
const isHeaded = (heading: string, field: "type" | "direction"): boolean => rankOfHeading(heading, field, "statement") !== undefined;

/** Orders are money in: there it takes a heading that says so, as `C` and `D` may be classes, words of both ways, and no other. */
const isWayColumn = (draft: Draft, column: number): boolean => {
  // Debit and credit cards.
  if (says(draft, column, "card")) return false;
  const words = wordsIn(draft, column);
  const isType = isTypeColumn(draft, column);
  if (draft.kind === "orders" && !isType && !isHeaded(headingOf(draft, column), "direction")) return false;
  // All that a gateway settled, charged or had transferred to it is what was paid.
  if (isType && words.length === 1 && /^(?:settlement|transfer|charge)s?$/.test(plainWord(words[0] ?? ""))) return false;
  const ways = words.map((word) => wayOfWord(word, draft.data?.directions, isType));
  return (
    words.length > 0 &&
    (draft.kind === "orders" ? ways.includes("in") && ways.includes("out") : ways.includes("out") || ways.includes("none")) &&
    (isType && draft.kind !== "orders" ? ways.filter((way) => way !== undefined).length >= words.length / 2 : !ways.includes(undefined)) &&
    words.every((word) => plainWord(word) !== "" || /^[-+]$/.test(word))
  );
};

/** Some amounts of each of these columns are on the other side, and all of them are of one way there. */
const isOneWay = (draft: Draft, columns: readonly number[], other: OtherSide | undefined): boolean => {
  if (other === undefined) return false;
  const ways = columns.map((column) =>
    toAmountRows(draft, [column]).flatMap(({ row, amounts }) => {
      const [amount, known] = [amounts.get(column) ?? 0n, knownOf(draft, row, other)];
      return amount !== 0n && known?.amountMinor !== undefined && absolute(known.amountMinor) === absolute(amount) ? [known.direction] : [];
    }),
  );
  return ways.every((found) => found.length > 0) && new Set(ways.flat()).size === 1;
};

/** Of several columns of currencies, the one whose heading has a word of the amount's own: `Account Ccy` with `Account Amount`. */
export const proveCurrencyColumn = (draft: Draft): void => {
  const { amount, currency } = draft.columns;
  if (amount === undefined || currency === undefined || isSure(draft, "currency")) return;
  const wordsOf = (column: number): readonly string[] =>
    headingWords(headingOf(draft, column))
      .split(" ")
      .filter((word) => word !== "amount");
  const own = wordsOf(amount);
  const isNear = (column: number): boolean => wordsOf(column).some((word) => own.includes(word));
  const better = isNear(currency) ? undefined : byHeading(draft, "currency").find((each) => isNear(each) && !isAmountColumn(profileOf(draft, each)));
  if (better !== undefined) take(draft, "currency", better, "heading");
};

/** A column for each currency, of which every row has one: the headings name the currencies. */
export const proveCurrencies = (draft: Draft): void => {
  const { "paid-in": paidIn, amount = paidIn, balance } = draft.columns;
  const currencyOf = (column: number): string | undefined => currencyOfHeadings([headingOf(draft, column)]);
  if (amount === undefined || currencyOf(amount) === undefined) return;
  const others = amountColumns(draft).filter(
    (column) => column !== amount && column !== balance && ![undefined, currencyOf(amount)].includes(currencyOf(column)),
  );
  const filled = (row: TableRow): number => [amount, ...others].filter((column) => /[1-9]/.test(cellOf(row, column))).length;
  const rows = draft.body.filter((row) => !isTotals(row));
  if (others.length === 0 || rows.some((row) => filled(row) > 1) || !others.every((column) => rows.some((row) => cellOf(row, column) !== ""))) return;
  draft.foreign = new Map(others.flatMap((column) => ((code) => (code === undefined ? [] : [[column, code] as const]))(currencyOf(column))));
  for (const [column, code] of draft.foreign) draft.notes.push(`Amounts: ${nameOf(draft, column)} has those in ${code}.`);
};

/**
 * What has an amount where the one column that is read has none, and only there, is money of the other way, unless the other side
 * has amounts of both columns, all of one way.
 */
export const proveOpposite = (draft: Draft, other: OtherSide | undefined): void => {
  const { "paid-in": paidIn, withdrawn, amount, balance, direction } = draft.columns;
  const read = [paidIn, withdrawn, amount].filter((column) => column !== undefined);
  const [own] = read;
  if (draft.kind !== "statement" || own === undefined || read.length > 1 || direction !== undefined) return;
  // Signs say which way it went, but for what is money out anyway.
  if (own !== withdrawn && profileOf(draft, own).negatives > 0) return;
  if (draft.sources.get("amount") === "balance") return;
  const free = amountColumns(draft).filter(
    (column) =>
      column !== own && column !== balance && !draft.foreign.has(column) && rankOfHeading(headingOf(draft, column), "receipt", "statement") === undefined,
  );
  const rows = toAmountRows(draft, [own, ...free])
    .filter(({ row, amounts }) => [...amounts.values()].some((value) => value !== 0n) && !isTotals(row))
    .map(
      ({ amounts }) =>
        (column: number) =>
          (amounts.get(column) ?? 0n) !== 0n,
    );
  const opposites = free.filter((column) => rows.some((has) => has(column)) && rows.every((has) => has(column) !== has(own)));
  const [opposite] = [...agreeing(draft, opposites, other), ...opposites];
  if (opposite === undefined || !rows.some((has) => has(own))) return;
  if (isSure(draft, "amount") || isOneWay(draft, [own, opposite], other)) {
    draft.notes.push(`Amounts: ${nameOf(draft, opposite)} has amounts where ${nameOf(draft, own)} has none, and is not read.`);
    return;
  }
  if (amount !== undefined) {
    delete draft.columns.amount;
    take(draft, "paid-in", own, draft.sources.get("amount") ?? "form");
  }
  take(draft, withdrawn === undefined ? "withdrawn" : "paid-in", opposite, "form");
  draft.notes.push(`Amounts: ${nameOf(draft, opposite)} has an amount only where ${nameOf(draft, own)} has none: it is money of the other way.`);
};

/** Money out has the sign that most of it has; what has the other one came back. */
export const isOutNegative = (draft: Draft): boolean => {
  const { withdrawn } = draft.columns;
  if (draft.kind !== "statement" || withdrawn === undefined || profileOf(draft, withdrawn).negatives === 0) return false;
  const rows = toAmountRows(draft, [withdrawn]).filter(({ row }) => !isTotals(row));
  const amounts = rows.map(({ amounts: found }) => found.get(withdrawn) ?? 0n).filter((amount) => amount !== 0n);
  const minus = amounts.filter((amount) => amount < 0n).length;
  const isNegative = minus * 2 > amounts.length;
  const back = isNegative ? amounts.length - minus : minus;
  if (back > 0)
    draft.notes.push(
      `Amounts: ${nameOf(draft, withdrawn)} has ${isNegative ? "no minus" : "a minus"} in ${back} of ${countOf(amounts.length, "row")}: that money came back.`,
    );
  return isNegative;
};

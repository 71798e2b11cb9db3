import type { TableRow } from "../tables/cell.ts";

/** The amounts of one row by column, in hundredths; absent for a cell without one. */
export type AmountRow = { readonly row: TableRow; readonly amounts: ReadonlyMap<number, bigint> };

/** What a running balance proves: each balance is the one before, more or less the amount of the row. */
export type BalanceProof = {
  readonly balance: number;
  readonly paidIn: number | undefined;
  readonly withdrawn: number | undefined;
  /** One column for both: its own signs say which, or else the balance does. */
  readonly amount: number | undefined;
  /** 1: the oldest row comes first. */
  readonly order: 1 | -1;
  /** Steps from one row to the next that moved money, and how many of them the amounts explain. */
  readonly steps: number;
  readonly explained: number;
};

const explainedShare = 0.75;
const stepsMin = 2;
const columnsMax = 12;

type Step = { readonly moved: bigint; readonly amounts: ReadonlyMap<number, bigint> };

export const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** Each row with what its balance differs by from the one before it in time. */
const stepsOf = (rows: readonly AmountRow[], balance: number, order: 1 | -1): readonly Step[] => {
  const held = rows.filter(({ amounts }) => amounts.has(balance));
  const inOrder = order === 1 ? held : [...held].reverse();
  return inOrder.flatMap(({ amounts }, index) => {
    const before = inOrder[index - 1]?.amounts.get(balance);
    const now = amounts.get(balance);
    return before === undefined || now === undefined || now === before ? [] : [{ moved: now - before, amounts }];
  });
};

type Count = { plus: number; minus: number; signed: number };

/** For each column, how many steps it explains as money in, as money out, and by its own sign. */
const countColumns = (steps: readonly Step[], columns: readonly number[]): ReadonlyMap<number, Count> => {
  const counts = new Map<number, Count>(columns.map((column) => [column, { plus: 0, minus: 0, signed: 0 }]));
  for (const { moved, amounts } of steps) {
    for (const [column, count] of counts) {
      const value = amounts.get(column);
      if (value === undefined || absolute(value) !== absolute(moved)) continue;
      if (moved > 0n) count.plus += 1;
      else count.minus += 1;
      if (value === moved) count.signed += 1;
    }
  }
  return counts;
};

type Best = { readonly column: number | undefined; readonly count: number };
/** The first of the columns that explain most steps. */
const bestOf = (counts: ReadonlyMap<number, Count>, countOf: (count: Count) => number): Best =>
  [...counts].reduce<Best>((best, [column, count]) => (countOf(count) > best.count ? { column, count: countOf(count) } : best), {
    column: undefined,
    count: 0,
  });

const proofOf = (rows: readonly AmountRow[], balance: number, columns: readonly number[], order: 1 | -1): BalanceProof | undefined => {
  const steps = stepsOf(rows, balance, order);
  // Rows are counted by ones, and a column of quantities has as many.
  if (steps.length < stepsMin || steps.every(({ moved }) => absolute(moved) === 100n)) return undefined;
  const counts = countColumns(steps, columns);
  const [plus, minus] = [bestOf(counts, (count) => count.plus), bestOf(counts, (count) => count.minus)];
  const signed = bestOf(counts, (count) => count.signed);
  const either = bestOf(counts, (count) => count.plus + count.minus);
  const base = { balance, order, steps: steps.length, paidIn: undefined, withdrawn: undefined, amount: undefined };
  const explained = plus.count + minus.count;
  const own = counts.get(signed.column ?? -1);
  // A column that says both ways by its signs explains more than two that do so by chance, such as net and gross without a fee.
  if (own !== undefined && own.plus > 0 && own.minus > 0 && signed.count >= explained) return { ...base, amount: signed.column, explained: signed.count };
  // All one way: a column for this way alone is told from one for both by its heading.
  if (plus.column === undefined || plus.column !== minus.column) return { ...base, paidIn: plus.column, withdrawn: minus.column, explained };
  return { ...base, amount: signed.count === either.count ? signed.column : either.column, explained: either.count };
};

/**
 * Finds the running balance among columns of amounts, and with it the columns of money in and out. `likely` are columns whose
 * heading speaks of a balance. Undefined if the amounts do not explain three of four steps.
 */
export const proveBalance = (rows: readonly AmountRow[], columns: readonly number[], likely: readonly number[]): BalanceProof | undefined => {
  const candidates = [...likely, ...columns.filter((column) => !likely.includes(column))].slice(0, columnsMax);
  let best: BalanceProof | undefined;
  for (const balance of candidates) {
    if (!columns.includes(balance)) continue;
    const others = columns.filter((column) => column !== balance && !likely.includes(column));
    for (const order of [1, -1] as const) {
      const proof = proofOf(rows, balance, others, order);
      if (proof === undefined || proof.explained < stepsMin || proof.explained < proof.steps * explainedShare) continue;
      if (proof.explained > (best?.explained ?? 0)) best = proof;
    }
    if (best !== undefined && likely.includes(balance)) break;
  }
  return best;
};

const betweenMax = 12;

/** The charge is kept from money in, and added to money out. */
type Moved = { readonly line: number; readonly amount: bigint; readonly charge: bigint };

/** A sign for each amount so that their sum is `moved`; undefined if no choice of signs gives it, or more than one does. */
const signsFor = (rows: readonly Moved[], moved: bigint): readonly (1 | -1)[] | undefined => {
  if (rows.length > betweenMax) return undefined;
  const found: (readonly (1 | -1)[])[] = [];
  const search = (at: number, left: bigint, signs: readonly (1 | -1)[]): void => {
    const row = rows[at];
    if (found.length > 1) return;
    if (row === undefined) {
      if (left === 0n) found.push(signs);
      return;
    }
    search(at + 1, left - row.amount + row.charge, [...signs, 1]);
    search(at + 1, left + row.amount + row.charge, [...signs, -1]);
  };
  search(0, moved, []);
  return found.length === 1 ? found[0] : undefined;
};

export type WayRow = { readonly line: number; readonly amount: bigint | undefined; readonly balance: bigint | undefined; readonly charge: bigint };

/**
 * Which way unsigned amounts went, row by row, also if only some rows have a balance, as the last of each day: by line, where it
 * leaves no choice. `order` is 1 if the oldest row comes first.
 */
export const createWays = (order: 1 | -1) => {
  const ways = new Map<number, "in" | "out">();
  let before: bigint | undefined;
  let between: Moved[] = [];
  const add = ({ line, amount, charge }: WayRow): void => {
    if (amount !== undefined && between.length <= betweenMax) between.push({ line, amount, charge });
  };
  const withoutCharges = (): readonly Moved[] => between.map((row) => ({ ...row, charge: 0n }));
  return {
    ways,
    see(row: WayRow): void {
      if (order === 1) add(row);
      const now = row.balance;
      if (now !== undefined) {
        const moved = before === undefined ? undefined : order === 1 ? now - before : before - now;
        const signs = moved === undefined ? undefined : (signsFor(withoutCharges(), moved) ?? signsFor(between, moved));
        for (const [index, sign] of (signs ?? []).entries()) ways.set(between[index]?.line ?? 0, sign === 1 ? "in" : "out");
        before = now;
        between = [];
      }
      if (order === -1) add(row);
    },
  };
};

/** What the balance says of unsigned amounts in this order of rows, or else in the order in which it says most. */
export const proveWaysBetween = (
  rows: readonly WayRow[],
  known: 1 | -1 | undefined,
): { readonly order: 1 | -1; readonly ways: ReadonlyMap<number, "in" | "out"> } => {
  const [down, up] = [createWays(1), createWays(-1)];
  for (const row of rows) for (const each of [down, up]) each.see(row);
  return known === -1 || (known === undefined && up.ways.size > down.ways.size) ? { order: -1, ways: up.ways } : { order: 1, ways: down.ways };
};

import type { TableRow } from "../tables/cell.ts";
import type { Table } from "../tables/read-table.ts";
import { createDecimalJudge, type DecimalEvidence, type DecimalMark } from "./amounts.ts";
import { createWays } from "./balance-proof.ts";
import { parseColumns } from "./columns.ts";
import { createDayJudge, type DayEvidence, type DayOrder, looksLikeDate } from "./dates.ts";
import { type LayoutOptions, nameOf, sampleMax } from "./draft.ts";
import { filledCells } from "./header.ts";
import { isRefusal, type Layout, type Refusal, type Resolved } from "./layout.ts";
import type { LayoutData } from "./layout-schema.ts";
import type { OtherSide } from "./other-side.ts";
import { usualDecimal } from "./profile.ts";
import { wayRow } from "./prove-ways.ts";
import { columnWord, resolveLayout } from "./resolve-layout.ts";
import { dayOfSection } from "./section.ts";

const notFilledMax = 200_000;

export type Scanned = {
  readonly rows: readonly TableRow[];
  /** All rows of the file are among them. */
  readonly whole: boolean;
  /** What all rows say of the columns, by these: a file is gone through once for it. */
  readonly judged: Map<string, Judged>;
};

/** Keeps the first rows that are not blank. Throws CliError usage for a file that is broken anywhere. */
export const scanTable = async (table: Table): Promise<Scanned> => {
  const rows: TableRow[] = [];
  let count = 0;
  await table.scan((row) => {
    if (rows.length >= sampleMax || count > notFilledMax) {
      count += 1;
      return;
    }
    if (filledCells(row) === 0) return;
    rows.push(row);
    count += 1;
  });
  return { rows, whole: count <= rows.length, judged: new Map() };
};

/**
 * The layout of a file. Decimal marks and the order of days are decided by all of its rows, as a cell at the end may decide what
 * the first ones mean.
 */
export const settleLayout = async (table: Table, scanned: Scanned, options: LayoutOptions, other?: OtherSide): Promise<Layout | Refusal> => {
  const resolved = resolveLayout(scanned.rows, options, other);
  if (isRefusal(resolved)) {
    // The command is to read the file, so it also says what would be asked next.
    const told = parseColumns(resolved.proposal);
    if (told.told.size <= options.told.size) return resolved;
    const next = await settleLayout(
      table,
      scanned,
      { ...options, as: resolved.kind, ...told, decimal: options.decimal, dayOrder: options.dayOrder, status: options.status },
      other,
    );
    return isRefusal(next) && next.proposal.length > 0 ? { ...resolved, proposal: next.proposal } : resolved;
  }
  const { decimals, days, dated, ways } = await judgeColumns(table, scanned, resolved);
  const { layout: chosen } = options;
  // A layout that was not chosen goes behind what the cells themselves say.
  const usual = chosen ?? options.layouts.find(({ name }) => name === resolved.name);
  const toldMark = options.decimal ?? markOf(chosen);
  const decimal = toldMark ?? decideDecimal(decimals, markOf(usual) ?? resolved.decimal);
  if (typeof decimal === "object") return refuse(resolved, decimal, "decimal=point");
  const toldOrder = options.dayOrder ?? chosen?.dates;
  const dayOrder = toldOrder ?? decideDays(days, resolved, usual?.dates);
  if (typeof dayOrder === "object") return refuse(resolved, dayOrder, "dates=dmy");
  const isMarkProved = (toldMark ?? decimals.point ?? decimals.comma ?? usual?.decimal ?? resolved.decimal) !== undefined;
  const isOrderProved = (toldOrder ?? days.dmy ?? days.mdy ?? usual?.dates ?? resolved.dayOrder) !== undefined;
  return {
    ...resolved,
    decimal,
    dayOrder,
    dated,
    ways,
    currency: options.currency ?? resolved.currency,
    sources: options.currency === undefined ? resolved.sources : new Map([...resolved.sources, ["currency", "told"]]),
    proved: {
      ...(isMarkProved ? { decimal: decimal === "." ? "point" : "comma" } : {}),
      ...(isOrderProved ? { dates: dayOrder } : {}),
    },
    notes: [...resolved.notes, ...noteDays(resolved, dated, isOrderProved || days.unclear === undefined ? undefined : { order: dayOrder, cell: days.unclear })],
  };
};

/** What all rows say of the columns: of their marks and days, and, where the balance proves it, which way unsigned amounts went. */
const judgeColumns = async (table: Table, { rows, whole, judged }: Scanned, resolved: Resolved): Promise<Judged> => {
  const { columns, charge, headerLine, lastHeaderLine, balanceOrder, waysOrder, ways: proved } = resolved;
  const name = JSON.stringify([columns, charge, lastHeaderLine, balanceOrder, waysOrder, [...proved]]);
  const known = judged.get(name);
  if (known !== undefined) return known;
  const [decimals, days] = [createDecimalJudge(), createDayJudge()];
  const amounts = [columns.amount, columns["paid-in"], columns.withdrawn, columns.balance].filter((index) => index !== undefined);
  const decimal = usualDecimal(rows, amounts);
  const order = balanceOrder ?? waysOrder;
  const ways = proved.size === 0 || order === undefined ? undefined : createWays(order);
  let dated = false;
  const see = (row: TableRow): void => {
    if (row.line <= lastHeaderLine || (row.line === 0 && headerLine === 0)) return;
    for (const index of amounts) decimals.see(row.cells[index] ?? "");
    ways?.see(wayRow(row, { ...columns, charge }, decimal));
    const cell = (columns.date === undefined ? (dayOfSection(row) ?? "") : (row.cells[columns.date] ?? "")).trim();
    if (cell === "") return;
    days.see(cell);
    dated ||= looksLikeDate(cell);
  };
  if (whole) rows.forEach(see);
  else await table.scan(see);
  const found = { decimals: decimals.evidence(), days: days.evidence(), dated, ways: new Map([...proved, ...(ways?.ways ?? [])]) };
  judged.set(name, found);
  return found;
};

const markOf = (layout: LayoutData | undefined): DecimalMark | undefined =>
  layout?.decimal === undefined ? undefined : layout.decimal === "point" ? "." : ",";

type Assumed = { readonly order: DayOrder; readonly cell: string };
const noteDays = ({ columns, header }: Resolved, dated: boolean, assumed: Assumed | undefined): readonly string[] => {
  if (columns.date === undefined)
    return [dated ? "Dates: there is no column of them; the day above a block of rows is that of its rows." : "There is no column of dates."];
  if (!dated) return [`Dates: ${nameOf({ header }, columns.date)} holds no dates and is not used.`];
  return assumed === undefined ? [] : [`Dates: nothing proves the order of "${assumed.cell}"; it is read ${assumed.order === "dmy" ? "day" : "month"} first.`];
};

type Problem = { readonly problem: string; readonly hint: string };

const refuse = ({ kind, columns, header }: Resolved, { problem, hint }: Problem, say: string): Refusal => ({
  problem,
  hint,
  kind,
  proposal: [...Object.entries(columns).map(([field, column]) => `${field}=${columnWord(header, column)}`), say],
  open: [],
  headings: header,
});

type Judged = {
  readonly decimals: DecimalEvidence;
  readonly days: DayEvidence;
  readonly dated: boolean;
  readonly ways: Layout["ways"];
};

const decideDecimal = ({ point, comma, unclear }: DecimalEvidence, usual: DecimalMark | undefined): DecimalMark | Problem => {
  const hint = "say which it is with --columns decimal=point or --columns decimal=comma";
  if (point !== undefined && comma !== undefined)
    return (
      usual ?? {
        problem: `The amounts use two decimal marks: "${point}" a point, "${comma}" a comma.`,
        hint: `Use one decimal mark in the whole column, or ${hint}`,
      }
    );
  if (point !== undefined) return ".";
  if (comma !== undefined) return ",";
  if (usual !== undefined) return usual;
  if (unclear !== undefined) return { problem: `"${unclear}" could be thousands or three decimals, and no other amount of the file decides it.`, hint };
  return ".";
};

const decideDays = ({ dmy, mdy, unclear }: DayEvidence, { kind, dayOrder }: Resolved, usual: DayOrder | undefined): DayOrder | Problem => {
  const hint = "say which comes first with --columns dates=dmy or --columns dates=mdy";
  if (dmy !== undefined && mdy !== undefined)
    return usual ?? { problem: `The dates use two orders: in "${dmy}" the day comes first, in "${mdy}" the month.`, hint };
  if (dmy !== undefined) return "dmy";
  if (mdy !== undefined) return "mdy";
  const known = usual ?? dayOrder;
  if (known !== undefined) return known;
  // The provider's portal writes the day first, on every statement (cases/reconcile/mini).
  if (unclear !== undefined && kind === "orders")
    return { problem: `"${unclear}" could be day and month or month and day, and no other date of the file decides it.`, hint };
  return "dmy";
};

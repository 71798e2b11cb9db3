import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { utils, write } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../support/cli.ts";
import { escapeXml } from "../support/workbook.ts";

type Words = readonly string[];
type Pairs = readonly (readonly [string, string])[];
type Line = readonly string[];
type Data = {
  readonly orders: Readonly<Record<string, Words>>;
  readonly statement: Readonly<Record<string, Words>>;
  readonly inAndOut: Pairs;
  readonly ways: Pairs;
  readonly above: readonly (readonly Line[])[];
  readonly below: readonly (readonly Line[])[];
} & Readonly<Record<"paidHere" | "openHere" | "endedHere" | "paidThere" | "failedThere", Words>>;
/** Words that portals, banks, gateways and shops write, in English, Swahili, French and Portuguese. */
const data: Data = JSON.parse(readFileSync(new URL("variants.json", import.meta.url), "utf8"));

type Column = { readonly heading: string; readonly cells: readonly string[] };
type Table = { readonly above: readonly Line[]; readonly columns: readonly Column[]; readonly below: readonly Line[] };
type Dice = { readonly pick: <One>(list: readonly One[]) => One; readonly shuffled: <One>(list: readonly One[]) => readonly One[] };

/** The same for the same seed, on every machine. */
const createDice = (seed: number): Dice => {
  let state = 1 + ((seed * 15_485_863) % 2_147_483_645);
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  for (let round = 0; round < 5; round += 1) next();
  const pick = <One>(list: readonly One[]): One => {
    const one = list[Math.floor(next() * list.length)];
    if (one === undefined) throw new Error("There is nothing to pick from.");
    return one;
  };
  const shuffled = <One>(list: readonly One[]): readonly One[] =>
    list
      .map((one) => ({ one, at: next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  return { pick, shuffled };
};

const orders = [
  { number: 1, cents: 150_000, day: 13, state: "paid" },
  { number: 2, cents: 235_050, day: 13, state: "paid" },
  { number: 3, cents: 80_000, day: 13, state: "open" },
  { number: 4, cents: 1_200_000, day: 14, state: "paid" },
  { number: 5, cents: 45_000, day: 14, state: "paid" },
  { number: 6, cents: 99_900, day: 14, state: "paid" },
  { number: 7, cents: 320_000, day: 15, state: "open" },
  { number: 8, cents: 64_000, day: 15, state: "ended" },
] as const;
/** A payment has the number of its order; money out is negative. */
const payments = [
  { number: 1, cents: 150_000, day: 13, type: "Pay Utility" },
  { number: 2, cents: 235_050, day: 13, type: "Pay Utility" },
  { number: 3, cents: 80_000, day: 13, type: "Pay Utility" },
  { number: 6, cents: 99_900, day: 14, type: "Pay Utility", failed: true },
  { number: 4, cents: 1_200_000, day: 14, type: "Pay Utility" },
  { number: 5, cents: 40_000, day: 14, type: "Pay Utility" },
  { number: 77, cents: -250_000, day: 14, type: "Business Payment" },
  { cents: -1500, day: 14, type: "Business Payment Charge" },
  { number: 9, cents: 70_000, day: 15, type: "Pay Utility" },
  { cents: -900_000, day: 15, type: "Withdraw Funds to Bank" },
] as const;
type Payment = { readonly number?: number; readonly cents: number; readonly day: number; readonly type: string; readonly failed?: true };

const twoDigits = (value: number): string => String(value).padStart(2, "0");
const dateForms: readonly ((day: number, time: string) => string)[] = [
  (day, time) => `${day}/03/2026${time}`,
  (day, time) => `2026-03-${day}${time}`,
  (day) => `${day}-Mar-26`,
  (day, time) => `2026.03.${day}${time}`,
  (day, time) => `${day}.03.2026${time}`,
  (day) => `202603${day}`,
  (day) => String(46_081 + day),
  (day) => `Mar ${day}, 2026 9:05 AM`,
  (day) => `3/${day}/26 2:05 PM`,
  (day, time) => `${day} mars 2026${time}`,
];
const grouped = (cents: number, group: string, decimal: string): string => {
  const whole = String(Math.floor(Math.abs(cents) / 100)).replace(/\B(?=(?:\d{3})+$)/g, group);
  return `${whole}${decimal}${twoDigits(Math.abs(cents) % 100)}`;
};
const withMinus = (cents: number, text: string): string => (cents < 0 ? `-${text}` : text);
const amountForms: readonly ((cents: number) => string)[] = [
  (cents) => withMinus(cents, grouped(cents, "", ".")),
  (cents) => withMinus(cents, grouped(cents, ",", ".")),
  (cents) => withMinus(cents, grouped(cents, ".", ",")),
  (cents) => withMinus(cents, grouped(cents, "\u202f", ",")),
  (cents) => `KES ${withMinus(cents, grouped(cents, ",", "."))}`,
  (cents) => withMinus(cents, `Kshs. ${grouped(cents, ",", ".")}/=`),
  (cents) => (cents < 0 ? `(${grouped(cents, ",", ".")})` : grouped(cents, ",", ".")),
  (cents) => (cents < 0 ? `${grouped(cents, ",", ".")}-` : grouped(cents, ",", ".")),
];
const references: readonly ((number: number) => string)[] = [
  (number) => `VA-${number}`,
  (number) => `INV/2026/${String(number).padStart(4, "0")}`,
  (number) => String(number + 4200).padStart(6, "0"),
  (number) => `#${number + 1000}`,
  (number) => `3f2a${1000 + number}-9c1b-4d2e-8a77-a1b2c3d4${1000 + number}`,
  (number) => String(7_300_000_000 + number * 13),
  (number) => `SO${String(number).padStart(5, "0")}`,
];
const narratives: readonly ((reference: string) => string)[] = [
  (reference) => `Pay bill 522522 Acc ${reference} OTIENO SAMPLE`,
  (reference) => `MPESA/254722000111/${reference}/KIPTOO TEST`,
  (reference) => `C2B~${reference}~254722000111~ACHIENG MOCK`,
  (reference) => `Payment for order ${reference}`,
  (reference) => `${reference} - MUTUA EXAMPLE`,
];
const headingForms: readonly ((heading: string) => string)[] = [
  (heading) => heading,
  (heading) => heading.toUpperCase(),
  (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_"),
  (heading) => ` ${heading}:`,
];

/** Columns that nothing here needs, such as exports have many of. */
const extras = (rows: readonly Pick<Payment, "cents" | "day">[], money: (cents: number) => string): readonly Column[] =>
  Object.entries<(row: Pick<Payment, "cents" | "day">, index: number) => string>({
    Branch: () => "WESTLANDS",
    "Teller ID": (_, index) => `T0${450 + (index % 3)}`,
    "S/No": (_, index) => String(index + 1),
    "Customer ID": (_, index) => `CUS-${1700 + index * 13}`,
    "Updated At": ({ day }) => `2026-03-${day + 3} 10:00:00`,
    VAT: ({ cents }) => money(Math.round((cents * 16) / 116)),
    "Previous Status": () => "Pending",
    Notes: (_, index) => (index % 4 === 1 ? "call back later" : ""),
    Channel: (_, index) => (index % 2 === 0 ? "USSD" : "APP"),
    Reconciled: (_, index) => (index % 2 === 0 ? "No" : "Yes"),
    "Settlement Date": ({ day }) => `${day + 4}/03/2026`,
    "Delivery Status": (_, index) => (index % 2 === 0 ? "Delivered" : "Pending"),
    "Card Type": (_, index) => (index % 2 === 0 ? "Debit" : "Credit"),
    Phone: (_, index) => `2547220001${10 + index}`,
    Currency: () => "KES",
    "Customer Name": (_, index) => ["OTIENO SAMPLE", "KIPTOO TEST"][index % 2] ?? "",
    Fee: ({ cents }) => money(Math.round(cents / 50)),
    "Net Amount": ({ cents }) => money(Math.round((cents * 49) / 50)),
    Subtotal: ({ cents }) => money(Math.round((cents * 100) / 116)),
    "Exchange Rate": () => "1.00",
    Year: () => "2026",
    "Amount Refunded": () => "0.00",
    Email: (_, index) => `c${index}@example.com`,

    Terminal: (_, index) => `POS${index % 2}`,
    "Cheque No": () => "",
    "Approved By": () => "J. MWANGI",
  }).map(([heading, cell]) => ({ heading, cells: rows.map(cell) }));

type Shared = { readonly dice: Dice; readonly reference: (number: number) => string };
const arranged = (
  { pick, shuffled }: Dice,
  columns: readonly Column[],
  rows: readonly Pick<Payment, "cents" | "day">[],
  money: (cents: number) => string,
): Table => {
  const headed = pick(headingForms);
  const all = shuffled([...columns, ...shuffled(extras(rows, money)).slice(0, pick([0, 2, 4, 6]))]);
  const order = pick([0, 1]) === 0 ? rows.map((_, index) => index) : rows.map((_, index) => rows.length - 1 - index);
  return {
    above: pick(data.above),
    columns: all.map(({ heading, cells }) => ({ heading: headed(heading), cells: order.map((index) => cells[index] ?? "") })),
    below: pick(data.below),
  };
};

const ordersTable = ({ dice, reference }: Shared): Table => {
  const { pick } = dice;
  const words = { paid: pick(data.paidHere), open: pick(data.openHere), ended: pick(data.endedHere) };
  const [date, amount] = [pick(dateForms), pick(amountForms)];
  const column = (field: string, cell: (order: (typeof orders)[number]) => string): Column => ({
    heading: pick(data.orders[field] ?? []),
    cells: orders.map(cell),
  });
  const columns = [
    column("reference", ({ number }) => reference(number)),
    column("amount", ({ cents }) => amount(cents)),
    column("status", ({ state }) => words[state]),
    column("date", ({ day }) => date(day, "")),
  ];
  return arranged(dice, columns, orders, amount);
};

const statementTable = ({ dice, reference }: Shared, rows: readonly Payment[], hasStatus: boolean): Table => {
  const { pick } = dice;
  const [date, amount, narrative, isNamed] = [pick(dateForms), pick(amountForms), pick(narratives), pick([true, false])];
  const [paid, failed] = [pick(data.paidThere), pick(data.failedThere)];
  const name = ({ number }: Payment): string => (number === undefined ? "" : reference(number));
  const text = (row: Payment): string =>
    row.cents < 0 ? `${row.type} ${isNamed ? "" : name(row)}`.trim() : isNamed ? "Pay Bill from OTIENO SAMPLE" : narrative(name(row));
  const column = (field: string, cell: (row: Payment, index: number) => string): Column => ({
    heading: pick(data.statement[field] ?? []),
    cells: rows.map(cell),
  });
  const balances: number[] = [];
  for (const { cents, failed: isFailed } of rows) balances.push((balances.at(-1) ?? 5_000_000) + (isFailed === true ? 0 : cents));
  const [inHeading, outHeading] = pick(data.inAndOut);
  const [inWord, outWord] = pick(data.ways);
  const money: readonly (readonly Column[])[] = [
    [
      { heading: inHeading, cells: rows.map(({ cents }) => (cents > 0 ? amount(cents) : "")) },
      { heading: outHeading, cells: rows.map(({ cents }) => (cents < 0 ? amount(-cents) : "")) },
    ],
    [column("amount", ({ cents }) => amount(cents))],
    [column("amount", ({ cents }) => amount(Math.abs(cents))), column("way", ({ cents }) => (cents < 0 ? outWord : inWord))],
  ];
  const columns = [
    column("receipt", (_, index) => `UCL7F0${index}A${index}B`),
    column("date", ({ day }) => date(day, ` ${twoDigits(8 + (day % 3))}:05:12`)),
    column("details", text),
    ...pick(money),
    ...(pick([true, false]) ? [column("balance", (_, index) => amount(balances[index] ?? 0))] : []),
    ...(isNamed ? [column("reference", name)] : []),
    ...(hasStatus ? [column("status", ({ failed: isFailed }) => (isFailed === true ? failed : paid))] : []),
  ];
  return arranged(dice, columns, rows, amount);
};

const linesOf = ({ above, columns, below }: Table): readonly Line[] => [
  ...above,
  columns.map(({ heading }) => heading),
  ...(columns[0]?.cells.map((_, row) => columns.map(({ cells }) => cells[row] ?? "")) ?? []),
  ...below,
];
const delimited = (table: Table, delimiter: string, lineEnd = "\n"): string =>
  linesOf(table)
    .map((cells) => cells.map((cell) => (/["\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter))
    .join(lineEnd);
const sheet = (table: Table, bookType: "xlsx" | "biff8" | "ods"): Uint8Array => {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(linesOf(table).map((cells) => [...cells])), "Sheet1");
  return new Uint8Array(write(book, { type: "buffer", bookType }));
};
const writers: Readonly<Record<string, (table: Table) => string | Uint8Array>> = {
  CSV: (table) => delimited(table, ","),
  semicolons: (table) => `\ufeff${delimited(table, ";", "\r\n")}`,
  tabs: (table) => delimited(table, "\t"),
  pipes: (table) => delimited(table, "|"),
  "UTF-16": (table) => Buffer.from(`\ufeff${delimited(table, "\t", "\r\n")}`, "utf16le"),
  XLSX: (table) => sheet(table, "xlsx"),
  XLS: (table) => sheet(table, "biff8"),
  ODS: (table) => sheet(table, "ods"),
  HTML: (table) =>
    `<table>${linesOf(table)
      .map((cells) => `<tr>${cells.map((cell) => `<td>${escapeXml(cell)}</td>`).join("")}</tr>`)
      .join("")}</table>`,
  JSON: ({ columns }) => JSON.stringify(columns[0]?.cells.map((_, row) => Object.fromEntries(columns.map(({ heading, cells }) => [heading, cells[row]])))),
};

const variants = 80;
describe("the same payments as other portals, banks and shops would write them", () => {
  for (let seed = 1; seed <= variants; seed += 1) {
    it(`variant ${seed}`, async () => {
      const dice = createDice(seed);
      const shared = { dice, reference: dice.pick(references) };
      const hasStatus = dice.pick([true, true, false]);
      const rows: readonly Payment[] = hasStatus ? payments : payments.filter((row) => !("failed" in row));
      const [ours, theirs] = [ordersTable(shared), statementTable(shared, rows, hasStatus)];
      const [here, there] = [dice.pick(Object.keys(writers)), dice.pick(Object.keys(writers))];
      const home = createHome();
      const paths = [join(home, "ours.dat"), join(home, "theirs.dat")] as const;
      writeFileSync(paths[0], writers[here]?.(ours) ?? "");
      writeFileSync(paths[1], writers[there]?.(theirs) ?? "");
      const first = await runCli(["tx", "reconcile", paths[0], "--against", paths[1], "--json"], { home });
      const { command }: { command?: string[] } = first.code === 0 ? {} : JSON.parse(first.stderr).error;
      const { stdout, stderr } = command === undefined ? first : await runCli(command, { home });
      expect(stdout, stderr).not.toBe("");
      const { summary, inputs } = JSON.parse(stdout);
      const found = Object.entries<{ ours: { rows: number; amount: string }; theirs: { rows: number; amount: string } }>(summary).map(
        ([category, sums]) => `${category}: ${sums.ours.rows} of ${sums.ours.amount}, ${sums.theirs.rows} of ${sums.theirs.amount}`,
      );
      expect(found.sort(), JSON.stringify([here, there, ours.columns, theirs.columns, inputs])).toEqual([
        "amount_mismatch: 1 of 450.00, 1 of 400.00",
        `ignored: 1 of 640.00, ${hasStatus ? "3 of -8016.00" : "2 of -9015.00"}`,
        "matched: 3 of 15850.50, 3 of 15850.50",
        "missed_callback: 1 of 800.00, 1 of 800.00",
        "missing_here: 0 of 0.00, 2 of -1800.00",
        "missing_there: 2 of 4199.00, 0 of 0.00",
      ]);
    });
  }
});

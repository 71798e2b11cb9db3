import { groupedMinor } from "../money/grouped.ts";
import { localFlows } from "./endpoints.ts";
import type { Transaction } from "./engine/entities.ts";
import { invalid } from "./engine/refusal.ts";
import { receiptOf, type Unit } from "./engine/unit.ts";

/** The provider's portal writes Nairobi time. */
const zoneMs = 3 * 3_600_000;
const dayMs = 86_400_000;
/** Assumed: what the merchant's till held before the day began, KES cents. */
const openingMinor = 100_000_000;

type Row = {
  readonly receipt: string;
  readonly completedMs: number;
  readonly initiatedMs: number;
  readonly details: string;
  readonly status: "Completed" | "Failed";
  /** KES cents; money out is negative. */
  readonly amount: number;
  readonly reason: string;
  readonly party: string;
  readonly linked: string;
  readonly account: string;
  readonly transactionId: string;
};

const moneyText = (minor: number): string => groupedMinor(BigInt(minor));
const timeText = (ms: number): string => {
  const [date = "", time] = new Date(ms + zoneMs).toISOString().slice(0, 19).split("T");
  return `${date.split("-").reverse().join("-")} ${time}`;
};

/** The columns of the export: what each says of a row, and of all of them. */
type Column = readonly [title: string, cell: (row: Row, balance: number) => string, total?: (totals: Totals) => string];
type Totals = { readonly paidIn: number; readonly withdrawn: number };
const columns: readonly Column[] = [
  ["Receipt No.", (row) => row.receipt],
  ["Completion Time", (row) => timeText(row.completedMs)],
  ["Initiation Time", (row) => timeText(row.initiatedMs)],
  ["Details", (row) => row.details, () => "Totals"],
  ["Transaction Status", (row) => row.status],
  ["Paid In", ({ amount }) => (amount > 0 ? moneyText(amount) : ""), ({ paidIn }) => moneyText(paidIn)],
  ["Withdrawn", ({ amount }) => (amount > 0 ? "" : moneyText(amount)), ({ withdrawn }) => moneyText(withdrawn)],
  ["Balance", (_, balance) => moneyText(balance)],
  ["Balance Confirmed", (row) => String(row.status === "Completed")],
  ["Reason Type", (row) => row.reason],
  ["Other Party Info", (row) => row.party],
  ["Linked Transaction ID", (row) => row.linked],
  ["A/C No.", (row) => row.account],
];

const dayStartOf = ({ nowMs }: Unit, day: string | null): number => {
  if (day === null || day === "") return Math.floor((nowMs + zoneMs) / dayMs) * dayMs - zoneMs;
  const startMs = Date.parse(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(startMs)) throw invalid("day", "day must be YYYY-MM-DD.");
  return startMs - zoneMs;
};

/** The rows one transaction makes: money in one, a payout two (itself and its charge), a reversal one more. */
const rowsOf = (unit: Unit, { flow, reference, amount, party: phone, ...one }: Transaction): readonly Row[] => {
  const receipt = one.metadata["mobileMoneyReceipt"];
  if (typeof receipt !== "string" || phone === "") return [];
  const endMs = (status: string): number => Date.parse(one.steps.find((step) => step.status === status)?.at ?? "") || one.createdMs;
  const party = `${phone.slice(0, 4)}***${phone.slice(-3)} - CUSTOMER ${phone.slice(-3)}`;
  const common = {
    receipt,
    completedMs: endMs("COMPLETED"),
    initiatedMs: one.createdMs,
    party,
    linked: "",
    account: reference,
    transactionId: one.id,
  } as const;
  const row = (more: Pick<Row, "details" | "amount" | "reason"> & Partial<Row>): Row => ({ status: "Completed", ...common, ...more });
  const charge = "Business Payment to Customer Charge";
  const [first, ...rest] =
    flow === "b2c"
      ? ([
          row({ details: `Business Payment to ${party}`, amount: -amount, reason: "Business Payment to Customer via API" }),
          row({ details: charge, amount: -one.carrierFee, reason: charge, party: "" }),
        ] as const)
      : ([row({ details: `Pay Bill from ${party} Acc. ${reference}`, amount, reason: "Pay Bill Online" })] as const);
  return [first, ...rest, ...(one.status === "REVERSED" ? [reversalOf(unit, first, endMs("REVERSED"))] : [])];
};
const reversalOf = (unit: Unit, row: Row, atMs: number): Row => ({
  ...row,
  receipt: spareReceipt(unit, row.receipt, atMs),
  completedMs: atMs,
  initiatedMs: atMs - 1_000,
  details: `Reversal of ${row.receipt}`,
  amount: -row.amount,
  reason: "Reversal",
  linked: row.receipt,
});
/** A receipt that no payment has: always the same beside the same one. */
const spareReceipt = (unit: Unit, receipt: string, atMs: number): string =>
  receiptOf(unit.core.seed, 900_000_000 + (parseInt(receipt.slice(4), 36) % 90_000_000), atMs);

const dayRows = (unit: Unit, startMs: number): readonly Row[] =>
  unit
    .page("tx", { where: { flow: localFlows, status: ["COMPLETED", "REVERSED"] }, limit: Number.MAX_SAFE_INTEGER })
    .flatMap((one) => rowsOf(unit, one))
    .filter((row) => row.completedMs >= startMs && row.completedMs < startMs + dayMs)
    .sort((left, right) => left.completedMs - right.completedMs);

type Spoilt = { readonly rows: readonly Row[]; readonly detail: string; readonly receipt?: string };
/** What each defect makes of a payment's row. */
const spoil = {
  "missing-row": () => ({ rows: [], detail: "Completed at the service, absent here." }),
  "wrong-amount": (_, row) => ({
    rows: [{ ...row, amount: row.amount + 5_000 }],
    detail: `Here ${moneyText(row.amount + 5_000)}, at the service ${moneyText(row.amount)}.`,
  }),
  duplicate: (_, row) => ({ rows: [row, row], detail: "The same row stands twice." }),
  "failed-attempt": (unit, row) => {
    const receipt = spareReceipt(unit, row.receipt, row.completedMs);
    const times = { completedMs: row.completedMs - 1_000, initiatedMs: row.initiatedMs - 1_000 };
    const attempt: Row = { ...row, ...times, receipt, status: "Failed", reason: "Pay Utility" };
    return { rows: [attempt, row], receipt, detail: "An attempt that failed before the one that was paid." };
  },
  reversal: (unit, row) => {
    const back = reversalOf(unit, row, row.completedMs + 1_000);
    return { rows: [row, back], detail: `Reversed here by ${back.receipt}, still completed at the service.` };
  },
} as const satisfies Readonly<Record<string, (unit: Unit, row: Row) => Spoilt>>;
type DefectKind = keyof typeof spoil;
const defectKinds: readonly DefectKind[] = ["missing-row", "wrong-amount", "duplicate", "failed-attempt", "reversal"];

type Wanted = { readonly defects: readonly DefectKind[]; readonly day: string | null };
/** The rows of that day, with one fault on a payment each, as far as there are that many; the same on every call while nothing is added. */
const spoiltRows = (unit: Unit, { defects, day }: Wanted) => {
  const rows = dayRows(unit, dayStartOf(unit, day));
  const reversed = new Set(rows.map((row) => row.linked));
  // A statement of one row keeps it, unless nothing else is asked for: without rows there is nothing to compare.
  const kinds = rows.length === 1 && defects.length > 1 ? defects.filter((kind) => kind !== "missing-row") : defects;
  const payments = rows.filter((row) => row.amount > 0 && row.linked === "" && !reversed.has(row.receipt)).slice(0, kinds.length);
  return rows.map((row) => {
    const kind = kinds[payments.indexOf(row)];
    return kind === undefined ? { rows: [row] } : { kind, row, ...spoil[kind](unit, row) };
  });
};

const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const line = (...cells: readonly string[]): string => cells.map(cell).join(",");
const sumOf = (rows: readonly Row[], sign: 1 | -1): number => rows.reduce((sum, row) => sum + (Math.sign(row.amount) === sign ? row.amount : 0), 0);

const print = (rows: readonly Row[], startMs: number, nowMs: number): string => {
  const counted = rows.filter((row) => row.status === "Completed");
  const totals = { paidIn: sumOf(counted, 1), withdrawn: sumOf(counted, -1) };
  let balance = openingMinor;
  const lines = rows.map((row) => {
    if (row.status === "Completed") balance += row.amount;
    return line(...columns.map(([, cellOf]) => cellOf(row, balance)));
  });
  const balances = ["Opening Balance:", moneyText(openingMinor), "Closing Balance:", moneyText(balance)];
  const head = [
    line("Organization Name:", "SANDBOX MERCHANT LTD"),
    line("Short Code:", "600000"),
    line("Time Period:", timeText(startMs), "To", timeText(startMs + dayMs - 1_000)),
    line("Operator:", "sandbox", "Date of Report:", timeText(nowMs)),
    line(...balances, "Total Paid In:", moneyText(totals.paidIn), "Total Withdrawn:", moneyText(totals.withdrawn)),
    "",
    line(...columns.map(([title]) => title)),
  ];
  const foot = line(...columns.map(([, , total]) => total?.(totals) ?? ""));
  return `\ufeff${[...head, ...lines.reverse(), foot].join("\r\n")}\r\n`;
};

/** `1` is all of them; else their names, separated by commas (`missing-row,duplicate`); an empty text names none. */
export const parseDefects = (text: string | null): readonly DefectKind[] => {
  if (text === null || text === "" || text === "0") return [];
  if (text === "1") return defectKinds;
  const named = text.split(",");
  const known = defectKinds.filter((kind) => named.includes(kind));
  if (named.some((name) => !known.some((kind) => kind === name)))
    throw invalid("defects", `defects must be 1, or names of ${defectKinds.join(", ")} with commas between.`);
  return known;
};

/** The day as the provider's portal exports it, newest first (sandbox.md, Control). `day` is YYYY-MM-DD in Nairobi; today where null. */
export const statementOf = (unit: Unit, wanted: Wanted): string => {
  const rows = spoiltRows(unit, wanted).flatMap((made) => made.rows);
  return print(rows, dayStartOf(unit, wanted.day), unit.nowMs);
};

/** What such defects put into the statement of that day. */
export const defectsIn = (unit: Unit, wanted: Wanted) =>
  spoiltRows(unit, wanted).flatMap((made) => {
    if (!("kind" in made)) return [];
    const { kind, row, detail } = made;
    const receipt = "receipt" in made ? made.receipt : row.receipt;
    return [{ kind, transactionId: row.transactionId, reference: row.account, receipt, detail }];
  });

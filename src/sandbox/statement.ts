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
const defectKinds = ["missing-row", "wrong-amount", "duplicate", "failed-attempt", "reversal"] as const;
type DefectKind = (typeof defectKinds)[number];
export type Defect = {
  readonly kind: DefectKind;
  readonly transactionId: string;
  readonly reference: string;
  readonly receipt: string;
  readonly detail: string;
};

const dayStartOf = ({ nowMs }: Unit, day: string | null): number => {
  if (day === null || day === "") return Math.floor((nowMs + zoneMs) / dayMs) * dayMs - zoneMs;
  const startMs = Date.parse(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(startMs)) throw invalid("day", "day must be YYYY-MM-DD.");
  return startMs - zoneMs;
};

const masked = (phone: string): string => `${phone.slice(0, 4)}***${phone.slice(-3)}`;
const endOf = (transaction: Transaction, status: string): number =>
  Date.parse(transaction.steps.find((step) => step.status === status)?.at ?? "") || transaction.createdMs;

/** The rows one transaction makes: money in one, a payout two (itself and its charge), a reversal one more. */
const rowsOf = (unit: Unit, transaction: Transaction): readonly Row[] => {
  const receipt = transaction.metadata["mobileMoneyReceipt"];
  if (typeof receipt !== "string" || transaction.party === "") return [];
  const party = `${masked(transaction.party)} - CUSTOMER ${transaction.party.slice(-3)}`;
  const common = {
    receipt,
    completedMs: endOf(transaction, "COMPLETED"),
    initiatedMs: transaction.createdMs,
    status: "Completed",
    linked: "",
    account: transaction.reference,
    transactionId: transaction.id,
  } as const;
  const rows: Row[] = [];
  if (transaction.group === "b2c") {
    rows.push({ ...common, details: `Business Payment to ${party}`, amount: -transaction.amount, reason: "Business Payment to Customer via API", party });
    rows.push({
      ...common,
      details: "Business Payment to Customer Charge",
      amount: -transaction.carrierFee,
      reason: "Business Payment to Customer Charge",
      party: "",
    });
  } else {
    rows.push({ ...common, details: `Pay Bill from ${party} Acc. ${transaction.reference}`, amount: transaction.amount, reason: "Pay Bill Online", party });
  }
  if (transaction.status === "REVERSED") rows.push(reversalOf(unit, rows[0], endOf(transaction, "REVERSED")));
  return rows;
};
const reversalOf = (unit: Unit, row: Row | undefined, atMs: number): Row => {
  if (row === undefined) throw new Error("There is nothing to reverse.");
  const receipt = spareReceipt(unit, row.receipt, atMs);
  return {
    ...row,
    receipt,
    completedMs: atMs,
    initiatedMs: atMs - 1_000,
    details: `Reversal of ${row.receipt}`,
    amount: -row.amount,
    reason: "Reversal",
    linked: row.receipt,
  };
};
/** A receipt that no payment has: always the same beside the same one. */
const spareReceipt = (unit: Unit, receipt: string, atMs: number): string =>
  receiptOf(unit.core.seed, 900_000_000 + (parseInt(receipt.slice(4), 36) % 90_000_000), atMs);

const dayRows = (unit: Unit, startMs: number): readonly Row[] => {
  const rows: Row[] = [];
  const isOfDay = (row: Row): boolean => row.completedMs >= startMs && row.completedMs < startMs + dayMs;
  const size = 500;
  for (let offset = 0; ; offset += size) {
    const page = unit.page("tx", { where: { group: localFlows }, offset, limit: size });
    for (const transaction of page) rows.push(...rowsOf(unit, transaction).filter(isOfDay));
    const oldest = page.at(-1);
    // What was made days before can hardly have ended on this one.
    if (oldest === undefined || page.length < size || oldest.createdMs < startMs - 2 * dayMs) break;
  }
  return rows.sort((left, right) => left.completedMs - right.completedMs);
};

type Disturbed = { readonly rows: readonly Row[]; readonly defects: readonly Defect[] };
/** One fault on a payment each, as far as there are that many; the same on every call while nothing is added. */
const withDefects = (unit: Unit, rows: readonly Row[], kinds: readonly DefectKind[]): Disturbed => {
  const payments = rows.filter((row) => row.amount > 0 && row.linked === "" && !rows.some((one) => one.linked === row.receipt));
  const rowFor = (kind: DefectKind): Row | undefined => (kinds.includes(kind) ? payments[kinds.indexOf(kind)] : undefined);
  const [missing, wrong, twice, failed, reversed] = defectKinds.map(rowFor);
  const defects: Defect[] = [];
  const report = (kind: Defect["kind"], row: Row, detail: string): void => {
    defects.push({ kind, transactionId: row.transactionId, reference: row.account, receipt: row.receipt, detail });
  };
  const made = rows.flatMap((row): readonly Row[] => {
    if (row === missing) {
      report("missing-row", row, "Completed at the service, absent here.");
      return [];
    }
    if (row === wrong) {
      report("wrong-amount", row, `Here ${moneyText(row.amount + 5_000)}, at the service ${moneyText(row.amount)}.`);
      return [{ ...row, amount: row.amount + 5_000 }];
    }
    if (row === twice) {
      report("duplicate", row, "The same row stands twice.");
      return [row, row];
    }
    if (row === failed) {
      const receipt = spareReceipt(unit, row.receipt, row.completedMs);
      report("failed-attempt", { ...row, receipt }, "An attempt that failed before the one that was paid.");
      return [{ ...row, receipt, status: "Failed", completedMs: row.completedMs - 1_000, initiatedMs: row.initiatedMs - 1_000, reason: "Pay Utility" }, row];
    }
    if (row === reversed) {
      const back = reversalOf(unit, row, row.completedMs + 1_000);
      report("reversal", row, `Reversed here by ${back.receipt}, still completed at the service.`);
      return [row, back];
    }
    return [row];
  });
  return { rows: made, defects };
};

const two = (value: number): string => String(value).padStart(2, "0");
const timeText = (ms: number): string => {
  const at = new Date(ms + zoneMs);
  const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
  return `${two(at.getUTCDate())}-${two(at.getUTCMonth() + 1)}-${at.getUTCFullYear()} ${time}`;
};
const moneyText = (minor: number): string => {
  const whole = String(Math.floor(Math.abs(minor) / 100)).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${minor < 0 ? "-" : ""}${whole}.${two(Math.abs(minor) % 100)}`;
};
const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const line = (...cells: readonly string[]): string => cells.map(cell).join(",");

const titles = [
  "Receipt No.",
  "Completion Time",
  "Initiation Time",
  "Details",
  "Transaction Status",
  "Paid In",
  "Withdrawn",
  "Balance",
  "Balance Confirmed",
  "Reason Type",
  "Other Party Info",
  "Linked Transaction ID",
  "A/C No.",
] as const;

const print = (rows: readonly Row[], startMs: number, nowMs: number): string => {
  let balance = openingMinor;
  let paidIn = 0;
  let withdrawn = 0;
  const lines = rows.map((row) => {
    const counts = row.status === "Completed";
    if (counts) balance += row.amount;
    if (counts && row.amount > 0) paidIn += row.amount;
    if (counts && row.amount < 0) withdrawn += row.amount;
    const [inText, outText] = row.amount > 0 ? [moneyText(row.amount), ""] : ["", moneyText(row.amount)];
    return line(
      row.receipt,
      timeText(row.completedMs),
      timeText(row.initiatedMs),
      row.details,
      row.status,
      inText,
      outText,
      moneyText(balance),
      String(counts),
      row.reason,
      row.party,
      row.linked,
      row.account,
    );
  });
  const head = [
    line("Organization Name:", "SANDBOX MERCHANT LTD"),
    line("Short Code:", "600000"),
    line("Time Period:", timeText(startMs), "To", timeText(startMs + dayMs - 1_000)),
    line("Operator:", "sandbox", "Date of Report:", timeText(nowMs)),
    line(
      "Opening Balance:",
      moneyText(openingMinor),
      "Closing Balance:",
      moneyText(balance),
      "Total Paid In:",
      moneyText(paidIn),
      "Total Withdrawn:",
      moneyText(withdrawn),
    ),
    "",
    line(...titles),
  ];
  const totals = line("", "", "", "Totals", "", moneyText(paidIn), moneyText(withdrawn), "", "", "", "", "", "");
  return `\ufeff${[...head, ...lines.reverse(), totals].join("\r\n")}\r\n`;
};

/** `1` is all of them; else their names, separated by commas (`missing-row,duplicate`); an empty text names none. */
export const parseDefects = (text: string | null): readonly DefectKind[] => {
  if (text === null || text === "" || text === "0") return [];
  if (text === "1") return defectKinds;
  const named = text.split(",");
  for (const name of named)
    if (!defectKinds.some((kind) => kind === name)) throw invalid("defects", `defects must be 1, or names of ${defectKinds.join(", ")} with commas between.`);
  return defectKinds.filter((kind) => named.includes(kind));
};

/** The day as the provider's portal exports it, newest first (sandbox.md, Control). `day` is YYYY-MM-DD in Nairobi; today where null. */
export const statementOf = (unit: Unit, options: { readonly defects: readonly DefectKind[]; readonly day: string | null }): string => {
  const startMs = dayStartOf(unit, options.day);
  return print(withDefects(unit, dayRows(unit, startMs), options.defects).rows, startMs, unit.nowMs);
};

/** What such defects put into the statement of that day. */
export const defectsIn = (unit: Unit, kinds: readonly DefectKind[], day: string | null): readonly Defect[] =>
  withDefects(unit, dayRows(unit, dayStartOf(unit, day)), kinds).defects;

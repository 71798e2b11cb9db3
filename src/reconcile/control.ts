import type { TableRow } from "../tables/cell.ts";
import { parseSigned } from "./amounts.ts";
import { plainHeading } from "./columns.ts";
import type { Layout } from "./layout.ts";
import type { FileRecord } from "./record.ts";
import data from "./words.json" with { type: "json" };
import { createMeanings } from "./words.ts";

/** The figures a statement gives of itself, in hundredths. */
export type Control = { readonly opening?: bigint; readonly closing?: bigint; readonly paidIn?: bigint; readonly withdrawn?: bigint };

const controlLabel = createMeanings<keyof Control>(data["control figures"]);

/**
 * Collects what a statement says of its own sums, from the rows that are no records: labels with the cell that follows each, the
 * sums of a totals line, and the balance of an opening or closing line.
 */
export const createControl = (layout: Layout) => {
  const { columns, decimal } = layout;
  const control: { -readonly [name in keyof Control]: Control[name] } = {};
  let openings = 0;
  const amountOf = (text: string | undefined): bigint | undefined => parseSigned(text ?? "", decimal);
  const set = (name: keyof Control, value: bigint | undefined): void => {
    if (value !== undefined && (name === "closing" || control[name] === undefined)) control[name] = value;
  };
  const seeLabels = ({ cells }: TableRow): void => {
    cells.forEach((cell, index) => {
      const name = controlLabel(plainHeading(cell));
      if (name !== undefined) set(name, amountOf(cells.slice(index + 1).find((next) => next.trim() !== "")));
    });
  };
  return {
    see(row: TableRow, why: string): void {
      if (layout.kind !== "statement" || !["preamble", "totals", "balance", "footer", "single cell"].includes(why)) return;
      if (why === "totals") {
        if (columns["paid-in"] !== undefined) set("paidIn", amountOf(row.cells[columns["paid-in"]]));
        if (columns.withdrawn !== undefined) set("withdrawn", amountOf(row.cells[columns.withdrawn]));
      }
      const label = why === "balance" ? row.cells.find((cell) => /\p{L}/u.test(cell) && /\b(?:bal|balance|[bc]\/?f|saldo|solde)\b/iu.test(cell)) : undefined;
      if (label === undefined || columns.balance === undefined) {
        seeLabels(row);
        return;
      }
      const isClosing = /clos|cl[oô]ture|end|c\/?f|carried|schluss|nouveau|final/i.test(label);
      if (!isClosing) openings += 1;
      set(isClosing ? "closing" : "opening", amountOf(row.cells[columns.balance]));
    },
    /** `lastBalance` is the newest running balance; it is what the rows come to if no closing balance is given. */
    end(lastBalance: bigint | undefined): Control | undefined {
      // Several accounts in one file: no sum is that of the file.
      if (openings > 1) return undefined;
      if (control.opening !== undefined && lastBalance !== undefined) set("closing", control.closing ?? lastBalance);
      return Object.keys(control).length === 0 ? undefined : control;
    },
  };
};

export type ControlFault = { readonly what: string; readonly said: bigint; readonly found: bigint };

/**
 * Where a statement's own figures do not add up: rows are missing or changed. A row that comes twice may be counted once or
 * twice by whoever made the file: either holds.
 */
export const controlFaults = (control: Control, records: readonly FileRecord[]): readonly ControlFault[] => {
  const seen = new Set<string>();
  const all = { paidIn: 0n, withdrawn: 0n };
  const once = { paidIn: 0n, withdrawn: 0n };
  for (const { state, unreadable, amountMinor, whole } of records) {
    if (state !== "paid" || unreadable !== undefined) continue;
    const way = amountMinor < 0n ? "withdrawn" : "paidIn";
    all[way] += amountMinor;
    if (whole !== undefined && seen.has(whole)) continue;
    if (whole !== undefined) seen.add(whole);
    once[way] += amountMinor;
  }
  const counted = faultsOf(control, once);
  return counted.length === 0 || faultsOf(control, all).length > 0 ? counted : [];
};

const faultsOf = (control: Control, { paidIn, withdrawn }: { readonly paidIn: bigint; readonly withdrawn: bigint }): readonly ControlFault[] => {
  const faults: ControlFault[] = [];
  const compare = (what: string, said: bigint | undefined, found: bigint): void => {
    if (said !== undefined && said !== found) faults.push({ what, said, found });
  };
  const saidOut = control.withdrawn === undefined ? undefined : control.withdrawn < 0n ? control.withdrawn : -control.withdrawn;
  compare("Total Paid In", control.paidIn, paidIn);
  compare("Total Withdrawn", saidOut, withdrawn);
  if (control.opening !== undefined) compare("Closing Balance", control.closing, control.opening + paidIn + withdrawn);
  return faults;
};

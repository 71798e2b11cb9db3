import type { TableRow } from "../tables/cell.ts";
import { parseAmount } from "./amounts.ts";
import { plainHeading } from "./columns.ts";
import type { Layout } from "./layout.ts";
import type { FileRecord } from "./record.ts";

/** The figures a statement gives of itself, in hundredths. */
export type Control = { readonly opening?: bigint; readonly closing?: bigint; readonly paidIn?: bigint; readonly withdrawn?: bigint };

const controlLabels: Readonly<Record<string, keyof Control>> = {
  openingbalance: "opening",
  closingbalance: "closing",
  totalpaidin: "paidIn",
  totalwithdrawn: "withdrawn",
};

/** Labels of the preamble and the cell that follows each. */
export const readControl = (preamble: readonly TableRow[], layout: Layout): Control | undefined => {
  const control: { -readonly [name in keyof Control]: Control[name] } = {};
  for (const row of preamble) {
    row.cells.forEach((cell, index) => {
      const name = controlLabels[plainHeading(cell)];
      const value = name === undefined ? undefined : parseAmount(row.cells[index + 1] ?? "", layout.decimal);
      if (name !== undefined && value !== undefined && "minor" in value) control[name] = value.minor;
    });
  }
  return Object.keys(control).length === 0 ? undefined : control;
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

import { createHash } from "node:crypto";
import { type BatchColumn, type BatchRow, type BatchRows, columnOf, neededColumns } from "../../domain/batch-plan.ts";
import { lookAlikeOf } from "../../domain/reference.ts";
import { type CliError, usageError } from "../../kernel/errors.ts";
import { httpUrlProblem, kenyanPhone, parseAmount, parseReference, payoutAmountProblem, referenceProblem, toBody } from "../payment-body.ts";
import { createPacked } from "./packed.ts";

export type SourceRow = { readonly line: number; readonly cells: readonly string[] };
export type CheckedFile = { readonly headings: readonly string[]; readonly rows: BatchRows };

const faultsShown = 50;
const commandIds = ["SalaryPayment", "BusinessPayment", "PromotionPayment"];

type Columns = Readonly<Partial<Record<BatchColumn, number>>>;

/**
 * Checks the whole file before anything is sent. Throws CliError usage naming every fault with its line and column, all at
 * once: one bad row refuses the file (cli.md, Money safety).
 */
export const checkFile = async (source: AsyncIterable<SourceRow> | Iterable<SourceRow>): Promise<CheckedFile> => {
  let headings: readonly string[] | undefined;
  let columns: Columns = {};
  const rows = createKeptRows();
  const faults: string[] = [];
  const twinOf = createTwins(rows.at);
  for await (const { line, cells } of source) {
    if (cells.every((cell) => cell.trim() === "")) continue;
    if (headings === undefined) {
      headings = cells;
      columns = columnsOf(cells);
      continue;
    }
    const phone = kenyanPhone(cellOf(cells, columns, "phone"));
    const problems = problemsOf(cells, columns, headings.length, phone);
    for (const problem of problems) faults.push(`line ${line}: ${problem}`);
    if (problems.length > 0 || "problem" in phone) continue;
    const row = toRow({ row: rows.length() + 1, line, phone: phone.phone, cells }, columns);
    rows.add(row);
    const twin = twinOf(row);
    if (twin !== undefined) faults.push(`line ${line}: the same payee and reference as line ${twin.line}`);
  }
  if (faults.length > 0) throw faultsError(faults);
  const checked = rows.end();
  if (headings === undefined || checked === undefined)
    throw usageError("The file has no rows to pay.", `It needs a header line with ${neededColumns.join(", ")} and one line a payout.`);
  return { headings, rows: checked };
};

/** The checked rows, packed: each is made anew when its turn comes. */
const createKeptRows = () => {
  const packed = createPacked();
  let length = 0;
  let totalMinor = 0n;
  let largest: BatchRow | undefined;
  const bodies = createHash("sha256");
  const at = (row: number): BatchRow => {
    // Written by `add` alone.
    const [line, phone, reference, amount, minor, body, cells] = JSON.parse(packed.get(row) ?? "[]") as Kept;
    return { row, line, phone, reference, amount, amountMinor: BigInt(minor), body, cells };
  };
  return {
    at,
    length: () => length,
    add: (added: BatchRow): void => {
      const { row, line, phone, reference, amount, amountMinor, body, cells } = added;
      packed.set(row, JSON.stringify([line, phone, reference, amount, String(amountMinor), body, cells] satisfies Kept));
      length = row;
      totalMinor += amountMinor;
      if (largest === undefined || amountMinor > largest.amountMinor) largest = added;
      bodies.update(body).update("\n");
    },
    /** Undefined where there are none. */
    end: (): BatchRows | undefined => {
      if (largest === undefined) return undefined;
      return {
        length,
        totalMinor,
        largest,
        digest: bodies.digest("hex"),
        at,
        *[Symbol.iterator]() {
          for (let row = 1; row <= length; row++) yield at(row);
        },
      };
    },
  };
};
type Kept = readonly [line: number, phone: string, reference: string, amount: string, minor: string, body: string, cells: readonly string[]];

/** Finds the earlier row of the same payee and reference. Only hashes are held; where they meet, the rows themselves decide. */
const createTwins = (rowAt: (row: number) => BatchRow): ((row: BatchRow) => BatchRow | undefined) => {
  const rowByHash = new Map<number, number>();
  return (row) => {
    const key = keyOf(row);
    for (let hash = hashOf(key); ; hash++) {
      const before = rowByHash.get(hash);
      if (before === undefined) {
        rowByHash.set(hash, row.row);
        return undefined;
      }
      const other = rowAt(before);
      if (keyOf(other) === key) return other;
    }
  };
};
const keyOf = ({ phone, reference }: BatchRow): string => `${phone}\n${lookAlikeOf(reference)}`;

/** FNV-1a, cut to what V8 keeps as a small integer. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) & 0x3fffffff;
};

const columnsOf = (headings: readonly string[]): Columns => {
  const columns: Partial<Record<BatchColumn, number>> = {};
  for (const [index, heading] of headings.entries()) {
    const column = columnOf(heading);
    if (column === undefined) continue;
    if (columns[column] !== undefined) throw usageError(`The column ${heading.trim()} is in the file twice: which one counts is not clear.`);
    columns[column] = index;
  }
  const missing = neededColumns.filter((column) => columns[column] === undefined);
  if (missing.length > 0) {
    const there = headings.map((heading) => heading.trim()).join(", ");
    throw usageError(
      `The file lacks the column${missing.length === 1 ? "" : "s"} ${missing.join(", ")}.`,
      `It has: ${there.slice(0, 200)}. Columns are named like b2c's flags: phone, amount, reference, remarks, command-id.`,
    );
  }
  return columns;
};

const cellOf = (cells: readonly string[], columns: Columns, column: BatchColumn): string => {
  const index = columns[column];
  return index === undefined ? "" : (cells[index] ?? "").trim();
};

const problemsOf = (cells: readonly string[], columns: Columns, width: number, phone: ReturnType<typeof kenyanPhone>): string[] => {
  const cell = (column: BatchColumn): string => cellOf(cells, columns, column);
  const url = cell("callbackUrl");
  const commandId = cell("commandId");
  const extra = cells.slice(width).some((text) => text.trim() !== "");
  const found: readonly (string | undefined)[] = [
    extra ? `has ${cells.length} cells where the header has ${width}: is a separator inside an unquoted cell?` : undefined,
    named("phone", cell("phone") === "" ? "is empty" : "problem" in phone ? phone.problem : undefined),
    named("amount", cell("amount") === "" ? "is empty" : payoutAmountProblem(cell("amount"))),
    named("reference", cell("reference") === "" ? "is empty" : referenceProblem(cell("reference"))),
    named(
      "remarks",
      cell("remarks") !== "" && cell("description") !== "" && cell("remarks") !== cell("description")
        ? "and description differ: they are the same field"
        : undefined,
    ),
    named("command-id", commandId !== "" && !commandIds.includes(commandId) ? `is one of ${commandIds.join(", ")}` : undefined),
    named("callback-url", url === "" ? undefined : httpUrlProblem(url, "callback-url")),
  ];
  return found.filter((problem) => problem !== undefined);
};

const named = (column: string, problem: string | undefined): string | undefined => (problem === undefined ? undefined : `${column}: ${problem}`);

const toRow = ({ row, line, phone, cells }: Pick<BatchRow, "row" | "line" | "phone" | "cells">, columns: Columns): BatchRow => {
  const cell = (column: BatchColumn): string => cellOf(cells, columns, column);
  const amount = parseAmount(cell("amount"), "KES");
  const reference = parseReference(cell("reference"));
  const body = toBody({
    phone,
    amount,
    reference,
    // One field under two names: what is given goes by its own name (service 4, POST b2c).
    remarks: cell("remarks"),
    description: cell("remarks") === "" ? cell("description") : "",
    commandId: cell("commandId"),
    callbackUrl: cell("callbackUrl"),
  });
  return { row, line, phone, reference, amount: amount.text, amountMinor: amount.minor, body, cells };
};

const faultsError = (faults: readonly string[]): CliError => {
  const shown = faults.slice(0, faultsShown);
  const more = faults.length > shown.length ? [`and ${faults.length - shown.length} more`] : [];
  return usageError(
    `The file has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}, so nothing was sent: ${[...shown, ...more].join("; ")}`,
    "Mend the rows named and run it again.",
  );
};

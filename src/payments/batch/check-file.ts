import { CliError, usageError } from "../../errors.ts";
import { type CellMark, columnLetters, type TableRow } from "../../tables/cell.ts";
import type { Table } from "../../tables/read-table.ts";
import { flagOf } from "../command-of.ts";
import { creationFields, type Given, type Problem, readLocal } from "../creation.ts";
import { lookAlikeOf } from "../reference.ts";
import { type BatchColumn, type BatchRow, columnOf, neededColumns } from "./batch-plan.ts";

export type CheckedFile = { readonly headings: readonly string[]; readonly rows: readonly BatchRow[] };
type Source = Pick<Table, "kind" | "scan"> & { readonly hiddenColumns?: ReadonlySet<number>; readonly mixed?: true };

const faultsShown = 50;
/** Kinds of files that are read to reconcile, and whose cells do not say all that a payment needs to be sure. */
const notPaidFrom: Readonly<Partial<Record<Table["kind"], string>>> = {
  html: "a web page",
  xls: "an old workbook (.xls)",
  mt940: "a bank statement",
  ods: "an OpenDocument workbook (.ods)",
};

type Columns = Readonly<Partial<Record<BatchColumn, number>>>;

/**
 * Checks the whole file before anything is sent. Throws CliError usage naming every fault with its line and column, all at
 * once: one bad row refuses the file (rules.md, Money safety).
 */
export const checkFile = async (source: Source, includeHidden = false): Promise<CheckedFile> => {
  let headings: readonly string[] | undefined;
  let columns: Columns = {};
  if (source.mixed === true) throw usageError("The file mixes UTF-8 with another encoding, so some characters may be wrong.", "Save it again as UTF-8.");
  const isSheet = source.kind === "xlsx";
  const rows: BatchRow[] = [];
  const lineByPayment = new Map<string, number>();
  const faults = createFaults();
  const hidden: number[] = [];
  await source.scan((read) => {
    if (isBlank(read, columns)) return;
    const { line } = read;
    if (read.hidden === true && !includeHidden) {
      if (headings === undefined) throw hiddenError([line]);
      hidden.push(line);
      return;
    }
    if (headings === undefined) {
      columns = columnsOf(read, includeHidden ? undefined : source.hiddenColumns);
      const kind = notPaidFrom[source.kind];
      if (kind !== undefined)
        throw usageError(`The file is ${kind}. Payments are not sent from such files.`, "Open it in a spreadsheet program and save it as .xlsx or CSV.");
      headings = read.cells;
      return;
    }
    const cells = shownCells(read);
    const payout = readLocal("b2c", givenIn(cells, columns));
    const place = `${isSheet ? "row" : "line"} ${line}`;
    const problems = problemsOf({ ...read, cells }, { columns, headings, kind: source.kind }, "problems" in payout ? payout.problems : []);
    for (const problem of problems) faults.add(`${place}: ${problem}`);
    if (problems.length > 0 || "problems" in payout) return;
    const { question: _question, note: _note, to: _to, ...draft } = payout.creation;
    rows.push({ ...draft, row: rows.length + 1, line, cells });
    const payment = `${draft.payee}\n${lookAlikeOf(draft.reference)}`;
    const earlier = lineByPayment.get(payment);
    if (earlier !== undefined) faults.add(`${place}: the same payee and reference as ${isSheet ? "row" : "line"} ${earlier}`);
    else lineByPayment.set(payment, line);
  });
  if (hidden.length > 0) throw hiddenError(hidden);
  faults.end();
  if (headings === undefined || rows.length === 0)
    throw usageError("The file has no rows to pay.", `It needs a header line with ${neededColumns.join(", ")}, and one line for each payout.`);
  return { headings, rows };
};

/** Nothing is seen in the row, and nothing in a column that counts may appear when formulas are worked out. */
const isBlank = ({ cells, marks = [] }: TableRow, columns: Columns): boolean =>
  cells.every((cell) => cell.trim() === "") && !Object.values(columns).some((column) => marks[column] !== undefined);

const shownCells = ({ cells, marks }: TableRow): readonly string[] => (marks === undefined ? cells : cells.map((cell, column) => marks[column]?.shown ?? cell));

const hiddenError = (lines: readonly number[]): CliError => {
  const shown = lines.slice(0, faultsShown);
  const last = lines.length > shown.length ? `${lines.length - shown.length} more` : shown.length > 1 ? shown.pop() : undefined;
  const [named, them] = last === undefined ? [`Row ${shown.join()} is`, "it"] : [`Rows ${shown.join(", ")} and ${last} are`, "them"];
  return usageError(`${named} hidden in the sheet, so nothing was sent: show ${them}, or pay ${them} too with --include-hidden.`);
};

const columnsOf = ({ cells, line, marks = [] }: TableRow, hidden: ReadonlySet<number> | undefined): Columns => {
  const columns: Partial<Record<BatchColumn, number>> = {};
  const seen = new Set<string>();
  for (const [index, heading] of cells.entries()) {
    const column = columnOf(heading);
    const key = column ?? heading.trim().toLowerCase();
    if (seen.has(key)) throw usageError(`The column ${heading.trim()} is in the file twice. Keep only one of them.`);
    if (key !== "") seen.add(key);
    if (column === undefined) continue;
    const name = columnLetters(index);
    const mark = marks[index];
    if (mark !== undefined) throw usageError(`The heading ${column}, in line ${line} (${name}${line}), ${mark.says}.`);
    if (hidden?.has(index) === true)
      throw usageError(`The column ${name} (${column}) is hidden in the sheet, so nothing was sent: show it, or use it with --include-hidden.`);
    columns[column] = index;
  }
  const missing = neededColumns.filter((column) => columns[column] === undefined);
  if (missing.length > 0) throw missingError(missing, cells);
  return columns;
};

const missingError = (missing: readonly BatchColumn[], headings: readonly string[]): CliError => {
  const there = headings.map((heading) => heading.trim()).join(", ");
  const quoted = headings.length === 1 && there.split(/[,;|\t]/).some((part) => columnOf(part) !== undefined);
  return usageError(
    `The file lacks the column${missing.length === 1 ? "" : "s"} ${missing.join(", ")}.`,
    quoted
      ? "Each line is in quotes, so it counts as one cell. Save the file without these quotes."
      : `It has: ${there.slice(0, 200)}. Columns are named like b2c's flags: phone, amount, reference, remarks, command-id.`,
  );
};

const cellOf = (cells: readonly string[], columns: Columns, column: BatchColumn): string => {
  const index = columns[column];
  return index === undefined ? "" : (cells[index] ?? "").trim();
};

const givenIn = (cells: readonly string[], columns: Columns): Given =>
  Object.fromEntries(creationFields.b2c.map((field) => [field, cellOf(cells, columns, field)]));

/** A problem is a sentence of its own, or the end of one. */
const sayOf = (label: string, problem: string): string => (/^[A-Z"]/.test(problem) ? `${label}: ${problem}` : `${label} ${problem}`);

type Plan = { readonly columns: Columns; readonly headings: readonly string[]; readonly kind: Table["kind"] };

const problemsOf = ({ cells, line, marks = [] }: TableRow, { columns, headings, kind }: Plan, problems: readonly Problem[]): string[] => {
  const isSheet = kind === "xlsx";
  const label = (name: string, index: number): string => (isSheet ? `${name} (${columnLetters(index)}${line})` : name);
  const width = headings.findLastIndex((heading) => heading.trim() !== "") + 1;
  const extra = cells.findIndex((text, index) => index >= width && text.trim() !== "");
  const quoted = marks.flatMap((mark, index) => {
    if (mark?.kind !== "quote" && mark?.kind !== "rows") return [];
    return [sayOf(label(headings[index]?.trim() ?? "a cell", index), formulaTextProblem((cells[index] ?? "").trim()) ?? mark.says)];
  });
  if (quoted.length > 0) return quoted;
  const swallowed = kind === "csv" || kind === "tsv" ? cells.findIndex(isLikePayouts) : -1;
  if (swallowed >= 0)
    return [`${label(headings[swallowed]?.trim() ?? "a cell", swallowed)} contains lines that look like payouts: is a quote missing, or one too many?`];
  const ofFields = creationFields.b2c.flatMap((field) => {
    const index = columns[field];
    if (index === undefined) return [];
    const text = cellOf(cells, columns, field);
    const own = problems.find((problem) => problem.field === field)?.says;
    const says = cellProblem(field, text, marks[index]) ?? (text === "" && own !== undefined ? "is empty" : own);
    return says === undefined ? [] : [sayOf(label(flagOf(field), index), says)];
  });
  if (extra < 0) return ofFields;
  const cell = isSheet ? ` (${columnLetters(extra)}${line})` : "";
  return [`has a cell${cell} beyond the ${width} of the header: is a separator inside an unquoted cell?`, ...ofFields];
};

/** Several lines with a phone number among separators: a payout without all its cells may be in there. */
const isLikePayouts = (text: string): boolean => /[\r\n]/.test(text) && /[,;|\t]/.test(text) && /\d(?:[ -]?\d){8}/.test(text);

/** Only the first are kept: a hostile file has as many as it has lines. */
const createFaults = () => {
  const shown: string[] = [];
  let count = 0;
  return {
    add: (fault: string): void => {
      count += 1;
      if (shown.length < faultsShown) shown.push(fault);
    },
    /** Throws CliError usage if there were any. */
    end: (): void => {
      if (count === 0) return;
      const lines = [...shown, ...(count > shown.length ? [`and ${count - shown.length} more`] : [])];
      throw new CliError("usage", `Nothing was sent: the file has ${count === 1 ? "a mistake" : `${count} mistakes`}: ${lines.join("; ")}`, {
        hint: "Fix these rows and run it again.",
        lines,
      });
    },
  };
};

const spreadsheetError = /^#(?:N\/A|REF!|VALUE!|NAME\?|NUM!|NULL!|DIV\/0!|SPILL!|CALC!|FIELD!|GETTING_DATA|#+)$/i;
/** As a spreadsheet writes a long number that it takes for one: `2.54712E+11`. */
const scientific = /^\d(?:\.\d+)?E\+\d+$/i;
/** What is left of `254712345678` where only `2.54712E+11` was kept, as a spreadsheet shows it. */
const cutShort = /^\d{6}0{6}$/;
const decimals = /^\d{7,}\.\d{1,2}$/;
const lost = "\ufffd";

/**
 * Why what a cell holds is not surely what its sheet shows, as the end of a sentence; undefined if nothing speaks against it
 * (rules.md, Batch files). `text` has no spaces around it. Whether it is a phone number or an amount is judged elsewhere.
 */
const cellProblem = (column: BatchColumn, text: string, mark: CellMark | undefined): string | undefined => {
  if (mark !== undefined && mark.kind !== "number") return mark.says;
  const formula = formulaTextProblem(text);
  if (formula !== undefined) return formula;
  if (column === "amount") return undefined;
  if (column === "phone") return phoneProblem(text, mark);
  if (spreadsheetError.test(text)) return "is an error of the spreadsheet";
  if (text.includes(lost)) return "holds a character that was lost when the file was saved: save it again as UTF-8";
  return column === "reference" ? referenceProblem(text, mark) : undefined;
};

/** `="00731"` protects the zeros from a spreadsheet; the reference is not this text. */
const formulaTextProblem = (text: string): string | undefined => (text.startsWith("=") ? "is the text of a formula: put the value in its place" : undefined);

const phoneProblem = (text: string, mark: CellMark | undefined): string | undefined => {
  if (mark !== undefined && cutShort.test(text)) return "is a number that may have lost its last six digits: format the cell as text, and type it again";
  const hasDecimals = mark === undefined ? decimals.test(text) && !/\.0+$/.test(text) : text.includes(".");
  return hasDecimals ? "is a number with decimals" : undefined;
};

const referenceProblem = (text: string, mark: CellMark | undefined): string | undefined => {
  if (mark !== undefined) return "is a number where text is expected, so leading zeros may be lost: format the cell as text, and type it again";
  if (scientific.test(text)) return "is in scientific notation, as a spreadsheet writes a long number: its digits are lost";
  if (text.startsWith("'")) return "begins with an apostrophe, which spreadsheets put before text: leave it out";
  return undefined;
};

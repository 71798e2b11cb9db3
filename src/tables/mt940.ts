import { usageError } from "../errors.ts";
import { type Decimal, toDecimal, toFixedText } from "../money/money.ts";
import type { TableRow } from "./cell.ts";

const headings = ["Date", "Amount", "D/C", "Currency", "Reference", "Bank Reference", "Type", "Narrative", "Balance", "Own Account"];
/** Lines of a narrative are cut at these lengths, in the middle of words; a hyphen at the end of any line goes on in the next. */
const fullLengths: ReadonlySet<number> = new Set([27, 65]);
const rowsMax = 1_048_576;

export const isMt940 = (lead: string): boolean => /^(?:\{1:[A-Z0-9]|:20:)/.test(lead) && /:60[FM]:/.test(lead);

type Field = { readonly tag: string; text: string; readonly line: number };
type Entry = { readonly line: number; readonly cells: string[] };
type Statement = { account: string; opening?: Decimal; sum: Decimal; closed: boolean };

const statementLine = /^(\d{6})(\d{4})?(R?[CD]|E[CD])([A-Z])?(\d{1,12},\d{0,4})([NSF][A-Z0-9]{3})([^\n]*)/;
const balance = /^([CD])(\d{6})([A-Z]{3})(\d{1,15},\d{0,4})$/;

const dateOf = (text: string): string => `20${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4, 6)}`;
const zero: Decimal = { digits: 0n, scale: 0 };
const plus = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  const grown = ({ digits, scale: own }: Decimal): bigint => digits * 10n ** BigInt(scale - own);
  return { digits: grown(a) + grown(b), scale };
};
const minus = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale });
const amountOf = (text: string): Decimal => toDecimal(text.replace(",", ".").replace(/\.$/, "")) ?? zero;
const shown = (amount: Decimal): string => toFixedText(amount, Math.max(amount.scale, 2));

/** The day of booking has no year: around New Year it may be the one before or after that of the value date. */
const bookedOn = (value: string, monthDay: string | undefined): string => {
  if (monthDay === undefined) return dateOf(value);
  const months = Number(monthDay.slice(0, 2)) - Number(value.slice(2, 4));
  const year = Number(value.slice(0, 2)) + (months > 6 ? -1 : months < -6 ? 1 : 0);
  return dateOf(`${String(year).padStart(2, "0")}${monthDay}`);
};

/** The lines of a narrative as one; codes of its parts (`?20`) are left out. */
const narrativeOf = (text: string): string => {
  let whole = "";
  let last = 0;
  for (const part of text.split(/\n|\?\d\d/)) {
    whole += whole === "" || fullLengths.has(last) || whole.endsWith("-") ? part : ` ${part}`;
    last = part.length;
  }
  return whole.replace(/\s+/g, " ").trim();
};

/**
 * Reads bank statements in SWIFT's form MT940 as rows with headings (line 0): one for each movement, and one for each opening and
 * closing balance, whose amount is under Balance alone. Amounts have a point, days are `2026-03-14`; a reversal of a credit is D.
 * Throws CliError usage for a statement that is cut off. `notes` gets what its figures contradict.
 *
 * Our own: the packages for it turn amounts into floating numbers.
 */
export const readMt940 = (text: string, name: string): { readonly rows: readonly TableRow[]; readonly notes: readonly string[] } => {
  const rows: Entry[] = [];
  const notes: string[] = [];
  let statement: Statement = { account: "", sum: zero, closed: true };
  const broken = (line: number, why: string): Error =>
    usageError(`Line ${line} of ${name}, an MT940 statement, ${why}.`, "Export the statement again, or as CSV");
  const addBalance = ({ text: content, line }: Field, label: string): Decimal => {
    const [, sign, day = "", currency = "", amount = ""] = balance.exec(content.trim()) ?? [];
    if (sign === undefined) throw broken(line, "has a balance that cannot be read");
    const value = sign === "D" ? minus(amountOf(amount)) : amountOf(amount);
    rows.push({ line, cells: [dateOf(day), "", "", currency, "", "", "", label, shown(value), statement.account] });
    return value;
  };
  const addEntry = ({ text: content, line }: Field): void => {
    const [, value = "", booked, way = "", , amount = "", type = "", rest = ""] = statementLine.exec(content) ?? [];
    if (value === "" || statement.closed) throw broken(line, "has a movement that cannot be read");
    const isCredit = way === "C" || way === "RD" || way === "EC";
    const [own = "", bank = ""] = rest.split("//");
    const further = content.includes("\n") ? narrativeOf(content.slice(content.indexOf("\n") + 1)) : "";
    const sum = amountOf(amount);
    statement.sum = plus(statement.sum, isCredit ? sum : minus(sum));
    const currency = rows.at(-1)?.cells[3] ?? "";
    const reference = own.trim() === "NONREF" ? "" : own.trim();
    if (rows.length >= rowsMax) throw broken(line, `is beyond the ${rowsMax} rows that are read`);
    rows.push({
      line,
      cells: [
        bookedOn(value, booked),
        shown(sum),
        isCredit ? "C" : "D",
        currency,
        reference,
        bank.trim(),
        way.startsWith("R") ? `${type} reversal` : type,
        further,
        "",
        statement.account,
      ],
    });
  };
  const close = (field: Field): void => {
    const closing = addBalance(field, "Closing Balance");
    const { opening, sum, account } = statement;
    statement.closed = true;
    if (opening === undefined) return;
    const found = plus(opening, sum);
    if (shown(found) !== shown(closing))
      notes.push(`gives ${shown(closing)} as the closing balance of ${account}, and its rows give ${shown(found)}: rows are missing or changed`);
  };
  const readers: Readonly<Record<string, (field: Field) => void>> = {
    25: ({ text: content }) => {
      statement = { account: content.trim(), sum: zero, closed: true };
    },
    60: (field) => {
      statement = { account: statement.account, sum: zero, closed: false };
      statement.opening = addBalance(field, "Opening Balance");
    },
    61: addEntry,
    86: ({ text: content }) => {
      const last = rows.at(-1)?.cells;
      if (last === undefined || last[1] === "") return;
      const [before = "", text] = [last[7], narrativeOf(content)];
      last[7] = text.includes(before) ? text : `${before} ${text}`.trim();
    },
    62: close,
  };
  for (const field of fieldsOf(text)) readers[field.tag]?.(field);
  if (!statement.closed) throw broken(text.split("\n").length, "is cut off: it has no closing balance");
  return { rows: [{ line: 0, cells: headings }, ...rows], notes };
};

/** A field begins at `:61:` at the start of a line, and goes on until the next one, or the end of its message. */
const fieldsOf = (text: string): readonly Field[] => {
  const fields: Field[] = [];
  let field: Field | undefined;
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const [, tag, , rest = ""] = /(?:^|\{4:)\s*:(\d\d)([A-Z])?:(.*)$/s.exec(raw) ?? [];
    if (tag !== undefined) {
      field = { tag, text: rest, line: index + 1 };
      fields.push(field);
    } else if (/^-\}?\s*$|^\{\d:/.test(raw)) field = undefined;
    else if (field !== undefined) field.text += `\n${raw}`;
  }
  return fields;
};

import { usageError } from "../errors.ts";
import type { DecimalMark } from "./amounts.ts";
import type { DayOrder } from "./dates.ts";
import type { LayoutData } from "./layout-schema.ts";

/** What a column can mean. `reference=Order` of `--columns` names one of these. */
export const fieldNames = [
  "reference",
  "amount",
  "status",
  "date",
  "time",
  "zone",
  "id",
  "currency",
  "receipt",
  "paid-in",
  "withdrawn",
  "direction",
  "balance",
  "details",
  "type",
  "linked",
  "phone",
] as const;
export type FieldName = (typeof fieldNames)[number];
/** Positions from 0. */
export type Columns = Readonly<Partial<Record<FieldName, number>>>;

export type FileKind = "orders" | "statement";

/** What the user says of a file's columns. A heading, or a column's number from 1. */
export type ToldColumns = {
  readonly told: ReadonlyMap<FieldName, string>;
  readonly decimal?: DecimalMark | undefined;
  readonly dayOrder?: DayOrder | undefined;
  readonly currency?: string | undefined;
  /** What words of the status column mean. */
  readonly status?: LayoutData["status"];
};

/** Letters and digits alone, in lower case: `A/C No.` is `acno`. */
export const plainHeading = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** A heading that no other column has. */
export const isUnique = (headings: readonly string[], column: number): boolean => {
  const plain = plainHeading(headings[column] ?? "");
  return plain !== "" && headings.filter((other) => plainHeading(other) === plain).length === 1;
};

const isFieldName = (name: string): name is FieldName => (fieldNames as readonly string[]).includes(name);
/** A statement's reference is its account column. */
const otherNames: Readonly<Record<string, FieldName>> = { account: "reference", "money-in": "paid-in", "money-out": "withdrawn", narrative: "details" };

/** `reference=Order,amount=Total,decimal=comma`. `flag` is what messages call it. Throws CliError usage. */
export const parseColumns = (texts: readonly string[], flag = "--columns"): ToldColumns => {
  const found: { -readonly [name in keyof ToldColumns]: ToldColumns[name] } & { readonly told: Map<FieldName, string> } = { told: new Map() };
  for (const part of texts.flatMap((text) => text.split(",")).filter((text) => text.trim() !== "")) {
    const [, name = "", value = ""] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    const typed = name.toLowerCase().replaceAll("_", "-");
    const field = otherNames[typed] ?? typed;
    if (value === "") throw usageError(`${flag}: "${part.trim()}" is not in the form field=heading.`, `For example: ${flag} reference=Order,amount=Total`);
    if (field === "decimal" && (value === "point" || value === "comma")) found.decimal = value === "point" ? "." : ",";
    else if (field === "dates" && (value === "dmy" || value === "mdy")) found.dayOrder = value;
    else if (field === "currency" && /^[A-Z]{3}$/.test(value)) found.currency = value;
    else if (field === "paid" || field === "open" || field === "unpaid") found.status = { ...found.status, [field]: [...(found.status?.[field] ?? []), value] };
    else if (isFieldName(field)) found.told.set(field, value);
    else
      throw usageError(
        `${flag} does not know "${part.trim()}".`,
        `The fields are ${fieldNames.join(", ")}; also dates=dmy|mdy, decimal=point|comma, currency=KES, and paid=, open= and unpaid= for words of the status`,
      );
  }
  return found;
};

/** The position of the column that `wanted` names, by its heading or its number from 1; "twice" if several have that heading. */
export const findColumn = (headings: readonly string[], wanted: string): number | "twice" | undefined => {
  const text = wanted.trim();
  const exact = positionsOf(headings, (heading) => heading.trim() === text);
  const found = exact.length > 0 ? exact : positionsOf(headings, (heading) => plainHeading(heading) !== "" && plainHeading(heading) === plainHeading(text));
  if (found.length > 1) return "twice";
  if (found[0] !== undefined) return found[0];
  const number = /^#?(\d{1,4})$/.exec(text)?.[1];
  return number === undefined || Number(number) < 1 ? undefined : Number(number) - 1;
};

const positionsOf = (headings: readonly string[], fits: (heading: string) => boolean): readonly number[] =>
  headings.flatMap((heading, index) => (fits(heading) ? [index] : []));

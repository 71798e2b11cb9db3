import type { DecimalMark } from "./amounts.ts";
import type { Bills } from "./bills.ts";
import type { Columns, FieldName, FileKind } from "./columns.ts";
import type { DayOrder } from "./dates.ts";
import type { Header } from "./header.ts";
import type { LayoutData } from "./layout-schema.ts";
import type { NameIn } from "./narrative.ts";
import type { RowPatterns } from "./words.ts";
import type { Wrapped } from "./wrapped.ts";

/** How a column came to its meaning, the surest first. */
export type Source = "told" | "layout" | "balance" | "other side" | "heading" | "form";

/** Several rows of one order: all of them add up to it, or one has what the others add up to, or says (`isSaid`) that it is the total. */
export type OrderLines = { readonly at: "all" | "first" | "last"; readonly isSaid: boolean };

/** How one file is read: decided once for the whole file. */
export type Layout = Header & {
  readonly kind: FileKind;
  /** The name of the built-in or kept layout. */
  readonly name: string | undefined;
  readonly columns: Columns;
  readonly sources: ReadonlyMap<FieldName, Source>;
  readonly decimal: DecimalMark;
  readonly dayOrder: DayOrder;
  /** These two as a layout has them, where they are no assumption. */
  readonly proved: Pick<LayoutData, "dates" | "decimal">;
  /** A row without a date is of the day above it. */
  readonly dayOnce: boolean;
  /** Money out is negative in its column, too. */
  readonly outNegative: boolean;
  /** False if no cell of the date column is a date: then it is not used. */
  readonly dated: boolean;
  /** What amounts without a sign and a word are. */
  readonly unsigned: "in" | "out" | "unknown";
  /** Columns with the amounts of rows in another currency, where the column of amounts is empty. */
  readonly foreign: ReadonlyMap<number, string>;
  /** The column of amounts is in cents. */
  readonly hundredths: boolean;
  /** The column of cents beside that of whole amounts, as in a cash book. */
  readonly cents?: number | undefined;
  /** By line, what the balance says of an unsigned amount. */
  readonly ways: ReadonlyMap<number, "in" | "out">;
  /** How the running balance goes: 1 from the first row down, -1 from the last row up. */
  readonly balanceOrder?: 1 | -1 | undefined;
  /** A second narrative: it says what a row is where the first has no text. */
  readonly besideDetails?: number | undefined;
  /** Patterns that find the reference and the receipt in the narrative. */
  readonly referenceIn: readonly RegExp[];
  readonly receiptIn: readonly RegExp[];
  /** What the other side knows of the narratives. */
  readonly nameIn?: NameIn | undefined;
  readonly rows: RowPatterns;
  readonly status: LayoutData["status"];
  readonly directions: LayoutData["directions"];
  /** Rows of one order that differ in their items alone are that order. */
  readonly items: boolean;
  readonly lines?: OrderLines | undefined;
  readonly bills?: Bills | undefined;
  /** Texts go on in lines of their own. */
  readonly wrapped?: Wrapped | undefined;
  readonly currency: string | undefined;
  readonly zone: string | undefined;
  /** Sentences about what proved what, and what was assumed. */
  readonly notes: readonly string[];
};

/** A layout whose decimal mark and order of days the whole file has to decide. */
export type Resolved = Omit<Layout, "decimal" | "dayOrder" | "dated" | "proved"> & {
  /** What the other side proves of them. */
  readonly decimal?: DecimalMark | undefined;
  readonly dayOrder?: DayOrder | undefined;
  /** The column of charges that move the balance along with the amount. */
  readonly charge?: number | undefined;
  /** The order of rows in which a balance that only some of them have says which way the money went. */
  readonly waysOrder?: 1 | -1 | undefined;
};

/** A field that nothing proves. */
export type OpenField = {
  readonly field: FieldName;
  /** Columns that it could be, the likeliest first. */
  readonly candidates: readonly number[];
};

/** Why a file is not read, with the best proposal there is. */
export type Refusal = {
  readonly problem: string;
  readonly hint: string;
  readonly kind: FileKind;
  /** What `--columns` would say, complete: field to heading or number, decimal, dates. Empty if nothing can be proposed. */
  readonly proposal: readonly string[];
  readonly open: readonly OpenField[];
  readonly headings: readonly string[];
};
export const isRefusal = (value: object): value is Refusal => "problem" in value;

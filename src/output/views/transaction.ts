import type { CliError } from "../../errors.ts";
import { fieldOf, type Json, stringifyExact, textOf } from "../../json/exact-json.ts";
import type { Block, Cell, Column, Outcome, Style, View } from "../../outcome.ts";
import { findReceipt } from "../../transactions/fields.ts";
import { phoneIn } from "../../transactions/mirror-tokens.ts";
import { classifyStatus, type Direction } from "../../transactions/status.ts";
import { flatten } from "../fields.ts";
import { absent, money, timeCell, zonedTime } from "../format.ts";
import { statusCell, statusWithMeaning } from "./status.ts";

/** A value of a field nobody described, for a card. */
const plainText = (value: Json, style: Style): string => {
  if (value === null) return absent;
  return typeof value === "string" ? zonedTime(value, style) : (textOf(value) ?? (typeof value === "boolean" ? String(value) : stringifyExact(value)));
};

/** Fields that are called otherwise than their name says. */
const headings: Readonly<Record<string, string>> = { createdAt: "Created", updatedAt: "Updated", completedAt: "Completed" };

/** The name of a field in words: `failureReason` is "Failure reason", `metadata.payer_id` "Payer id". */
export const fieldWords = (name: string): string => {
  const known = Object.hasOwn(headings, name) ? headings[name] : undefined;
  if (known !== undefined) return known;
  const words = name
    .replace(/([a-z\d])(?=[A-Z][a-z])/g, "$1 ")
    .replace(/([a-z])(?=[A-Z])/g, "$1 ")
    .split(/[\s._-]+/)
    .filter((word) => word !== "")
    .map((word) => (/^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(" ");
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
};

/** The fields that have no line of their own, in their order: nothing that the service says is hidden. */
export const otherPairs = (row: Json, known: readonly string[], style: Style): readonly (readonly [string, string])[] =>
  [...flatten(row)].filter(([name]) => !known.includes(name)).map(([name, value]) => [fieldWords(withoutMetadata(name)), plainText(value, style)] as const);

const withoutMetadata = (name: string): string => name.replace(/^metadata\.(?=.)/, "");

const shown: readonly string[] = ["id", "reference", "amount", "currency", "status", "provider", "providerRef"];

const receiptCell = (transaction: Json, direction: Direction): Cell => {
  const receipt = findReceipt(transaction);
  if (receipt !== undefined) return { text: receipt.text, tone: "strong" };
  const paid = classifyStatus(textOf(fieldOf(transaction, "status")) ?? "", direction) === "paid";
  return paid ? { text: "none given, though it is paid", tone: "waiting" } : { text: absent, tone: "quiet" };
};

/**
 * What a transaction does not say itself. `currency` is what amounts are in where it says none (service 2.1: KES); `stands` an
 * earlier status that its own contradicts.
 */
type Known = { readonly direction: Direction; readonly currency: string; readonly stands?: string | undefined };

/** One transaction as a card, every field of it. */
export const transactionCard = (transaction: Json, { direction, currency, stands }: Known, style: Style): Block => ({
  kind: "card",
  pairs: [
    ["Transaction", textOf(fieldOf(transaction, "id")) ?? absent],
    ["Reference", textOf(fieldOf(transaction, "reference")) ?? absent],
    ["Amount", { text: money(fieldOf(transaction, "amount"), textOf(fieldOf(transaction, "currency")) ?? currency), tone: "strong" }],
    // Not "ended unpaid" beside a conflict that says it is paid.
    ["Status", stands === undefined ? statusWithMeaning(fieldOf(transaction, "status"), direction) : textOf(fieldOf(transaction, "status"))],
    ["Conflict", stands === undefined ? undefined : { text: `it was ${stands} before, which this does not undo`, tone: "bad" }],
    ["Receipt", receiptCell(transaction, direction)],
    ["Provider", textOf(fieldOf(transaction, "provider")) || undefined],
    ["Provider reference", textOf(fieldOf(transaction, "providerRef")) || undefined],
    ...otherPairs(transaction, [...shown, `metadata.${findReceipt(transaction)?.name ?? ""}`], style),
  ],
});

export const transactionView = (direction: Direction, currency: string, stands?: string): View => ({
  kind: "blocks",
  blocks: (rows, style) => rows.map((row) => transactionCard(row, { direction, currency, stands }, style)),
});

/** What is known of transactions beyond the rows at hand, by id. */
export type KnownTransactions = ReadonlyMap<string, { readonly transaction: Json; readonly direction: Direction; readonly firstSeenAt?: string | undefined }>;
/** `stands` is an earlier status of the transaction of each id that its own contradicts. */
type Listing = {
  readonly direction: Direction;
  readonly rows?: readonly Json[];
  readonly known?: KnownTransactions | undefined;
  readonly stands?: ReadonlyMap<string, string> | undefined;
};

const directionWords = { in: "in", out: "out", unknown: absent } as const satisfies Record<Direction, string>;
const timeFields: readonly string[] = ["createdAt", "completedAt"];
const timeIn = (row: Json): Json | undefined =>
  timeFields.map((name) => fieldOf(row, name) ?? fieldOf(fieldOf(row, "metadata"), name)).find((value) => value !== undefined);

/**
 * Columns of a list of transactions. The service's list shows id, reference, amount and status (service 2.1); direction, phone, time and
 * receipt get a column if they are known of one of the rows.
 */
export const transactionColumns = ({ direction, rows = [], known = new Map(), stands = new Map() }: Listing): readonly Column[] => {
  const status = (row: Json): Cell => {
    const cell = statusCell(fieldOf(row, "status"), directionIn(row));
    const [before, later] = [stands.get(idOf(row)), textOf(fieldOf(row, "status_conflict"))];
    if (before !== undefined) return { text: `${cell.text} (was ${before})`, tone: "bad" };
    return later === undefined ? cell : { text: `${cell.text} (later ${later})`, tone: "bad" };
  };
  const idOf = (row: Json): string => textOf(fieldOf(row, "id")) ?? absent;
  const find = <T>(row: Json, read: (transaction: Json) => T | undefined): T | undefined => read(row) ?? read(known.get(idOf(row))?.transaction ?? null);
  const directionIn = (row: Json): Direction => (direction === "unknown" ? (known.get(idOf(row))?.direction ?? "unknown") : direction);
  /** A transaction without a time of its own was there when it was first seen. */
  const timeOf = (row: Json, style: Style): string => {
    const [at, seenAt] = [find(row, timeIn), known.get(idOf(row))?.firstSeenAt];
    return at === undefined && seenAt !== undefined ? `by ${timeCell(seenAt, style)}` : timeCell(at, style);
  };
  const hasTime = (row: Json): boolean => (find(row, timeIn) ?? known.get(idOf(row))?.firstSeenAt) !== undefined;
  const hasOwnDirection = (row: Json): boolean => direction === "unknown" && directionIn(row) !== "unknown";
  const optional = (isKnown: (row: Json) => boolean, column: Column): readonly Column[] => (rows.some(isKnown) ? [column] : []);
  return [
    { heading: "ID", whole: true, cell: idOf },
    ...optional(hasTime, { heading: "Time", isTime: true, cell: timeOf, sheds: 2 }),
    ...optional(hasOwnDirection, { heading: "In/out", cell: (row) => directionWords[directionIn(row)], sheds: 1 }),
    { heading: "Reference", cell: (row) => textOf(fieldOf(row, "reference")) ?? absent },
    ...optional((row) => find(row, phoneIn) !== undefined, { heading: "Phone", cell: (row) => find(row, phoneIn) ?? absent, sheds: 3 }),
    { heading: "Amount", align: "right", cell: (row) => money(fieldOf(row, "amount"), textOf(fieldOf(row, "currency")) ?? "KES") },
    { heading: "Status", cell: status },
    ...optional((row) => find(row, findReceipt) !== undefined, { heading: "Receipt", cell: (row) => find(row, findReceipt)?.text ?? absent, sheds: 4 }),
  ];
};

/** Several transactions where one was meant: all are printed, and the exit code says that it was not one (rules.md, Commands). */
export const severalOutcome = (rows: readonly Json[], verdict: CliError, stands?: ReadonlyMap<string, string>): Outcome => ({
  rows,
  document: (shown) => ({ transactions: shown, total: shown.length }),
  view: { kind: "table", columns: transactionColumns({ direction: "unknown", rows, stands }), empty: "" },
  verdict: () => verdict,
});

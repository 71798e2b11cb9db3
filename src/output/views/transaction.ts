import { fieldOf, type Json, stringifyExact, textOf } from "../../json/exact-json.ts";
import type { Block, Cell, Column, Style, View } from "../../outcome.ts";
import { findReceipt } from "../../transactions/receipt.ts";
import { classifyStatus, type Direction } from "../../transactions/status.ts";
import { flatten } from "../fields.ts";
import { absent, localTime, money } from "../format.ts";
import { statusCell, statusWithMeaning } from "./status.ts";

/** A value of a field nobody described, for a card. */
const plainText = (value: Json, style: Style): string => {
  if (value === null) return absent;
  return typeof value === "string" ? localTime(value, style) : (textOf(value) ?? (typeof value === "boolean" ? String(value) : stringifyExact(value)));
};

/** Headings of fields that are often there; a field nobody described keeps the service's own name. */
const headings: Readonly<Record<string, string>> = {
  phone: "Phone",
  message: "Message",
  createdAt: "Created",
  updatedAt: "Updated",
  completedAt: "Completed",
};

/** The fields that have no line of their own, in their order: nothing that the service says is hidden. */
export const otherPairs = (row: Json, known: readonly string[], style: Style): readonly (readonly [string, string])[] =>
  [...flatten(row)].filter(([name]) => !known.includes(name)).map(([name, value]) => [headingOf(withoutMetadata(name)), plainText(value, style)] as const);

const headingOf = (name: string): string => (Object.hasOwn(headings, name) ? (headings[name] ?? name) : name);
const withoutMetadata = (name: string): string => name.replace(/^metadata\.(?=.)/, "");

const shown: readonly string[] = ["id", "reference", "amount", "currency", "status", "provider", "providerRef"];

const receiptCell = (transaction: Json, direction: Direction): Cell => {
  const receipt = findReceipt(transaction);
  if (receipt !== undefined) return { text: receipt.text, tone: "strong" };
  const paid = classifyStatus(textOf(fieldOf(transaction, "status")) ?? "", direction) === "paid";
  return paid ? { text: "none given, though it is paid", tone: "waiting" } : { text: absent, tone: "quiet" };
};

const optional = (heading: string, value: Json | undefined): readonly (readonly [string, string])[] => {
  const text = textOf(value) ?? "";
  return text === "" ? [] : [[heading, text]];
};

/**
 * One transaction as a card, every field of it. `currency` is what amounts are in where it says none (service 2.1: KES);
 * `stands` an earlier status that its own contradicts.
 */
export const transactionCard = (transaction: Json, direction: Direction, currency: string, style: Style, stands?: string): Block => ({
  kind: "card",
  pairs: [
    ["Transaction", textOf(fieldOf(transaction, "id")) ?? absent],
    ["Reference", textOf(fieldOf(transaction, "reference")) ?? absent],
    ["Amount", { text: money(fieldOf(transaction, "amount"), textOf(fieldOf(transaction, "currency")) ?? currency), tone: "strong" }],
    ["Status", statusWithMeaning(fieldOf(transaction, "status"), direction)],
    ...(stands === undefined ? [] : [["Conflict", { text: `it was ${stands} before, which this does not undo`, tone: "bad" }] as const]),
    ["Receipt", receiptCell(transaction, direction)],
    ...optional("Provider", fieldOf(transaction, "provider")),
    ...optional("Provider reference", fieldOf(transaction, "providerRef")),
    ...otherPairs(transaction, [...shown, `metadata.${findReceipt(transaction)?.name ?? ""}`], style),
  ],
});

export const transactionView = (direction: Direction, currency: string, stands?: string): View => ({
  kind: "blocks",
  blocks: (rows, style) => rows.map((row) => transactionCard(row, direction, currency, style, stands)),
});

const timeColumn: Column = { heading: "TIME", cell: (row, style) => localTime(fieldOf(row, "createdAt"), style), sheds: 1 };

/**
 * Columns of a list of transactions; the list shows id, reference, amount and status (service 2.1). A time is not among what is
 * shown: it gets a column where the rows at hand have one.
 */
export const transactionColumns = (direction: Direction, rows: readonly Json[] = []): readonly Column[] => [
  { heading: "ID", cell: (row) => textOf(fieldOf(row, "id")) ?? absent },
  ...(rows.some((row) => typeof fieldOf(row, "createdAt") === "string") ? [timeColumn] : []),
  { heading: "REFERENCE", cell: (row) => textOf(fieldOf(row, "reference")) ?? absent },
  { heading: "AMOUNT", align: "right", cell: (row) => money(fieldOf(row, "amount"), textOf(fieldOf(row, "currency")) ?? "KES") },
  { heading: "STATUS", cell: (row) => statusCell(fieldOf(row, "status"), direction) },
];

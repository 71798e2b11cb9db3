/** Columns that more than one table has. */
import { h } from "./dom.js";
import { amount, entryInWords, money, when } from "./format.js";

export const timeColumn = { head: "Time", kind: "short", cell: (row) => when(row.createdAt) };
export const entryColumn = { head: "Entry", kind: "short", narrow: "title", cell: (row) => h("span", { class: "strong" }, entryInWords(row.type, row.amount)) };
/** Of what was paid in the wallet's own currency there is nothing to say. */
export const settledColumn = { head: "Settled from", kind: "number", cell: (row) => (row.settlement && row.settlement.currency !== "KES" ? money(row.settlement.amount, row.settlement.currency) : "") };
/** What an entry moved, in its wallet's currency. */
export const movedColumn = (currency) => ({ head: `Amount (${currency})`, kind: "number", narrow: "sum", unit: currency, cell: (row) => h("span", { class: row.amount < 0 ? "negative" : "positive" }, amount(row.amount)) });

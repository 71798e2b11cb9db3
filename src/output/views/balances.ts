import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Block, Cell, Column, Pair, Style, View } from "../../outcome.ts";
import { absent, money, timeCell } from "../format.ts";
import { statusCell } from "./status.ts";
import { otherPairs } from "./transaction.ts";
import wallets from "./wallets.json" with { type: "json" };

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const text = (row: Json, name: string): string => textOf(fieldOf(row, name)) ?? absent;

/** An amount that is red below zero (service 1.8: a balance can become negative, and new payments are then blocked). */
const balanceCell = (value: Json | undefined, currency: string): Cell | undefined =>
  value === undefined ? undefined : { text: money(value, currency), tone: textOf(value)?.startsWith("-") === true ? "bad" : "strong" };

const holdColumns = (currency: string): readonly Column[] => [
  { heading: "Since", isTime: true, cell: (row, style) => timeCell(fieldOf(row, "createdAt"), style), sheds: 1 },
  { heading: "Type", cell: (row) => text(row, "holdType") },
  { heading: "Reference", cell: (row) => text(row, "reference") },
  { heading: "Amount", align: "right", cell: (row) => money(fieldOf(row, "amount"), currency) },
  { heading: "Reason", cell: (row) => text(row, "reason"), sheds: 3 },
  { heading: "ID", whole: true, cell: (row) => text(row, "id"), sheds: 2 },
];

/** Debits are negative (service 2.2) and an everyday thing: not red. */
const ledgerColumns = (currency: string): readonly Column[] => [
  { heading: "Time", isTime: true, cell: (row, style) => timeCell(fieldOf(row, "createdAt"), style) },
  { heading: "Type", cell: (row) => text(row, "type") },
  { heading: "Amount", align: "right", cell: (row) => money(fieldOf(row, "amount"), currency) },
  { heading: "Status", cell: (row) => statusCell(fieldOf(row, "status"), "unknown"), sheds: 1 },
  { heading: "Reference", cell: (row) => text(row, "reference") },
  { heading: "Description", cell: (row) => text(row, "description"), sheds: 3 },
];

/** So many the service gives at most (service 2.2). */
const newestEntries = 20;

/** A wallet's balances with what people call them, in the order shown, and its fields that are shown elsewhere. */
type Wallet = { readonly title: string; readonly balances: Readonly<Record<string, string>>; readonly elsewhere: readonly string[] };
/** The wallet's balances; those not in the row are left out (as under --fields), those not known follow. */
const balanceCard = ({ title, balances, elsewhere }: Wallet, wallet: Json, currency: string, style: Style): Block => {
  const pairs = Object.entries(balances).map(([name, heading]): Pair => [heading, balanceCell(fieldOf(wallet, name), currency)]);
  const known = [...Object.keys(balances), ...elsewhere];
  return { kind: "card", title, pairs: [...pairs, ...otherPairs(wallet, known, style)] };
};

/** Local balances, holds and the recent ledger (service 2.2). `body` is the whole answer. */
export const localWalletView = (body: Json): View => ({
  kind: "blocks",
  blocks: (rows, style) => {
    const wallet = rows[0] ?? null;
    const whole = fieldOf(body, "wallet");
    const currency = textOf(fieldOf(whole, "currency")) ?? "KES";
    const stats = fieldOf(body, "b2cStats");
    const blocks: Block[] = [balanceCard(wallets.local, wallet, currency, style)];
    if (stats !== undefined) blocks.push(statsCard("Payouts so far", stats, currency, style));
    blocks.push({ kind: "table", title: "Holds", columns: holdColumns(currency), rows: listOf(fieldOf(whole, "b2cHolds")), empty: "No money is held." });
    const entries = listOf(fieldOf(body, "transactions"));
    blocks.push({ kind: "table", title: "Recent ledger", columns: ledgerColumns(currency), rows: entries, empty: "No ledger entries yet." });
    if (entries.length >= newestEntries)
      blocks.push({ kind: "text", lines: [{ text: `These are the newest ${entries.length} entries: the service shows no older ones here.`, tone: "quiet" }] });
    return blocks;
  },
});

const statsCard = (title: string, stats: Json, currency: string, style: Style): Block => ({
  kind: "card",
  title,
  pairs: [
    ["Volume", { text: money(fieldOf(stats, "totalVolume"), currency), tone: "strong" }],
    ["Payouts", textOf(fieldOf(stats, "count")) ?? absent],
    ...otherPairs(stats, ["totalVolume", "count"], style),
  ],
});

/** Payout volume and count (service 2.3). */
export const statsView: View = { kind: "blocks", blocks: (rows, style) => rows.map((row) => statsCard("Payouts", row, "KES", style)) };

/** Global balances (service 2.6). */
export const globalWalletView = (body: Json): View => ({
  kind: "blocks",
  blocks: (rows, style) => {
    const currency = textOf(fieldOf(fieldOf(body, "wallet"), "currency")) ?? "";
    return rows.map((row) => balanceCard(wallets.global, row, currency, style));
  },
});

/** An object without a view of its own, field by field. */
export const fieldsView = (title: string): View => ({
  kind: "blocks",
  blocks: (rows, style) => rows.map((row) => ({ kind: "card", title, pairs: otherPairs(row, [], style) })),
});

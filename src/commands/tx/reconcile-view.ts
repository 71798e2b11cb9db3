import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { groupedAmount, groupedCount } from "../../money/grouped.ts";
import type { Block, Cell, Tone, View } from "../../outcome.ts";
import { absent, money } from "../../output/format.ts";
import { type Category, categories, countDifferences } from "../../reconcile/reconcile.ts";
import type { Compared } from "../../reconcile/reconcile-files.ts";
import { formatMinor } from "../../reconcile/record.ts";
import { commandLine, type Shell } from "../../shell.ts";
import { nextSteps, titles } from "./reconcile-words.ts";

type Names = {
  readonly here: string;
  readonly there: string;
  /** The flags that name the account, where what is there can be delivered again. */
  readonly replays: Replays | undefined;
};
/** More rows than anybody reads on a screen. */
const shownMax = 500;
const replayMax = 100;

const tones: Readonly<Partial<Record<Category, Tone>>> = { matched: "good", missed_callback: "waiting", open_there: "waiting", ignored: "quiet" };
const toneOf = (category: string): Tone => tones[category as Category] ?? "bad";

/** First the figures with what to do next, then the rows that differ, then the command that delivers what was missed. */
export const reconcileView = (compared: Compared, names: Names): View => ({
  kind: "blocks",
  blocks: (rows) => {
    const blocks: Block[] = [figures(compared)];
    if (rows.length > 0) blocks.push(table(rows));
    blocks.push({ kind: "text", lines: closing(compared, rows.length, names) });
    return blocks;
  },
});

const figures = ({ summary }: Compared): Block => ({
  kind: "table",
  columns: [
    { heading: "WHAT", cell: (row) => ({ text: titles[categoryOf(row)], tone: toneOf(categoryOf(row)) }) },
    { heading: "COUNT", align: "right", cell: (row) => money(fieldOf(row, "count"), "") },
    { heading: "KES", align: "right", cell: (row) => shillings(fieldOf(row, "amount")) },
    { heading: "NEXT", cell: (row) => ({ text: nextSteps[categoryOf(row)], tone: "quiet" }), sheds: 1 },
  ],
  rows: [...summary].map(([category, sum]) => ({ category, count: sum.count, amount: formatMinor(sum.amountMinor) })),
});

const categoryOf = (row: Json): Category => {
  const name = textOf(fieldOf(row, "category"));
  return categories.find((category) => category === name) ?? "unreadable";
};

const table = (rows: readonly Json[]): Block => ({
  kind: "table",
  title: "What differs",
  columns: [
    { heading: "WHAT", cell: (row) => ({ text: titles[categoryOf(row)], tone: toneOf(categoryOf(row)) }) },
    { heading: "REFERENCE", cell: (row) => textOf(fieldOf(row, "reference")) ?? absent },
    { heading: "HERE", align: "right", cell: (row) => sideCell(fieldOf(row, "ours")) },
    { heading: "THERE", align: "right", cell: (row) => sideCell(fieldOf(row, "theirs")) },
    { heading: "WHY", cell: (row) => textOf(fieldOf(row, "reason")) ?? "" },
  ],
  rows: rows.slice(0, shownMax),
});

/** Both sides are in shillings, the one currency of statements and local payments. */
const shillings = (amount: Json | undefined): string => groupedAmount(textOf(amount) ?? "", "KES");

/** `line 5: 1,500.00`, or the transaction's id where there is one. */
const sideCell = (records: Json | undefined): Cell => {
  const list = Array.isArray(records) ? (records as readonly Json[]) : [];
  if (list.length === 0) return { text: absent, tone: "quiet" };
  const texts = list.slice(0, 3).map((record) => {
    const line = textOf(fieldOf(record, "line"));
    const name = line === undefined ? (textOf(fieldOf(record, "id")) ?? "") : `line ${line}`;
    const amount = fieldOf(record, "amount");
    return amount === undefined ? name : `${name}: ${shillings(amount)}`;
  });
  return { text: `${texts.join(", ")}${list.length > 3 ? ` and ${list.length - 3} more` : ""}`, tone: "plain" };
};

const closing = (compared: Compared, rows: number, names: Names): readonly (Cell | string)[] => {
  const count = countDifferences(compared.summary);
  const lines: (Cell | string)[] = [];
  if (rows > shownMax) lines.push(`${groupedCount(rows - shownMax)} more rows: -o csv and -o jsonl have all of them.`);
  if (count === 0) lines.push({ text: `No differences between ${names.here} and ${names.there}.`, tone: "good" });
  else lines.push({ text: `${groupedCount(count)} ${count === 1 ? "difference" : "differences"} between ${names.here} and ${names.there}.`, tone: "strong" });
  const commands = names.replays === undefined ? undefined : replayCommands(compared, names.replays);
  if (commands !== undefined && commands.lines.length > 0) {
    lines.push("Deliver the missed callbacks:", ...commands.lines.map((line) => ({ text: `  ${line}`, tone: "strong" as const })));
    if (commands.more > 0) lines.push(`  and ${commands.more} more: --json lists them as transactionId.`);
  }
  return lines;
};

/** The flags that name the account, and the shell that the commands are for. */
type Replays = { readonly account: readonly string[]; readonly shell: Shell };
/** The commands that deliver what was missed, so many ids in each. */
export const replayCommands = (compared: Compared, { account, shell }: Replays): { readonly lines: readonly string[]; readonly more: number } => {
  const missed = compared.differing
    .filter((result) => result.category === "missed_callback")
    .flatMap((result) => result.theirs.flatMap((record) => (record.line === undefined && record.id !== undefined ? [record.id] : [])));
  const lines: string[] = [];
  for (let at = 0; at < missed.length && at < 10 * replayMax; at += replayMax)
    lines.push(commandLine(["webhook", "replay", ...missed.slice(at, at + replayMax), "--to", "URL", ...account], shell));
  return { lines, more: Math.max(0, missed.length - 10 * replayMax) };
};

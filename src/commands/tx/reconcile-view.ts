import { basename } from "node:path";
import { countOf, groupedCount, groupedMinor } from "../../money/grouped.ts";
import type { Block, Cell, Column, Tone, View } from "../../outcome.ts";
import { absent } from "../../output/format.ts";
import type { Category, Result } from "../../reconcile/judge.ts";
import { sumOf } from "../../reconcile/order-rows.ts";
import { type Compared, countDifferences } from "../../reconcile/reconcile.ts";
import type { FileRecord } from "../../reconcile/record.ts";
import { commandLine, type Shell } from "../../shell.ts";
import { type Figure, figuresOf } from "./reconcile-figures.ts";
import type { Titles } from "./reconcile-words.ts";

type Names = {
  readonly here: string;
  readonly there: string;
  readonly titles: Titles;
  /** What amounts are in. */
  readonly currency: string;
  /** The flags that name the account, where what is there can be delivered again. */
  readonly replays: Replays | undefined;
};
/** More rows than anybody reads on a screen. */
const shownMax = 500;
const replayMax = 100;

const tones: Readonly<Partial<Record<Category, Tone>>> = { matched: "good", missed_callback: "waiting", open_there: "waiting", ignored: "quiet" };
const whatCell = (category: Category, title: string): Cell => ({ text: title, tone: tones[category] ?? "bad" });

/** First the figures with what to do next, then the rows that differ, then the command that delivers what was missed. */
export const reconcileView = (compared: Compared, names: Names): View => ({
  kind: "blocks",
  blocks: () => {
    const lines = figuresOf(compared, names.titles);
    const blocks: Block[] = [figures(lines, names)];
    if (lines.some(({ differenceMinor }) => differenceMinor !== 0n)) blocks.push({ kind: "text", lines: [{ text: signWords(names), tone: "quiet" }] });
    if (compared.differing.length > 0) blocks.push(rowsTable(compared.differing.slice(0, shownMax), names.titles));
    if (compared.carried.length > 0) blocks.push(carriedTable(compared.carried, names.currency));
    blocks.push({ kind: "text", lines: closing(compared, names) });
    return blocks;
  },
});

type TypedColumn<Row> = Omit<Column, "cell"> & { readonly cell: (row: Row) => Cell | string };
/** A table of typed rows. What it hands to the renderer are their positions. */
const tableOf = <Row>(rows: readonly Row[], columns: readonly TypedColumn<Row>[], title?: string): Block => ({
  kind: "table",
  ...(title === undefined ? {} : { title }),
  columns: columns.map(({ cell, ...column }) => ({
    ...column,
    cell: (position) => {
      const row = rows[Number(position)];
      return row === undefined ? absent : cell(row);
    },
  })),
  rows: [...rows.keys()],
});

/** Said once, under the figures. */
export const signWords = ({ here, there }: Pick<Names, "here" | "there">): string =>
  `Difference: money in less money out. + if ${basename(here)} has more of it, - if ${basename(there)} has more.`;
export const signed = (minor: bigint): string => `${minor > 0n ? "+" : ""}${groupedMinor(minor)}`;

const figures = (lines: readonly Figure[], { currency }: Names): Block =>
  tableOf(lines, [
    { heading: "What", cell: ({ category, title }) => whatCell(category, title) },
    { heading: "Count", align: "right", cell: ({ count }) => groupedCount(count) },
    { heading: currency, align: "right", cell: ({ amountMinor }) => groupedMinor(amountMinor) },
    { heading: "Difference", align: "right", cell: ({ differenceMinor }) => (differenceMinor === 0n ? absent : signed(differenceMinor)) },
    { heading: "Next", cell: ({ next }) => ({ text: next, tone: "quiet" }) },
  ]);

const carriedShownMax = 20;
const carriedTable = (carried: readonly FileRecord[], currency: string): Block =>
  tableOf(
    carried.slice(0, carriedShownMax),
    [
      { heading: "From", cell: ({ carried = absent }) => carried },
      { heading: "Reference", cell: ({ reference, receipt }) => reference ?? receipt ?? absent },
      { heading: currency, align: "right", cell: ({ amountMinor }) => groupedMinor(amountMinor) },
      { heading: "Status", cell: ({ status, state }) => status ?? state },
    ],
    "Carried from earlier files, still open",
  );

const rowsTable = (results: readonly Result[], titles: Titles): Block =>
  tableOf(
    results,
    [
      { heading: "What", cell: ({ category }) => whatCell(category, titles[category]) },
      { heading: "Reference", cell: ({ reference }) => reference ?? absent },
      { heading: titles.here, align: "right", cell: ({ ours }) => sideCell(ours) },
      { heading: titles.there, align: "right", cell: ({ theirs }) => sideCell(theirs) },
      { heading: "Why", cell: whyText, sheds: 1 },
    ],
    "What differs",
  );

/** Why, and what may belong to it. */
const whyText = ({ reason, suggestions = [] }: Result): string =>
  [reason, ...suggestions.map(({ because, records }) => `perhaps ${records.slice(0, 3).map(nameOf).join(", ")}: ${because}`)].join("; ");
const nameOf = ({ line, id = "", carried }: FileRecord): string => {
  if (line === undefined) return id;
  return carried === undefined ? `line ${line}` : `line ${line} of ${carried}`;
};

/** `line 5: 1,500.00`, or the transaction's id instead of the line. */
const sideCell = (records: readonly FileRecord[]): Cell => {
  if (records.length === 0) return { text: absent, tone: "quiet" };
  const texts = records
    .slice(0, 3)
    .map((record) => (record.unreadable === undefined ? `${nameOf(record)}: ${groupedMinor(record.amountMinor)}` : nameOf(record)));
  return { text: `${texts.join(", ")}${records.length > 3 ? ` and ${records.length - 3} more` : ""}`, tone: "plain" };
};

const closing = (compared: Compared, names: Names): readonly (Cell | string)[] => {
  const rows = compared.differing.length;
  const count = countDifferences(compared.summary);
  const lines: (Cell | string)[] = [];
  if (compared.carried.length > 0) {
    const more = compared.carried.length > carriedShownMax ? "; --json lists all of them" : "";
    lines.push(
      `Carried forward from earlier files until they pair: ${countOf(compared.carried.length, "row")}, ${groupedMinor(sumOf(compared.carried))}${more}.`,
    );
  }
  if (rows > shownMax) lines.push(`${countOf(rows - shownMax, "more row")}: -o csv and -o jsonl have all of them.`);
  if (count === 0) lines.push({ text: `No differences between ${names.here} and ${names.there}.`, tone: "good" });
  else lines.push({ text: `${countOf(count, "difference")} between ${names.here} and ${names.there}.`, tone: "strong" });
  const commands = names.replays === undefined ? undefined : replayCommands(compared, names.replays);
  if (commands !== undefined && commands.lines.length > 0) {
    lines.push(
      "Send the missed callbacks again, to the address that the command asks for:",
      ...commands.lines.map((line) => ({ text: `  ${line}`, tone: "strong" as const })),
    );
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
    lines.push(commandLine(["webhook", "replay", ...missed.slice(at, at + replayMax), ...account], shell));
  return { lines, more: Math.max(0, missed.length - 10 * replayMax) };
};

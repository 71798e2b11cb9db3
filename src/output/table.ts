import Table from "cli-table3";
import type { Json } from "../json/exact-json.ts";
import type { Block, Cell, Column, Style, Tone } from "../outcome.ts";
import { cutUp, type DisplayWidth, loadDisplayWidth } from "./display-width.ts";
import { absent, zoneName } from "./format.ts";
import { paint } from "./paint.ts";
import { sanitize } from "./sanitize.ts";
import { leastRoom, wrapText } from "./wrap.ts";

/** `style.width` is the terminal's columns; Infinity means no limit, as off a terminal. */
export type TableOptions = { readonly style: Style; readonly colour: boolean };
type CleanCell = { readonly text: string; readonly tone: Tone };
type Layout = {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
  readonly widthOf: DisplayWidth;
  readonly cards: boolean;
  /** The columns that had no room: each row has them on a line of its own, with their names. */
  readonly below: readonly Column[];
};

const gap = 2;
/** A column of text is not narrower than this: an id or name of a few letters says nothing. */
const leastWidth = 12;

export const cleanCell = (cell: Cell | string): CleanCell =>
  typeof cell === "string" ? { text: sanitize(cell), tone: "plain" } : { text: sanitize(cell.text), tone: cell.tone ?? "plain" };

const cellsOf = (row: Json, columns: readonly Column[], style: Style): CleanCell[] => columns.map((column) => cleanCell(column.cell(row, style)));

/** The label on a card. Times state their zone here, and not in each cell. */
const labelText = ({ heading, isTime }: Column, { zone }: Style): string => sanitize(isTime === true ? `${heading} (${zoneName(zone)})` : heading);
/** Headings of tables are in capitals, whatever a view calls its columns; a field of --fields keeps the name that it has. */
const headingText = (column: Column, style: Style): string => {
  if (column.isField === true) return sanitize(column.heading);
  return labelText({ ...column, heading: column.heading.toUpperCase() }, style);
};

/**
 * Decides columns and widths from rows at hand: first columns are moved to a line below, then text gets fewer columns, and if even that is
 * too wide, each row becomes a card. Money (aligned right) and ids (`whole`) are never cut: half an amount is another amount.
 */
export const planTable = async (columns: readonly Column[], rows: readonly Json[], options: TableOptions): Promise<Layout> => {
  const cells = rows.map((row) => cellsOf(row, columns, options.style));
  const texts = [...columns.map((column) => headingText(column, options.style)), ...cells.flat().map((cell) => cell.text)];
  const widthOf = await loadDisplayWidth(texts);
  const natural = columns.map((column, index) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[index]?.text ?? "")), widthOf(headingText(column, options.style))),
  );
  let kept = columns.map((column, index) => ({ column, width: natural[index] ?? 0 }));
  const over = (): number => sumOf(kept.map(({ width }) => width)) + gap * Math.max(0, kept.length - 1) - options.style.width;
  while (over() > 0) {
    const highest = Math.max(0, ...kept.map(({ column }) => column.sheds ?? 0));
    if (highest === 0) break;
    const last = kept.findLast(({ column }) => column.sheds === highest);
    kept = kept.filter((one) => one !== last);
  }
  const shown = kept.map(({ column }) => column);
  const widths = shrink(kept, over());
  if (widths === undefined) return { columns, widths: natural, widthOf, cards: true, below: [] };
  return { columns: shown, widths, widthOf, cards: false, below: columns.filter((column) => !shown.includes(column)) };
};
const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

/** Takes from the widest text columns until all fit; undefined if they cannot. */
const shrink = (natural: readonly { readonly column: Column; readonly width: number }[], over: number): number[] | undefined => {
  const widths = natural.map(({ width }) => width);
  const room = natural.map(({ column }) => column.align !== "right" && column.whole !== true);
  for (let left = over; left > 0; left -= 1) {
    const widest = Math.max(...widths.filter((width, index) => room[index] === true && width > leastWidth));
    if (!Number.isFinite(widest)) return undefined;
    widths[widths.findIndex((width, index) => room[index] === true && width === widest)] = widest - 1;
  }
  return widths;
};

const borderless = {
  ...{ top: "", "top-mid": "", "top-left": "", "top-right": "", bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" },
  ...{ left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "", middle: " ".repeat(gap) },
};

/**
 * cli-table3 lays out a stand-in for each text, as wide as the text is here: its own idea of widths is older, and what does not fit it
 * cuts. A line at a time, as rows come one by one and one that is wider than planned runs over alone.
 */
const lineOf = (cells: readonly CleanCell[], { columns, widths: planned, widthOf }: Layout, { colour }: TableOptions): string => {
  const standIns = cells.map(({ text }) => "x".repeat(text === "" ? 0 : Math.max(1, widthOf(text))));
  const widths = standIns.map(({ length }, index) => Math.max(planned[index] ?? 0, length));
  const table = new Table({
    chars: borderless,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    colWidths: widths,
    colAligns: columns.map(({ align }) => align ?? "left"),
  });
  table.push(standIns);
  const drawn = cells.flatMap(({ text, tone }) => (text === "" ? [] : paint(text, tone, colour)));
  return `${table
    .toString()
    .replace(/x+/g, () => drawn.shift() ?? "")
    .trimEnd()}\n`;
};

/** A row as one line, or as several where text is broken at words to fit its column. A word that is wider than that goes on below. */
const rowLines = (cells: readonly CleanCell[], layout: Layout, options: TableOptions): string => {
  const limited = Number.isFinite(options.style.width);
  const parts = cells.map(({ text }, index) => {
    const width = layout.widths[index] ?? 0;
    if (!limited || layout.columns[index]?.align === "right") return [text];
    const lines = wrapText(text, { width, indent: 0 }).split("\n");
    return lines.flatMap((line) => cutUp(line, width, layout.widthOf));
  });
  const height = Math.max(...parts.map(({ length }) => length));
  const lines = Array.from({ length: height }, (_, line) => cells.map(({ tone }, index) => ({ text: parts[index]?.[line] ?? "", tone })));
  return lines.map((line) => lineOf(line, layout, options)).join("");
};

export const headingLine = (layout: Layout, options: TableOptions): string => {
  const headings = layout.columns.map((column) => ({ text: headingText(column, options.style), tone: "strong" }) as const);
  return layout.cards ? "" : lineOf(headings, layout, options);
};

/** The cells of a row that had no room among its columns, as far as there is something in them. */
const belowLines = (cells: readonly CleanCell[], { below, widthOf }: Layout, { style }: TableOptions): string => {
  const { width: limit } = style;
  const pairs = below.flatMap((column, index) => {
    const { text = "" } = cells[index] ?? {};
    return text === "" || text === absent ? [] : [`${labelText(column, style)}: ${text}`];
  });
  const lines: string[] = [];
  for (const pair of pairs) {
    const longer = `${lines.at(-1) ?? ""}${" ".repeat(gap)}${pair}`;
    if (lines.length > 0 && widthOf(longer) <= limit) lines[lines.length - 1] = longer;
    else lines.push(`${belowIndent}${pair}`);
  }
  const wrapped = lines.flatMap((line) => wrapText(line, { width: limit, indent: belowIndent.length }).split("\n"));
  return wrapped.flatMap((line) => cutUp(line, limit, widthOf).map((piece) => `${piece}\n`)).join("");
};
const belowIndent = "    ";

/** Rows under a layout made before; what is wider than planned takes several lines on a terminal and runs over elsewhere. */
export const tableRows = async (rows: readonly Json[], layout: Layout, options: TableOptions): Promise<string> => {
  const cells = rows.map((row) => cellsOf(row, [...layout.columns, ...layout.below], options.style));
  const widthOf = await loadDisplayWidth(cells.flat().map((cell) => cell.text));
  const fitted = { ...layout, widthOf };
  const across = layout.columns.length;
  if (!layout.cards) return cells.map((row) => rowLines(row.slice(0, across), fitted, options) + belowLines(row.slice(across), fitted, options)).join("");
  const labels = layout.columns.map((column) => labelText(column, options.style));
  const cards = cells.map((row) => row.flatMap((cell, index) => (cell.text === "" ? [] : [[labels[index] ?? "", cell] as const])));
  return cards.map((pairs) => `${cardText(pairs, widthOf, options)}\n`).join("");
};

const cardText = (pairs: readonly (readonly [string, CleanCell])[], widthOf: DisplayWidth, options: TableOptions): string => {
  const labels = pairs.map(([label]) => sanitize(label));
  const { width: limit } = options.style;
  // One long label does not push all values away: its own goes under it.
  const wide = Math.max(0, ...labels.map(widthOf).filter((width) => width <= limit / 2));
  // A long word is left to the terminal's own wrapping: a line end of ours inside a URL could not be pasted.
  return pairs
    .map(([, cell], index) => {
      const label = labels[index] ?? "";
      // With little room beside the label, what does not fit there goes under it: an amount stays in one piece.
      if (widthOf(label) > wide || (limit - wide - gap < leastRoom && wide + gap + widthOf(cell.text) > limit))
        return `${paint(label, "quiet", options.colour)}\n${paint(wrapText(`  ${cell.text}`, { width: limit, indent: 2 }), cell.tone, options.colour)}\n`;
      const text = wrapText(cell.text, { width: limit, start: wide + gap, indent: wide + gap });
      const space = " ".repeat(wide - widthOf(label) + gap);
      return `${`${paint(label, "quiet", options.colour)}${space}${paint(text, cell.tone, options.colour)}`.trimEnd()}\n`;
    })
    .join("");
};

/** A whole block as text with its last line end; empty where there is nothing to say. */
export const blockText = async (block: Block, options: TableOptions): Promise<string> => {
  if (block.kind === "text") {
    const width = block.verbatim === true ? 0 : options.style.width;
    return block.lines.map((line) => `${lineText(line, options.colour, width)}\n`).join("");
  }
  const title = block.title === undefined ? "" : `${paint(sanitize(block.title), "strong", options.colour)}\n`;
  if (block.kind === "card") {
    const pairs = block.pairs.flatMap(([label, cell]) => (cell === undefined ? [] : [[label, cleanCell(cell)] as const]));
    const widthOf = await loadDisplayWidth(pairs.map(([label]) => sanitize(label)));
    return title + cardText(pairs, widthOf, options);
  }
  if (block.rows.length === 0) return block.empty === undefined ? "" : `${title}${sanitize(block.empty)}\n`;
  const layout = await planTable(block.columns, block.rows, options);
  const rows = await tableRows(block.rows, layout, options);
  // A card ends with an empty line, and so does a block.
  return title + headingLine(layout, options) + (layout.cards ? rows.replace(/\n$/, "") : rows);
};

/** `width`: columns at which it is broken at words; 0 leaves it whole. */
export const lineText = (line: Cell | string, colour: boolean, width = 0): string => {
  const cell = cleanCell(line);
  return paint(wrapText(cell.text, { width }), cell.tone, colour);
};

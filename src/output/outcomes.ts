import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import type { Block, Cell, Column, Outcome, Pair, Style } from "../outcome.ts";

/** A field of a row as text; empty without one. */
export const fieldText =
  (name: string) =>
  (row: Json): string =>
    textOf(fieldOf(row, name)) ?? "";

/** A column of a field's own text. */
export const textColumn = (heading: string, name: string, more: Partial<Column> = {}): Column => ({ heading, cell: fieldText(name), ...more });

/** Narrower than this, whole ids leave no room for everything else. */
const wideColumns = 150;
/** Ids: whole on a wide terminal, else their first characters, which commands take too. */
export const idColumn = (length: number): Column => ({
  heading: "ID",
  whole: true,
  cell: (row, { width }) => ({ text: width < wideColumns ? fieldText("id")(row).slice(0, length) : fieldText("id")(row), tone: "quiet" }),
});

/** One object; a person sees it as these blocks. */
export const objectOutcome = (row: Json, blocks: (style: Style) => readonly Block[]): Outcome => ({
  rows: [row],
  single: true,
  view: { kind: "blocks", blocks: (_, style) => blocks(style) },
});
/** One object; a person sees it as one card, under a line that says what was done. */
export const cardOutcome = (row: Json, pairs: readonly Pair[], said?: string): Outcome =>
  objectOutcome(row, () => [...(said === undefined ? [] : [{ kind: "text", lines: [{ text: said, tone: "good" }] } as const]), { kind: "card", pairs }]);
/** One object; a person sees lines, which mean something as they are. */
export const linesOutcome = (row: Json, lines: readonly (Cell | string)[]): Outcome => objectOutcome(row, () => [{ kind: "text", lines, verbatim: true }]);

type Listed = { readonly columns: readonly Column[]; readonly empty: string; readonly footer?: (rows: number) => string | undefined };
/** A list under this name in the document. `fields` are its CSV columns. */
export const listOutcome = (name: string, rows: readonly Json[], fields: readonly string[], listed: Listed): Outcome => ({
  rows,
  document: (shown) => ({ [name]: shown }),
  columns: fields,
  view: { kind: "table", ...listed },
});

import { ExactNumber, type Json, stringifyExact } from "../json/exact-json.ts";
import type { Column, Outcome, Style } from "../outcome.ts";
import type { OutputFormat } from "../ports.ts";
import { csvHeader, csvLine } from "./csv.ts";
import { checkFields, columnsOf, flatten, isWithin, pick, valueAt } from "./fields.ts";
import { jsonText } from "./json-text.ts";
import { escapeUnseen, sanitize } from "./sanitize.ts";

export type RenderOptions = {
  readonly format: OutputFormat;
  /** Dotted paths of --fields. */
  readonly fields?: readonly string[];
  /** `width` is the terminal's columns; Infinity off a terminal: nothing is shed, cut or put on cards. */
  readonly style: Style;
  readonly colour: boolean;
  /** Resolves when the chunk is taken, rejects (EPIPE) when the reader went away. */
  readonly write: (chunk: string | Uint8Array) => Promise<void>;
  /** Told once where the result cannot hold all there is (a CSV column that appears late). */
  readonly note?: (text: string) => void;
};

/** Rows that decide columns and widths of a stream; also how many of a list are written at once. */
const firstRows = 500;

/**
 * Writes what a command found to stdout, in the format asked for. `--fields` is checked before anything is written
 * (for a stream: on the rows that come first). Throws CliError usage for a field no row has; passes on what `write` rejects with.
 */
export const renderOutcome = async (outcome: Outcome, options: RenderOptions): Promise<void> => {
  const { format, write } = options;
  if (outcome.raw !== undefined) return await write(outcome.raw);
  if (format === "json" && outcome.stream !== true) return await write(await documentText(outcome, options.fields));
  if (format === "csv") return await writeCsv(outcome, options);
  if (format === "table") return await writeTable(outcome, options);
  await writeLines(outcome, options);
};

const isList = (rows: Outcome["rows"]): rows is readonly Json[] => Array.isArray(rows);

const gathered = async (rows: Outcome["rows"]): Promise<readonly Json[]> => {
  if (isList(rows)) return rows;
  const all: Json[] = [];
  for await (const page of rows) for (const row of page) all.push(row);
  return all;
};

const documentText = async (outcome: Outcome, fields: readonly string[] | undefined): Promise<string> => {
  const all = await gathered(outcome.rows);
  if (fields !== undefined) checkFields(all, fields);
  const rows = fields === undefined ? all : all.map((row) => pick(row, fields));
  const document = outcome.document === undefined ? (rows[0] ?? null) : outcome.document(rows);
  return `${jsonText(document, 2)}\n`;
};

type Text = string | Promise<string>;
type Writing = {
  /** The text before the rows, from those that come first (all of a list). */
  readonly begin?: (first: readonly Json[]) => Text;
  /** `later`: these are not among the first. */
  readonly textOf: (rows: readonly Json[], later: boolean) => Text;
  /** How many rows are awaited before the first is written, so that what they have in common can be seen. */
  readonly awaited?: number;
};

const isLive = (outcome: Outcome): boolean => outcome.stream === true || outcome.view.kind === "lines";

/** Writes rows as they come, after a check of `--fields` by the first. A live stream's first row is not held back for those that may come. Resolves with their number. */
const writeRows = async (outcome: Outcome, { fields, write }: RenderOptions, writing: Writing): Promise<number> => {
  const { begin, textOf, awaited = isLive(outcome) ? 1 : firstRows } = writing;
  let first: readonly Json[] | undefined = [];
  let count = 0;
  const put = async (page: readonly Json[], later: boolean): Promise<void> => {
    // A later row of a live stream may have other fields; of what is all there, only those that some row has count.
    if (!later && fields !== undefined) checkFields(page, fields, isLive(outcome) ? outcome.columns : []);
    const before = later ? "" : ((await begin?.(page)) ?? "");
    for (let at = 0; at === 0 || at < page.length; at += firstRows) {
      const text = (at === 0 ? before : "") + (await textOf(page.slice(at, at + firstRows), later));
      if (text !== "") await write(text);
    }
    count += page.length;
  };
  for await (const page of isList(outcome.rows) ? [] : outcome.rows) {
    if (first !== undefined) first = first.concat(page);
    if (first !== undefined && first.length < awaited) continue;
    await put(first ?? page, first === undefined);
    first = undefined;
  }
  if (first !== undefined) await put(isList(outcome.rows) ? outcome.rows : first, false);
  return count;
};

const writeLines = async (outcome: Outcome, options: RenderOptions): Promise<void> => {
  const { fields } = options;
  // rules.md: jsonl of a single object is one row with dotted columns; rows of a list stay as the service gave them.
  const flat = isList(outcome.rows) && outcome.stream !== true && (outcome.single === true || (outcome.document === undefined && outcome.rows.length === 1));
  const line = (row: Json): string => {
    const picked = fields === undefined ? row : pick(row, fields);
    return `${stringifyExact(flat ? Object.fromEntries(flatten(picked)) : picked)}\n`;
  };
  // Without fields a row goes out as it comes.
  await writeRows(outcome, options, { textOf: (rows) => escapeUnseen(rows.map(line).join("")), ...(fields === undefined ? { awaited: 1 } : {}) });
};

const writeCsv = async (outcome: Outcome, options: RenderOptions): Promise<void> => {
  const { fields, style, note } = options;
  let columns: readonly string[] = [];
  const late = new Set<string>();
  // A terminal would act on control characters; a file or pipe gets the text as it is.
  const clean = (text: string): string => (Number.isFinite(style.width) ? `${sanitize(text.slice(0, -1))}\n` : text);
  const begin = (first: readonly Json[]): string => {
    columns = fields ?? [...new Set([...(outcome.columns ?? []), ...columnsOf(first)])];
    return columns.length > 0 ? clean(csvHeader(columns)) : "";
  };
  const textOf = (rows: readonly Json[], later: boolean): string => {
    if (later && fields === undefined) for (const name of columnsOf(rows)) if (!isWithin(name, columns)) late.add(name);
    return rows.map((row) => clean(csvLine(row, columns))).join("");
  };
  await writeRows(outcome, options, { begin, textOf });
  if (late.size > 0) note?.(`Columns that only later rows have were left out: ${[...late].join(", ")}. Name them with --fields, or use -o jsonl.`);
};

const writeTable = async (outcome: Outcome, options: RenderOptions): Promise<void> => {
  const { view, rows } = outcome;
  const { fields, style, colour, write } = options;
  if (view.kind === "lines" && view.live !== undefined && !isList(rows)) {
    const { writeLive } = await import("./live-table.ts");
    return await writeLive(rows, view.live, { ...options, note: (text) => options.note?.(text) });
  }
  const { blockText, lineText } = await import("./table.ts");
  if (view.kind === "lines") {
    const lineOf = (row: Json) => (fields === undefined ? view.line(row, style) : fields.map((field) => plainText(valueAt(row, field))).join("  "));
    await writeRows(outcome, options, { textOf: (some) => some.map((row) => `${lineText(lineOf(row), colour)}\n`).join("") });
  } else if (view.kind === "blocks" && fields === undefined) {
    const texts = await Promise.all(view.blocks(await gathered(rows), style).map((block) => blockText(block, options)));
    await write(texts.filter((text) => text !== "").join("\n"));
  } else await writeColumns(outcome, options);
};

const writeColumns = async (outcome: Outcome, options: RenderOptions): Promise<void> => {
  const { fields, colour, style, write } = options;
  const view = outcome.view.kind === "table" ? outcome.view : undefined;
  const { headingLine, lineText, planTable, tableRows } = await import("./table.ts");
  let layout: Awaited<ReturnType<typeof planTable>> | undefined;
  const begin = async (first: readonly Json[]): Promise<string> => {
    if (first.length === 0) return "";
    layout = await planTable(fields?.map((field) => fieldColumn(field, first)) ?? view?.columns ?? [], first, options);
    return headingLine(layout, options);
  };
  const count = await writeRows(outcome, options, { begin, textOf: (some) => (layout === undefined ? "" : tableRows(some, layout, options)) });
  const footer = count > 0 ? view?.footer?.(count) : undefined;
  if (count === 0 && view !== undefined && view.empty !== "") await write(`${sanitize(view.empty)}\n`);
  if (footer !== undefined) await write(`${lineText({ text: footer, tone: "quiet" }, colour, style.width)}\n`);
};

const plainText = (value: Json | undefined): string => (value === undefined || value === null ? "" : typeof value === "string" ? value : jsonText(value));

const isNumber = (value: Json | undefined): boolean => typeof value === "number" || value instanceof ExactNumber;

const fieldColumn = (field: string, rows: readonly Json[]): Column => ({
  heading: field,
  isField: true,
  cell: (row) => plainText(valueAt(row, field)),
  align: rows.some((row) => isNumber(valueAt(row, field))) ? "right" : "left",
});

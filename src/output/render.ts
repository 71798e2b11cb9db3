import { ExactNumber, isObject, type Json, stringifyExact } from "../json/exact-json.ts";
import { type Column, type Outcome, type RowStream, rowsOfPages, type Style, type View } from "../outcome.ts";
import type { OutputFormat } from "../ports.ts";
import { type BatchWriter, inBatches, type Write } from "./batch-writer.ts";
import { csvHeader, csvLine } from "./csv.ts";
import { checkFields, columnsOf, flatten, pick, valueAt } from "./fields.ts";
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
  readonly write: Write;
  /** Told once where the result cannot hold all there is (a CSV column that appears late). */
  readonly note?: (text: string) => void;
};

/** Rows that decide columns and widths of a stream. */
const firstRows = 500;

/**
 * Writes what a command found to stdout, in the format asked for. `--fields` is checked before anything is written
 * (for a stream: on the rows that come first). Throws CliError usage for a field no row has; passes on what `write` rejects with.
 */
export const renderOutcome = async (outcome: Outcome, options: RenderOptions): Promise<void> => {
  if (outcome.raw !== undefined) {
    await options.write(outcome.raw);
    return;
  }
  if (options.format === "json" && outcome.stream !== true) {
    await options.write(await documentText(outcome, options.fields));
    return;
  }
  const { rows, stop } = stoppable(outcome.rows);
  const found = { ...outcome, rows };
  const work = async (writer: BatchWriter): Promise<void> => {
    if (options.format === "csv") await writeCsv(found, options, writer);
    else if (options.format === "table") await writeTable(found, options, writer);
    else await writeLines(found, options, writer);
  };
  try {
    await inBatches(options.write, work, options.format === "json" || options.format === "jsonl" ? escapeUnseen : unchanged);
  } catch (error) {
    // Whatever makes the rows (a server, a poll) is told that nobody reads them any more, also while one is awaited.
    stop();
    throw error;
  }
};

const unchanged = (text: string): string => text;

const stoppable = (rows: Outcome["rows"]): { readonly rows: Outcome["rows"]; readonly stop: () => void } => {
  if (isList(rows)) return { rows, stop: () => undefined };
  const once = <T>(stream: AsyncIterable<T>) => {
    const iterator = stream[Symbol.asyncIterator]();
    const stop = (): void => {
      iterator.return?.().catch(() => undefined);
    };
    return { stream: { [Symbol.asyncIterator]: () => iterator }, stop };
  };
  if (rows.pages === undefined) {
    const { stream, stop } = once(rows);
    return { rows: stream, stop };
  }
  const { stream, stop } = once(rows.pages);
  return { rows: rowsOfPages(stream), stop };
};

const isList = (rows: Outcome["rows"]): rows is readonly Json[] => Array.isArray(rows);

const gathered = async (rows: Outcome["rows"]): Promise<readonly Json[]> => {
  if (isList(rows)) return rows;
  const all: Json[] = [];
  await eachRow(rows, (row) => void all.push(row));
  return all;
};

const eachRow = async (rows: RowStream, take: (row: Json) => Promise<void> | undefined): Promise<void> => {
  if (rows.pages === undefined) {
    for await (const row of rows) {
      const full = take(row);
      if (full !== undefined) await full;
    }
    return;
  }
  for await (const page of rows.pages) {
    for (const row of page) {
      const full = take(row);
      if (full !== undefined) await full;
    }
  }
};

const documentText = async (outcome: Outcome, fields: readonly string[] | undefined): Promise<string> => {
  const all = await gathered(outcome.rows);
  if (fields !== undefined) checkFields(all, fields);
  const rows = fields === undefined ? all : all.map((row) => pick(row, fields));
  const document = outcome.document === undefined ? (rows[0] ?? null) : outcome.document(rows);
  return `${jsonText(document, 2)}\n`;
};

const writeLines = async (outcome: Outcome, options: RenderOptions, writer: BatchWriter): Promise<void> => {
  const { fields } = options;
  // rules.md: jsonl of a single object is one row with dotted columns; rows of a list stay as the service gave them.
  const flat = isList(outcome.rows) && outcome.stream !== true && (outcome.single === true || (outcome.document === undefined && outcome.rows.length === 1));
  const line = (row: Json): string => {
    const picked = fields === undefined ? row : pick(row, fields);
    return `${stringifyExact(flat ? Object.fromEntries(flatten(picked)) : picked)}\n`;
  };
  const begin = async (rows: readonly Json[]): Promise<void> => {
    if (fields !== undefined) checkFields(rows, fields, promised(outcome));
  };
  if (fields === undefined && !isList(outcome.rows) && outcome.rows.pages !== undefined) {
    for await (const rows of outcome.rows.pages) await writer.add(rows.map(line).join(""));
    return;
  }
  // Without fields a row goes out as it comes; else the first ones are awaited to see which fields there are.
  await fromFirst(outcome.rows, fields === undefined ? 1 : firstOf(outcome), begin, (row) => writer.add(line(row)));
};

const isLive = (outcome: Outcome): boolean => outcome.stream === true || outcome.view.kind === "lines";

/** How many rows decide: a live stream's first is not held back for those that may come. */
const firstOf = (outcome: Outcome): number => (isLive(outcome) ? 1 : firstRows);

/** Fields that a later row of a live stream may have; of what is all there, only those that some row has count. */
const promised = (outcome: Outcome): readonly string[] => (isLive(outcome) ? (outcome.columns ?? []) : []);

const writeCsv = async (outcome: Outcome, options: RenderOptions, writer: BatchWriter): Promise<void> => {
  const { fields } = options;
  let columns: readonly string[] = [];
  let known = new Set<string>();
  const late = new Set<string>();
  // A terminal would act on control characters; a file or pipe gets the text as it is.
  const clean = (text: string): string => (Number.isFinite(options.style.width) ? `${sanitize(text.slice(0, -1))}\n` : text);
  const begin = async (rows: readonly Json[]): Promise<void> => {
    if (fields !== undefined) checkFields(rows, fields, promised(outcome));
    columns = fields ?? [...new Set([...(outcome.columns ?? []), ...columnsOf(rows)])];
    known = new Set(columns);
    if (columns.length > 0) await writer.add(clean(csvHeader(columns)));
  };
  const line = (row: Json, checkLate: boolean): string => {
    if (checkLate) noteUnknown(row, "", known, late);
    return clean(csvLine(row, columns));
  };
  await fromFirst(outcome.rows, firstOf(outcome), begin, (row, later) => writer.add(line(row, later && fields === undefined)));
  if (late.size > 0) options.note?.(`Columns that only later rows have were left out: ${[...late].join(", ")}. Name them with --fields, or use -o jsonl.`);
};

/** Adds the columns of a row that are not among the known ones. */
const noteUnknown = (row: Json, prefix: string, known: ReadonlySet<string>, late: Set<string>): void => {
  if (!isObject(row)) return;
  for (const key of Object.keys(row)) {
    const name = prefix + key;
    const value = row[key];
    if (known.has(name) || value === undefined) continue;
    if (isObject(value)) noteUnknown(value, `${name}.`, known, late);
    else late.add(name);
  }
};

/** Calls `begin` with up to `firstMax` rows that come first (all of a list), then `each` for every row. */
const fromFirst = async (
  rows: Outcome["rows"],
  firstMax: number,
  begin: (first: readonly Json[]) => Promise<void>,
  each: (row: Json, later: boolean) => Promise<void> | undefined,
): Promise<void> => {
  if (isList(rows)) {
    await begin(rows);
    for (const row of rows) {
      const full = each(row, false);
      if (full !== undefined) await full;
    }
    return;
  }
  let first: Json[] | undefined = [];
  const start = async (held: readonly Json[]): Promise<void> => {
    first = undefined;
    await begin(held);
    for (const row of held) await each(row, false);
  };
  await eachRow(rows, (row) => {
    if (first === undefined) return each(row, true);
    return first.push(row) >= firstMax ? start(first) : undefined;
  });
  if (first !== undefined) await start(first);
};

const writeTable = async (outcome: Outcome, options: RenderOptions, writer: BatchWriter): Promise<void> => {
  const { view } = outcome;
  if (view.kind === "lines" && view.live !== undefined && !isList(outcome.rows)) {
    const { writeLive } = await import("./live-table.ts");
    await writeLive(outcome.rows, view.live, { ...options, note: (text) => options.note?.(text) });
    return;
  }
  if (view.kind === "lines") {
    await writeLiveLines(outcome, view.line, options, writer);
    return;
  }
  if (view.kind === "blocks" && options.fields === undefined) {
    const blocks = view.blocks(await gathered(outcome.rows), options.style);
    const { blockText } = await import("./table.ts");
    const texts = await Promise.all(blocks.map((block) => blockText(block, options)));
    await writer.add(texts.filter((text) => text !== "").join("\n"));
    return;
  }
  await writeColumns(outcome, view, options, writer);
};

const writeColumns = async (outcome: Outcome, view: View, options: RenderOptions, writer: BatchWriter): Promise<void> => {
  const { fields } = options;
  const { headingLine, leftOutLine, lineText, planTable, tableRows } = await import("./table.ts");
  let layout: Awaited<ReturnType<typeof planTable>> | undefined;
  let count = 0;
  let held: Json[] = [];
  const drain = async (): Promise<void> => {
    if (layout === undefined || held.length === 0) return;
    const rows = held;
    held = [];
    await writer.add(await tableRows(rows, layout, options));
  };
  const begin = async (rows: readonly Json[]): Promise<void> => {
    if (fields !== undefined) checkFields(rows, fields);
    const columns = fields !== undefined ? fields.map((field) => fieldColumn(field, rows)) : view.kind === "table" ? view.columns : [];
    if (rows.length === 0) return;
    layout = await planTable(columns, rows, options);
    await writer.add(headingLine(layout, options));
  };
  await fromFirst(outcome.rows, firstRows, begin, (row) => {
    count += 1;
    return held.push(row) >= firstRows ? drain() : undefined;
  });
  await drain();
  if (layout !== undefined) await writer.add(leftOutLine(layout, options));
  if (view.kind !== "table") return;
  if (count === 0) await writer.add(`${sanitize(view.empty)}\n`);
  const footer = count === 0 ? undefined : view.footer?.(count);
  if (footer !== undefined) await writer.add(`${lineText({ text: footer, tone: "quiet" }, options.colour, options.style.width)}\n`);
};

const plainText = (value: Json | undefined): string => (value === undefined || value === null ? "" : typeof value === "string" ? value : jsonText(value));

const isNumber = (value: Json | undefined): boolean => typeof value === "number" || value instanceof ExactNumber;

const fieldColumn = (field: string, rows: readonly Json[]): Column => ({
  heading: field,
  isField: true,
  cell: (row) => plainText(valueAt(row, field)),
  align: rows.some((row) => isNumber(valueAt(row, field))) ? "right" : "left",
});

const writeLiveLines = async (
  outcome: Outcome,
  lineOf: (row: Json, style: Style) => ReturnType<Column["cell"]>,
  options: RenderOptions,
  writer: BatchWriter,
): Promise<void> => {
  const { fields } = options;
  const { lineText } = await import("./table.ts");
  let unchecked = fields !== undefined;
  for await (const row of outcome.rows) {
    if (unchecked && fields !== undefined) checkFields(isList(outcome.rows) ? outcome.rows : [row], fields, promised(outcome));
    unchecked = false;
    const line = fields === undefined ? lineOf(row, options.style) : fields.map((field) => plainText(valueAt(row, field))).join("  ");
    await writer.add(`${lineText(line, options.colour)}\n`);
    // What a live command says next, on stderr, comes after the line that is already there.
    if (!isList(outcome.rows)) await writer.flush();
  }
};

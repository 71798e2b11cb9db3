import type { Json } from "../json/exact-json.ts";
import type { LiveTable, Style } from "../outcome.ts";
import { loadDisplayWidth, truncate } from "./display-width.ts";
import { paint } from "./paint.ts";
import { sanitize } from "./sanitize.ts";
import { headingLine, planTable, type TableOptions, tableRows } from "./table.ts";
import { columnsOf } from "./wrap.ts";

export type FrameOptions = { readonly style: Style; readonly colour: boolean; readonly size: { readonly columns: number; readonly rows: number } };
type DrawOptions = Omit<FrameOptions, "size"> & { readonly write: (text: string) => Promise<void>; readonly note: (text: string) => void };

/** Lines beside the rows: the heading, what is said under the table, and the one the cursor waits in. */
const otherLines = 3;

/** The lines of a frame, each at most as wide as the window, together at least one fewer than it is high. Pure. */
export const frameOf = async (live: Pick<LiveTable, "columns" | "rows" | "footer">, options: FrameOptions): Promise<readonly string[]> => {
  const { columns, rows: height } = options.size;
  const foot = live.footer();
  const footer = foot === undefined ? [] : [footerLine(foot, columns, options.colour)];
  const most = Math.max(1, height - 1);
  for (let room = Math.max(1, height - otherLines); ; room = Math.max(1, Math.floor(room / 2))) {
    const lines = [...(await tableLines(live.rows(room), live, options)), ...footer];
    // Cards, in a window too narrow for columns, are several lines a row.
    if (lines.length <= most || room === 1) return lines.slice(-most);
  }
};

const footerLine = (text: string, columns: number, colour: boolean): string =>
  paint(truncate(sanitize(text), Math.max(1, columns - 1), columnsOf), "quiet", colour);

const tableLines = async (rows: readonly Json[], live: Pick<LiveTable, "columns">, { style, colour, size }: FrameOptions): Promise<readonly string[]> => {
  if (rows.length === 0) return [];
  const options: TableOptions = { style: { ...style, width: size.columns }, colour };
  const layout = await planTable(live.columns, rows, options);
  return (headingLine(layout, options) + (await tableRows(rows, layout, options))).trimEnd().split("\n");
};

const escapes = /\u001b\[[\d;?]*[A-Za-z]/g;

/** Lines that the terminal shows of what was drawn: where the window was made narrower, it has wrapped them. */
export const linesShown = async (lines: readonly string[], columns: number): Promise<number> => {
  const texts = lines.map((line) => line.replace(escapes, ""));
  const widthOf = await loadDisplayWidth(texts);
  return texts.reduce((sum, text) => sum + Math.max(1, Math.ceil(widthOf(text) / Math.max(1, columns))), 0);
};

const over = (count: number): string => (count === 0 ? "\r" : `\r\u001b[${count}A`);
// Wrapping is off while a frame is written, so that a character wider than believed cannot make two lines of one.
const placed = (lines: readonly string[]): string => `\u001b[?7l${lines.map((line) => `\u001b[2K${line}\n`).join("")}\u001b[?7h\u001b[J`;

/**
 * Draws the table in place as rows come, each second, and when the window changes. The cursor is never hidden, so that
 * nothing is left to restore; at the end what is final stands, and where `rows` fails only what had changed, as lines would.
 */
export const writeLive = async (rows: AsyncIterable<unknown>, live: LiveTable, options: DrawOptions): Promise<void> => {
  let shown: readonly string[] = [];
  let shownFor: string | undefined;
  const replace = async (lines: readonly string[], final: boolean): Promise<void> => {
    const { columns, rows: height } = live.screen.size();
    const notes = live.notes();
    const key = `${columns} ${height} ${lines.join("\n")}`;
    if (notes.length === 0 && ((key === shownFor && !final) || (shown.length === 0 && lines.length === 0))) return;
    const up = over(await linesShown(shown, columns));
    if (notes.length > 0) await options.write(`${up}\u001b[J`);
    for (const note of notes) options.note(note);
    shown = lines;
    shownFor = key;
    const start = notes.length > 0 ? "" : up;
    await options.write(final ? `${start}\u001b[J${lines.map((line) => `${line}\n`).join("")}` : start + placed(lines));
  };
  let asked = false;
  let busy: Promise<void> = Promise.resolve();
  /** Once a drawing has failed, there is no other: whoever awaits `busy` gets its error. */
  const redraw = (): void => {
    if (asked) return;
    asked = true;
    busy = busy.then(async () => {
      asked = false;
      await replace(await frameOf(live, { ...options, size: live.screen.size() }), false);
    });
    busy.catch(() => undefined);
  };
  const stop = live.screen.beat(redraw);
  live.onChange(redraw);
  const end = async (failed: boolean): Promise<void> => {
    stop();
    await busy;
    const size = live.screen.size();
    await replace(await tableLines(live.last(failed, Math.max(1, size.rows - otherLines)), live, { ...options, size }), true);
  };
  try {
    for await (const _ of rows) {
      redraw();
      await busy;
    }
  } catch (error) {
    await end(true);
    throw error;
  }
  await end(false);
};

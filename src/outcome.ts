import type { CliError } from "./errors.ts";
import type { Json } from "./json/exact-json.ts";
import type { Screen } from "./ports.ts";
import type { Shell } from "./shell.ts";

/** A cell of a table: text of the service is cleaned by the renderer, not by the view. */
export type Tone = "good" | "bad" | "waiting" | "quiet" | "strong" | "plain";
export type Cell = { readonly text: string; readonly tone?: Tone };
export type Column = {
  readonly heading: string;
  readonly cell: (row: Json, style: Style) => Cell | string;
  readonly align?: "left" | "right";
  /** When the terminal is narrow, columns with the highest number go first, to a line under the row; 0 (default) never goes. */
  readonly sheds?: number;
  /** Never cut, like an id that is copied from the table. */
  readonly whole?: true;
  /** Cells are times in the person's zone, which the heading names. */
  readonly isTime?: true;
  /** The heading is the name of a field of --fields, and stays as it is. */
  readonly isField?: true;
};
/** A line of a card; left out without a value. */
export type Pair = readonly [label: string, cell: Cell | string | undefined];
export type Block =
  | { readonly kind: "table"; readonly title?: string; readonly columns: readonly Column[]; readonly rows: readonly Json[]; readonly empty?: string }
  | { readonly kind: "card"; readonly title?: string; readonly pairs: readonly Pair[] }
  /** Sentences, wrapped at words on a narrow terminal; `verbatim`: lines that mean something as they are. */
  | { readonly kind: "text"; readonly lines: readonly (Cell | string)[]; readonly verbatim?: true };
/** How the person's terminal wants things. `zone` is an IANA name, or "UTC" under --utc. Without a `shell` it is posix. */
export type Style = { readonly zone: string; readonly nowMs: number; readonly width: number; readonly shell?: Shell };
/** How rows are shown to a person. JSON, JSONL and CSV never pass through a view. */
export type View =
  | { readonly kind: "table"; readonly columns: readonly Column[]; readonly empty: string; readonly footer?: (rows: number) => string | undefined }
  | { readonly kind: "blocks"; readonly blocks: (rows: readonly Json[], style: Style) => readonly Block[] }
  /** Live output: each row becomes its own line as it comes, or `live` is redrawn. */
  | { readonly kind: "lines"; readonly line: (row: Json, style: Style) => Cell | string; readonly live?: LiveTable };

/** A table that is redrawn in place on a terminal that allows it. */
export type LiveTable = {
  readonly screen: Screen;
  /** Whom to call when something in it has become another. */
  readonly onChange: (redraw: () => void) => void;
  readonly columns: readonly Column[];
  /** What stands in it, at most so many. */
  readonly rows: (most: number) => readonly Json[];
  /** What is left standing at the end: all of it where that fits, else and after a failure what had changed. */
  readonly last: (failed: boolean, most: number) => readonly Json[];
  /** Said under the table while it lives. */
  readonly footer: () => string | undefined;
  /** Notes since the last call: they are printed above the table. */
  readonly notes: () => readonly string[];
};

/** What a command found. It never prints: rendering happens in one place. */
export type Outcome = {
  /** Rows for jsonl, csv, --fields and the table: a list, or as they come, one or many at a time. A single object is one row. */
  readonly rows: readonly Json[] | AsyncIterable<readonly Json[]>;
  /** The one document of --json, from the rows (filters and `--all` have been applied). Absent: the only row itself. */
  readonly document?: (rows: readonly Json[]) => Json;
  /** --json prints each row as its own line as it comes (`webhook listen`, `sandbox`). */
  readonly stream?: true;
  /** The row is one object, not a list that happens to have one: jsonl is flat too (rules.md, JSON and CSV). Absent: where `document` is. */
  readonly single?: true;
  /** CSV columns known beforehand: they come first, and make a header also when there are no rows. */
  readonly columns?: readonly string[];
  readonly view: View;
  /** Asked after the rows were written: an error here sets the exit code and is printed, the result stays (7, 8, 12, 13, find without a hit). */
  readonly verdict?: () => CliError | undefined;
  /** A payment exists because of this command: if its result cannot be written, that is still reported, with what names it. */
  readonly made?: { readonly idempotencyKey?: string; readonly journalId?: string };
  /** Printed to stdout exactly, in any format (completion scripts, `api`). Then rows and view are not used. */
  readonly raw?: string | Uint8Array;
};

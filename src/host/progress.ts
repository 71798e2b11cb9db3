import type { Progress } from "../kernel/context.ts";
import { truncate } from "../output/display-width.ts";
import { sanitize } from "../output/sanitize.ts";

export type ProgressOptions = {
  /** Cursor movement is allowed on stderr; else nothing is written at all. */
  readonly draws: boolean;
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly nowMs: () => number;
};

const clearLine = "\r\u001b[2K";
/** A line is not redrawn more often than this: a fast loop would spend its time on the terminal. */
const leastMs = 80;

/** One line on stderr, redrawn in place and gone at the end. It keeps no timer, so it never holds the program open. */
export const createProgress = (options: ProgressOptions): Progress => {
  let drawnAtMs: number | undefined;
  // Wide characters are counted as two where the tables are not loaded: too short a line is harmless, a wrapped one is not.
  const widthOf = (text: string): number => (/^[\x20-\x7e]*$/.test(text) ? text.length : text.length * 2);
  return {
    update: (text) => {
      const now = options.nowMs();
      if (!options.draws || (drawnAtMs !== undefined && now - drawnAtMs < leastMs)) return;
      drawnAtMs = now;
      options.write(`${clearLine}${truncate(sanitize(text), Math.max(1, options.columns() - 1), widthOf)}`);
    },
    end: () => {
      if (drawnAtMs !== undefined) options.write(clearLine);
      drawnAtMs = undefined;
    },
  };
};

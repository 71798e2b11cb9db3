import { truncate } from "../output/display-width.ts";
import { sanitize } from "../output/sanitize.ts";
import { columnsOf } from "../output/wrap.ts";
import type { Progress } from "../ports.ts";

export type ProgressOptions = {
  /** Cursor movement is allowed on stderr; else nothing is written at all. */
  readonly draws: boolean;
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly nowMs: () => number;
  /** A timer that does not hold the program open; gives what stops it. Without it a countdown stands still between updates. */
  readonly every?: (ms: number, onBeat: () => void) => () => void;
};

const clearLine = "\r\u001b[2K";
/** A line is not redrawn more often than this: a fast loop would spend its time on the terminal. */
const leastMs = 80;
/** How often a line that counts is looked at: at once a second it would now and then skip one. */
const tickMs = 200;

/** One line on stderr, redrawn in place and gone at the end. */
export const createProgress = (options: ProgressOptions): Progress => {
  let drawnAtMs: number | undefined;
  let drawn = "";
  let latest: string | (() => string) = "";
  let stop: (() => void) | undefined;
  const draw = (): void => {
    const now = options.nowMs();
    if (drawnAtMs !== undefined && now - drawnAtMs < leastMs) return;
    const text = truncate(sanitize(typeof latest === "string" ? latest : latest()), Math.max(1, options.columns() - 1), columnsOf);
    if (drawnAtMs !== undefined && text === drawn) return;
    drawnAtMs = now;
    drawn = text;
    options.write(`${clearLine}${text}`);
  };
  return {
    update: (text) => {
      if (!options.draws) return;
      latest = text;
      draw();
      stop ??= options.every?.(tickMs, draw);
    },
    end: () => {
      stop?.();
      stop = undefined;
      if (drawnAtMs !== undefined) options.write(clearLine);
      drawnAtMs = undefined;
    },
  };
};

import type { ReadStream } from "node:tty";
import { CliError } from "../errors.ts";

/** What ends a question from outside. */
export const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Says only that nothing was sent after the question: the same command may have sent something before it. */
export const interruptedAtQuestion = (cause?: unknown): CliError => new CliError("interrupted", "Cancelled. Nothing was sent after the question.", { cause });

/** So long nothing may come before what was typed is taken to be all read, and so long at most, in ms: a key may be held down. */
const quietMs = 25;
const longestMs = 500;

/**
 * Drops what was typed before a question is shown: a key pressed while the program was busy, or a line pasted too many,
 * must not agree to a payment. Ctrl-C among it is one. Off a terminal nothing is read.
 */
export const dropTypedAhead = (input: ReadStream): Promise<void> =>
  new Promise((resolve, reject) => {
    if (input.isTTY !== true) {
      resolve();
      return;
    }
    const wasRaw = input.isRaw;
    const end = (settle: () => void): void => {
      clearTimeout(quiet);
      clearTimeout(longest);
      input.off("data", onData);
      input.pause();
      input.setRawMode(wasRaw);
      settle();
    };
    const onData = (chunk: Buffer | string): void => {
      if (String(chunk).includes("\u0003")) end(() => reject(interruptedAtQuestion()));
      else quiet.refresh();
    };
    const quiet = setTimeout(() => end(resolve), quietMs);
    const longest = setTimeout(() => end(resolve), longestMs);
    // Raw, so that half a line comes too.
    input.setRawMode(true);
    input.on("data", onData);
    input.resume();
  });

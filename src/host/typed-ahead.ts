import { setTimeout as pause } from "node:timers/promises";
import type { ReadStream } from "node:tty";
import { CliError } from "../errors.ts";

/** What ends a question from outside. */
export const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A command that has sent something before it asks says so itself. */
export const interruptedAtQuestion = (cause?: unknown): CliError => new CliError("interrupted", "Cancelled. Nothing was sent.", { cause });

/** So long nothing may come before what was typed is taken to be all read, and so long at most, in ms: a key may be held down. */
const quietMs = 25;
const longestMs = 500;

/**
 * Drops what was typed before a question is shown: a key pressed while the program was busy, or a line pasted too many,
 * must not agree to a payment. Ctrl-C among it is one. Off a terminal nothing is read.
 */
export const dropTypedAhead = (input: ReadStream): Promise<void> => unheard(input, async () => undefined);

/** Runs `work`. What is typed or pasted meanwhile is neither shown nor kept, but for Ctrl-C, which interrupts it as ever. */
export const unheard = async <T>(input: ReadStream, work: () => Promise<T>): Promise<T> => {
  if (input.isTTY !== true) return await work();
  const wasRaw = input.isRaw;
  let heard = 0;
  let interrupted = false;
  const onData = (chunk: Buffer | string): void => {
    heard += 1;
    if (interrupted || !String(chunk).includes("\u0003")) return;
    interrupted = true;
    // A raw terminal makes no signal of the key.
    process.emit("SIGINT", "SIGINT");
  };
  // Raw, so that half a line comes too.
  input.setRawMode(true);
  input.on("data", onData);
  input.resume();
  let done: T;
  try {
    done = await work();
  } finally {
    for (let waitedMs = 0, before = -1; waitedMs < longestMs && heard !== before && !interrupted; waitedMs += quietMs) {
      before = heard;
      await pause(quietMs);
    }
    input.off("data", onData);
    input.pause();
    input.setRawMode(wasRaw);
  }
  if (interrupted) throw interruptedAtQuestion();
  return done;
};

import { CliError } from "../errors.ts";

/** What ends a question from outside. */
export const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Told of nothing sent after the question: what came before it in the same command may well have been. */
export const interruptedAtQuestion = (cause?: unknown): CliError =>
  new CliError("interrupted", "Interrupted at the question; nothing was sent after it.", { cause });

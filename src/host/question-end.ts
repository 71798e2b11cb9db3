import { CliError } from "../errors.ts";

/** What ends a question from outside. */
export const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Says only that nothing was sent after the question: the same command may have sent something before it. */
export const interruptedAtQuestion = (cause?: unknown): CliError => new CliError("interrupted", "Cancelled. Nothing was sent after the question.", { cause });

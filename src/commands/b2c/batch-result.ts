import { constants, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import type { BatchRow, RowResult } from "../../domain/batch-plan.ts";
import { CliError, usageError } from "../../kernel/errors.ts";
import { csvCell } from "../../output/csv.ts";

export type ResultFile = {
  /** Never throws: rows are paid by then, and `failure` says that their lines are not there. The line is the system's when this returns. */
  write(row: BatchRow, result: RowResult): void;
  /** Why the file is not whole, a full disk most of all. */
  failure(): CliError | undefined;
  close(): Promise<void>;
};

/** The result beside the input, 0600, a line a row as it happens. Throws CliError usage where it can't be made: nothing was sent. */
export const openResultFile = async (path: string, headings: readonly string[]): Promise<ResultFile> => {
  // O_NOFOLLOW is not known on Windows, where symlinks need a right of their own. O_NONBLOCK: a pipe nobody reads is refused, not waited for.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags, 0o600).catch((cause: unknown) => {
    throw usageError(`The result cannot be written to ${path}${codeOf(cause)}, so nothing was sent.`, "Name another file: --result FILE");
  });
  if (!(await file.stat()).isFile()) {
    // A pipe or device cannot keep what was paid, and its mode is not ours to change.
    await file.close();
    throw usageError(`The result cannot be written to ${path}: it is not a plain file, so nothing was sent.`, "Name another file: --result FILE");
  }
  if (process.platform !== "win32") await file.chmod(0o600);
  const header = ["row", "state", "transactionId", "status", "quote", "reason", ...headings.map((heading) => heading.trim())];
  let failure: CliError | undefined;
  const fail = (cause: unknown): void => {
    failure ??= new CliError("usage", `The result cannot be written to ${path}${codeOf(cause)}.`, { cause, sent: "unknown" });
  };
  // At once: a line takes some microseconds so, and many times that by way of another thread.
  const append = (cells: readonly string[]): void => {
    if (failure !== undefined) return;
    try {
      writeFileSync(file.fd, line(cells));
    } catch (cause) {
      fail(cause);
    }
  };
  append(header);
  return {
    write: (row, result) => {
      append([String(row.row), result.state, result.transactionId ?? "", result.status ?? "", result.quote ?? "", result.reason ?? "", ...row.cells]);
    },
    failure: () => failure,
    close: async () => {
      await file.close().catch(fail);
    },
  };
};

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "");

const line = (cells: readonly string[]): string => `${cells.map((cell) => csvCell(cell)).join(",")}\n`;

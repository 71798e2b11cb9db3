import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { BatchRow, RowResult } from "../../domain/batch-plan.ts";
import { usageError } from "../../kernel/errors.ts";
import { csvCell } from "../../output/csv.ts";

export type ResultFile = { write(row: BatchRow, result: RowResult): Promise<void>; close(): Promise<void> };

/** The result beside the input, 0600, a line a row as it happens. Throws CliError usage where it can't be made: nothing was sent. */
export const openResultFile = async (path: string, headings: readonly string[]): Promise<ResultFile> => {
  // O_NOFOLLOW is not known on Windows, where symlinks need a right of their own.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
  const file = await open(path, flags, 0o600).catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw usageError(`The result cannot be written to ${path}${code}, so nothing was sent.`, "Name another file: --result FILE");
  });
  if (process.platform !== "win32") await file.chmod(0o600);
  const header = ["row", "state", "transactionId", "status", "quote", "reason", ...headings.map((heading) => heading.trim())];
  let queue: Promise<void> = file.writeFile(line(header)).then(() => undefined);
  return {
    write: (row, result) => {
      const cells = [String(row.row), result.state, result.transactionId ?? "", result.status ?? "", result.quote ?? "", result.reason ?? "", ...row.cells];
      queue = queue.then(() => file.writeFile(line(cells)));
      return queue;
    },
    close: async () => {
      await queue;
      await file.close();
    },
  };
};

const line = (cells: readonly string[]): string => `${cells.map((cell) => csvCell(cell)).join(",")}\n`;

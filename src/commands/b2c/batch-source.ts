import type { Context } from "../../ports.ts";
import type { SheetOptions } from "../../tables/choose-sheet.ts";
import { isStdin } from "../../tables/input-file.ts";
import { openTable, type Table, tableOf } from "../../tables/read-table.ts";

const stdinBytesMax = 256 * 1024 * 1024;

/** A payout file; `-` is standard input, whose kind is found by its content. Throws CliError usage for what can't be read. */
export const openBatchFile = async (path: string, options: SheetOptions, context: Pick<Context, "readStdin" | "signal">): Promise<Table> =>
  isStdin(path) ? await tableOf(await context.readStdin(stdinBytesMax), "standard input", options) : await openTable(path, options, context.signal);

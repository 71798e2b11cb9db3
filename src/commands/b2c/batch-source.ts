import { isStdin } from "../../files/input-file.ts";
import { readTable, readTableFile } from "../../files/read-table.ts";
import type { SourceRow } from "../../flows/batch/check-file.ts";
import type { Context } from "../../kernel/context.ts";

const stdinBytesMax = 256 * 1024 * 1024;

/** The rows of a payout file; `-` is standard input, whose kind is told by its content. Throws CliError usage for what can't be read. */
export const readBatchFile = async (path: string, context: Pick<Context, "readStdin" | "signal">): Promise<AsyncIterable<SourceRow> | Iterable<SourceRow>> => {
  if (!isStdin(path)) return (await readTableFile(path, context.signal)).rows;
  return (await readTable(await context.readStdin(stdinBytesMax), "standard input")).rows;
};

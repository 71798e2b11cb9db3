import { open, stat } from "node:fs/promises";
import { CliError, errorCode, usageError } from "../errors.ts";
import { readBytes } from "../read-bytes.ts";

/** Where a shell puts the pipe of `<(…)`; the first three are standard input itself. */
const ownStdin: readonly string[] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
const shellPipe = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

/** `/dev/stdin` is read as `-` is: once, bounded, and ended by Ctrl-C. */
export const isStdin = (path: string): boolean => path === "-" || ownStdin.includes(path);

/** A name that the shell made for a pipe: read once, nothing can be written beside it. */
export const isShellPipe = (path: string): boolean => shellPipe.test(path);

/**
 * Whether the path is a pipe of the shell's, to be read once and bounded, or a plain file. A device has no end, and a named pipe
 * without a writer holds its reader for ever: both are refused before they are opened. Throws CliError usage, or the file system's error.
 */
export const inputKind = async (path: string): Promise<"file" | "pipe"> => {
  const stats = await stat(path);
  if (stats.isFile()) return "file";
  if (stats.isFIFO() && isShellPipe(path)) return "pipe";
  if (stats.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
  throw usageError(`${path} is not a plain file, so it is not read.`, "Give a file, or pipe what is to be read into standard input with -");
};

/** Both paths lead to one file that exists. */
export const isSameFile = async (one: string, other: string): Promise<boolean> => {
  const [here, there] = await Promise.all([one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return here?.isFile() === true && here.dev === there?.dev && here.ino === there.ino;
};

export const chunkBytes = 256 * 1024;

/** The pieces of a plain file or a shell's pipe, each of which may be overwritten by the next. Ends with the signal, whose reason is thrown. */
export const inputPieces = async function* (path: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if ((await inputKind(path)) === "pipe") {
    const { pipePieces } = await import("./pipe-pieces.ts");
    yield* pipePieces(path, signal);
    return;
  }
  const handle = await open(path, "r");
  try {
    const buffer = new Uint8Array(chunkBytes);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
};

/** All bytes at once. Throws CliError usage beyond the limit. */
export const collect = (pieces: AsyncIterable<Uint8Array>, name: string, bytesMax: number): Promise<Uint8Array> =>
  readBytes(pieces, bytesMax, () => usageError(`${name} is larger than ${Math.floor(bytesMax / 1024 / 1024)} MB.`, "Cut it into smaller files"));

/** All bytes of a plain file or a shell's pipe. Throws CliError usage where there are more than allowed, or it cannot be read. */
export const readInputFile = async (path: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array> => {
  try {
    return await collect(inputPieces(path, signal), path, bytesMax);
  } catch (error) {
    throw error instanceof CliError ? error : usageError(`The file ${path} cannot be read (${errorCode(error) ?? "unreadable"}).`);
  }
};

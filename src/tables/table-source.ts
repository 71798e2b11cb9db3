import { stat } from "node:fs/promises";
import { CliError, errorCode, usageError } from "../errors.ts";
import { chunkBytes, collect, inputKind, inputPieces } from "./input-file.ts";

/** The bytes of a table, to be gone through again and again. A piece may be overwritten by the next. */
export type TableSource = { readonly name: string; readonly pieces: () => AsyncGenerator<Uint8Array> };

/** What a pipe may bring, as it has to be kept. */
const pipeBytesMax = 256 * 1024 * 1024;

/** `name` is what messages call it. */
export const sourceOfBytes = (bytes: Uint8Array, name: string): TableSource => ({
  name,
  pieces: async function* () {
    for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
  },
});

/** A plain file is read from disk each time, so that memory does not grow with it; a shell's pipe is read once and held. Throws CliError usage, and the signal's reason. */
export const sourceOfFile = async (path: string, signal?: AbortSignal): Promise<TableSource> => {
  try {
    if ((await inputKind(path)) === "pipe") return sourceOfBytes(await collect(inputPieces(path, signal), path, pipeBytesMax), path);
    const first = await stampOf(path);
    return { name: path, pieces: () => filePieces(path, first, signal) };
  } catch (cause) {
    throw unreadable(path, cause);
  }
};

const filePieces = async function* (path: string, first: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* inputPieces(path, signal);
    if ((await stampOf(path)) !== first) throw usageError(`${path} changed while it was read.`, "Run again when nothing writes to it");
  } catch (cause) {
    throw signal?.aborted === true ? cause : unreadable(path, cause);
  }
};

/** What tells that a file is still the same. */
const stampOf = async (path: string): Promise<string> => {
  const found = await stat(path);
  return `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}`;
};

const reasons: Readonly<Record<string, string>> = { ENOENT: "there is no such file", EACCES: "permission denied", EISDIR: "it is a folder" };
const unreadable = (path: string, cause: unknown): unknown => {
  if (cause instanceof CliError) return cause;
  const code = errorCode(cause) ?? "";
  return new CliError("usage", `${path} cannot be read: ${reasons[code] ?? (code === "" ? "unknown reason" : code)}.`, {
    cause,
    hint: code === "ENOENT" ? "Check its name, and the folder that you are in." : undefined,
  });
};

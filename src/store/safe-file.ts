import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { getuid, platform } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { CliError, usageError } from "../kernel/errors.ts";
import { fileFault } from "./file-fault.ts";
import { makeFolder } from "./make-folder.ts";

const privateFile = 0o600;
const privateFolder = 0o700;
const sticky = 0o1000;
const othersMay = 0o077;
const bytesMax = 16 * 1024 * 1024;
// Windows has neither modes nor these flags: access there is what the user's profile folder has.
const posix = platform !== "win32";
const readFlags = posix ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK : constants.O_RDONLY;

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

export const unusableFile = (path: string, doing: "read" | "written", error: unknown): CliError => {
  const { reason, hint } = fileFault(path, error);
  return new CliError("usage", `${path} cannot be ${doing}: ${reason}.`, { hint, cause: error });
};

const refuseSymlink = (path: string): CliError =>
  usageError(
    `${path} is a symbolic link; keys are only kept in real files and folders.`,
    "Replace the link by the file itself, or set PAYMENTS_HOME to a real folder.",
  );

/**
 * Closes a folder of ours to others (cli.md: 0700), also where a wider one stood. A folder that is not this user's, or is
 * shared on purpose (sticky, like /tmp), is left as it is: the files in it are 0600 all the same.
 */
const closeFolder = async (path: string): Promise<void> => {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) throw refuseSymlink(path);
  if (!stats.isDirectory()) throw usageError(`${path} is not a folder.`);
  const ours = typeof getuid !== "function" || getuid() === stats.uid;
  // Where the mode can't be narrowed (a read-only disk) reading still is what was asked for; writing fails by itself.
  if (posix && ours && (stats.mode & othersMay) !== 0 && (stats.mode & sticky) === 0) await chmod(path, privateFolder).catch(() => undefined);
};

const ourFolders: readonly string[] = ["config", "data", "cache"];

/** Closes the folder, and the one around it where that holds nothing but our own: a PAYMENTS_HOME made for us, not somebody's project. */
const tightenFolder = async (path: string): Promise<void> => {
  await closeFolder(path);
  const home = dirname(path);
  if (!ourFolders.includes(basename(path))) return;
  const names = await readdir(home).catch(() => undefined);
  if (names === undefined || !names.every((name) => ourFolders.includes(name))) return;
  if (!(await lstat(home)).isSymbolicLink()) await closeFolder(home);
};

/** Makes the folder with mode 0700, or closes one that is there. Throws CliError usage where it can't be made or is a link. */
export const ensureFolder = async (path: string): Promise<void> => {
  try {
    makeFolder(path);
    await tightenFolder(path);
  } catch (error) {
    throw error instanceof CliError ? error : unusableFile(path, "written", error);
  }
};

/** Closes a file to others without opening it: to close any descriptor of a lock would drop it. */
export const narrowFile = async (path: string): Promise<void> => {
  const stats = await lstat(path).catch(() => undefined);
  if (posix && stats?.isFile() === true && (stats.mode & othersMay) !== 0) await chmod(path, privateFile).catch(() => undefined);
};

const readHandle = async (path: string, handle: FileHandle): Promise<Uint8Array> => {
  const stats = await handle.stat();
  if (!stats.isFile()) throw usageError(`${path} is not a plain file.`);
  if (stats.size > bytesMax) throw usageError(`${path} is too large to be one of this program's files.`);
  // Where the mode can't be narrowed (another's file, a read-only disk) reading still is what was asked for.
  if (posix && (stats.mode & othersMay) !== 0) await handle.chmod(privateFile).catch(() => undefined);
  return await handle.readFile();
};

/**
 * The bytes of a private file; undefined where there is none. Narrows its mode to 0600 and its folder's to 0700.
 * Throws CliError usage for links, pipes and devices (none of them is opened for long), and for what can't be read.
 */
export const readPrivateFile = async (path: string): Promise<Uint8Array | undefined> => {
  let handle: FileHandle | undefined;
  try {
    if ((await lstat(path)).isSymbolicLink()) throw refuseSymlink(path);
    handle = await open(path, readFlags);
    const bytes = await readHandle(path, handle);
    await tightenFolder(dirname(path));
    return bytes;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP") throw refuseSymlink(path);
    throw error instanceof CliError ? error : unusableFile(path, "read", error);
  } finally {
    await handle?.close();
  }
};

const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, posix ? constants.O_RDONLY : "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** On Windows a virus scanner or a reader may hold the old file for a moment. */
export const renameOver = async (from: string, to: string): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (posix || tries === 20 || !["EPERM", "EACCES", "EBUSY"].includes(codeOf(error) ?? "")) throw error;
      await pause(25);
    }
  }
};

/** Plain writing of a new file, for content that needs no library. */
export const writeNewFile = async (path: string, content: string): Promise<void> => {
  const handle = await open(path, "wx", privateFile);
  try {
    await handle.writeFile(content);
  } catch (error) {
    // A full disk leaves an empty file.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
};

/**
 * Puts `path` in place as a whole or not at all: `stage` writes a fresh file beside it, which is read back, synced, renamed
 * over `path`, and the folder synced. Throws CliError usage if that fails; then the old file stands.
 */
export const replaceFile = async (
  path: string,
  content: string,
  options: { readonly stagedAs: string; readonly stage?: (stagedPath: string) => Promise<void> },
): Promise<void> => {
  const staged = options.stagedAs;
  try {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isSymbolicLink()) throw refuseSymlink(path);
    if (stats !== undefined && !stats.isFile()) throw usageError(`${path} is not a plain file.`);
    await (options.stage ?? ((stagedPath) => writeNewFile(stagedPath, content)))(staged);
    if (posix) await chmod(staged, privateFile);
    const written = await readPrivateFile(staged);
    // A full disk can cut a file short without an error: what was not written whole never replaces what was.
    if (written === undefined || new TextDecoder().decode(written) !== content) throw usageError(`${path} could not be written whole: the disk may be full.`);
    await syncPath(staged);
    await renameOver(staged, path);
    if (posix) await syncPath(dirname(path)).catch(() => undefined);
  } catch (error) {
    throw error instanceof CliError ? error : unusableFile(path, "written", error);
  } finally {
    await rm(staged, { force: true }).catch(() => undefined);
  }
};

import type { Stats } from "node:fs";
import { chmod, lstat, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { getuid, platform } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { CliError, errorCode, usageError } from "../errors.ts";
import { fileFault } from "./file-fault.ts";
import { makeFolder } from "./make-folder.ts";

export const privateFile = 0o600;
const privateFolder = 0o700;
const sticky = 0o1000;
const othersMay = 0o077;
const bytesMax = 16 * 1024 * 1024;
// Windows has no modes: access there is what the user's profile folder has.
const posix = platform !== "win32";

export const unusableFile = (path: string, doing: "read" | "written", error: unknown): CliError => {
  const { reason, hint } = fileFault(path, error);
  return new CliError("usage", `${path} cannot be ${doing}: ${reason}.`, { hint, cause: error });
};

const refuseSymlink = (path: string, stats: Stats): void => {
  if (!stats.isSymbolicLink()) return;
  throw usageError(`${path} is a symbolic link; keys are only kept in real files and folders.`, "Replace the link by the file or folder that it points to.");
};

/**
 * Closes a path of this user's to others, also if it was wider before. Never opens it: to close any descriptor of a lock would drop
 * the lock. What is shared on purpose (sticky, like /tmp) stays so. Reading goes on even if the mode cannot be changed.
 */
const narrow = async (path: string, { mode, uid }: Stats, to: number): Promise<void> => {
  const ours = getuid === undefined || getuid() === uid;
  if (posix && ours && (mode & othersMay) !== 0 && (mode & sticky) === 0) await chmod(path, to).catch(() => undefined);
};

export const narrowFile = async (path: string): Promise<void> => {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() === true) await narrow(path, stats, privateFile);
};

const narrowFolder = async (path: string): Promise<void> => {
  const stats = await lstat(path);
  refuseSymlink(path, stats);
  if (!stats.isDirectory()) throw usageError(`${path} is not a folder.`);
  await narrow(path, stats, privateFolder);
};

const ourFolders: readonly string[] = ["config", "data", "cache"];

/** Closes the folder, and the one around it if that holds nothing but our own: a PAYMENTS_HOME made for us, not somebody's project. */
const tightenFolder = async (path: string): Promise<void> => {
  await narrowFolder(path);
  const home = dirname(path);
  if (!ourFolders.includes(basename(path))) return;
  const names = await readdir(home).catch(() => undefined);
  if (names === undefined || !names.every((name) => ourFolders.includes(name))) return;
  if (!(await lstat(home)).isSymbolicLink()) await narrowFolder(home);
};

/** Makes the folder with mode 0700, or closes one that is there. Throws CliError usage if it cannot be made or is a link. */
export const ensureFolder = async (path: string): Promise<void> => {
  try {
    makeFolder(path);
    await tightenFolder(path);
  } catch (error) {
    throw error instanceof CliError ? error : unusableFile(path, "written", error);
  }
};

/**
 * The bytes of a private file; undefined if there is no file. Narrows its mode to 0600 and its folder's to 0700.
 * Throws CliError usage for links, pipes and devices, and for what cannot be read.
 */
export const readPrivateFile = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    const stats = await lstat(path);
    refuseSymlink(path, stats);
    if (!stats.isFile()) throw usageError(`${path} is not a plain file.`);
    if (stats.size > bytesMax) throw usageError(`${path} is too large to be one of this program's files.`);
    await narrow(path, stats, privateFile);
    await tightenFolder(dirname(path));
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error instanceof CliError ? error : unusableFile(path, "read", error);
  }
};

/** On Windows a virus scanner or a reader may hold the old file for a moment. */
export const renameOver = async (from: string, to: string): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (posix || tries === 20 || !["EPERM", "EACCES", "EBUSY"].includes(errorCode(error) ?? "")) throw error;
      await pause(25);
    }
  }
};

/**
 * Replaces the JSON file at `path` as a whole or not at all: `write` makes a fresh file at the path that it is given, which then takes
 * the old one's name. Throws CliError usage if that fails; then the old file stands.
 */
export const replaceFile = async (path: string, write: (staged: string) => Promise<void>): Promise<void> => {
  const staged = path.replace(/json$/, `${crypto.randomUUID()}.json`);
  try {
    await write(staged);
    await renameOver(staged, path);
  } catch (error) {
    throw error instanceof CliError ? error : unusableFile(path, "written", error);
  } finally {
    await rm(staged, { force: true }).catch(() => undefined);
  }
};

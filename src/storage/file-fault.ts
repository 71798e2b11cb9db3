import { accessSync, constants, lstatSync } from "node:fs";
import { dirname, isAbsolute, sep } from "node:path";
import { errorCode } from "../errors.ts";
import { quoteForShell } from "../shell.ts";

/** Why the system refuses a path, and what to do about it. */
export type FileFault = { readonly reason: string; readonly hint: string };
/** Who runs this program, and whose a path is. */
export type Owners = {
  /** Undefined on Windows, which has no owners of this kind. */
  readonly self: number | undefined;
  /** The user that a path belongs to; undefined if it does not exist; hidden if this user may not look. */
  readonly uidOf: (path: string) => number | "hidden" | undefined;
  readonly mayWrite: (folder: string) => boolean;
};

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is a file",
  EEXIST: "a file has the name of its folder",
  ENOENT: "its folder does not exist and cannot be made",
  ENAMETOOLONG: "its path is too long",
};
const elsewhere = "set PAYMENTS_HOME to a folder that this user can write";
const inPlace = "let this user read and write it where it is: it may know of payments that must not be made twice";

/** The owners on this machine. */
export const machineOwners: Owners = {
  self: process.getuid?.(),
  uidOf: (path) => {
    try {
      return lstatSync(path, { throwIfNoEntry: false })?.uid;
    } catch (error) {
      return errorCode(error) === "EACCES" ? "hidden" : undefined;
    }
  },
  mayWrite: (folder) => {
    try {
      accessSync(folder, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  },
};

/**
 * The reason in words, for errors of the file system and of SQLite, which names none. A file that belongs to somebody else
 * (after one `sudo`) is the reason whatever the error says; the hint then has the command that gives it back. Another folder is
 * advised only where nothing of this program is: a new home would not know of the payments in the old one.
 */
export const fileFault = (path: string, error: unknown, owners: Owners = machineOwners): FileFault => {
  const code = errorCode(error) ?? "";
  const isNew = owners.uidOf(dirname(path)) === undefined;
  const room = isNew ? `Free some space, or ${elsewhere}` : "Free some space";
  const isFull = code === "ENOSPC" || code === "EDQUOT" || /disk is full/.test(String(error));
  if (isFull) return { reason: reasons[code] ?? "the disk is full", hint: room };
  const foreign = foreignPath(failedInside(dirname(path), error) ?? path, owners);
  if (foreign !== undefined) return { reason: `${foreign.path} belongs to ${foreign.owner}`, hint: foreignHint(path, foreign, owners) };
  // All that SQLite says where the disk has no room for the files beside a database.
  if (/disk I\/O error/.test(String(error))) return { reason: `the disk is full, or faulty${sqliteCode(error)}`, hint: room };
  return { reason: reasons[code] ?? (error instanceof Error ? error.message : String(error)), hint: isNew ? elsewhere : inPlace };
};

/** SQLite's extended result code (https://sqlite.org/rescode.html) says which of a dozen faults it was; not each engine hands it on. */
const sqliteCode = (error: unknown): string =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? ` (SQLite's error ${error.errcode})` : "";

/** Which file in the folder the system refused, where the error says so: a lock beside a database, for one. */
const failedInside = (folder: string, error: unknown): string | undefined =>
  error instanceof Error && "path" in error && typeof error.path === "string" && error.path.startsWith(`${folder}${sep}`) ? error.path : undefined;

/** A closed folder further up may be somebody's home (sudo -u, with HOME unchanged), which is not to be given away. */
const foreignHint = (path: string, { path: foreign, owner, isClosed }: Foreign, owners: Owners): string => {
  if (!isClosed || [dirname(path), dirname(dirname(path))].includes(foreign)) return giveBack([foreign], owners);
  return `run it as ${owner}; if this user has never paid from there, ${elsewhere}`;
};

/** The command that gives paths back to this user. */
export const giveBack = (paths: readonly string[], { self }: Pick<Owners, "self"> = machineOwners): string =>
  `give it back with: sudo chown -R ${self ?? ""} ${paths.map((path) => quoteForShell(path)).join(" ")}`;

/** Root may do everything, and Windows has no owners of this kind. */
export const isForeign = (uid: number | undefined, self = machineOwners.self): boolean => uid !== undefined && self !== undefined && self !== 0 && uid !== self;
export const ownerName = (uid: number): string => (uid === 0 ? "root" : `the user with the number ${uid}`);

type Foreign = {
  readonly path: string;
  readonly owner: string;
  /** What is inside cannot be seen. */
  readonly isClosed: boolean;
};
/**
 * The uppermost path that belongs to somebody else inside a folder of this user's own, from `path` upwards; failing that the
 * folder of `path`, which is this program's, or one that hides it. Never a system folder above: giving away /var/lib helps nobody.
 */
const foreignPath = (path: string, { self, uidOf, mayWrite }: Owners): Foreign | undefined => {
  if (!isAbsolute(path)) return undefined;
  const folder = dirname(path);
  let found: Foreign | undefined;
  let nearest: Foreign | undefined;
  let isClosed = false;
  for (let at = path; ; at = dirname(at)) {
    const uid = uidOf(at);
    if (uid === "hidden") isClosed = true;
    else if (uid !== undefined && isForeign(uid, self)) {
      found = { path: at, owner: ownerName(uid), isClosed: false };
      if (at === path || at === folder || isClosed) nearest = { ...found, isClosed };
      isClosed = false;
    }
    // SQLite and a safe replacement write beside a file, so one's own in a folder of somebody else's is not enough.
    else if (uid !== undefined && (at !== path || mayWrite(folder))) return found;
    if (dirname(at) === at) return nearest;
  }
};

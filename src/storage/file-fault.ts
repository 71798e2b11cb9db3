import { lstatSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { quoteForShell } from "../shell.ts";

/** Why the system refuses a path, and what to do about it. */
export type FileFault = { readonly reason: string; readonly hint: string };
/** Who runs this program, and whose a path is. */
export type Owners = {
  /** Undefined on Windows, which has no owners of this kind. */
  readonly self: number | undefined;
  /** The user that a path belongs to; undefined if it does not exist, or nobody may look. */
  readonly uidOf: (path: string) => number | undefined;
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

/** The owners on this machine. */
export const machineOwners: Owners = {
  self: process.getuid?.(),
  uidOf: (path) => {
    try {
      return lstatSync(path).uid;
    } catch {
      return undefined;
    }
  },
};

/**
 * The reason in words, for errors of the file system and of SQLite, which names none. A file that belongs to somebody else
 * (after one `sudo`) is the reason whatever the error says; the hint then has the command that gives it back.
 */
export const fileFault = (path: string, error: unknown, owners: Owners = machineOwners): FileFault => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isFull = code === "ENOSPC" || code === "EDQUOT" || /disk is full/.test(String(error));
  if (isFull) return { reason: reasons[code] ?? "the disk is full", hint: `free some space, or ${elsewhere}` };
  const foreign = foreignPath(path, owners);
  if (foreign !== undefined) return { reason: `${foreign.path} belongs to ${foreign.owner}`, hint: giveBack([foreign.path], owners) };
  return { reason: reasons[code] ?? (error instanceof Error ? error.message : String(error)), hint: elsewhere };
};

/** The command that gives paths back to this user. */
export const giveBack = (paths: readonly string[], { self }: Owners = machineOwners): string =>
  `give it back with: sudo chown -R ${self ?? ""} ${paths.map((path) => quoteForShell(path)).join(" ")}    or ${elsewhere}`;

/** Root may do everything, and Windows has no owners of this kind. */
export const isForeign = (uid: number | undefined, self = machineOwners.self): boolean => uid !== undefined && self !== undefined && self !== 0 && uid !== self;
export const ownerName = (uid: number): string => (uid === 0 ? "root" : `the user with the number ${uid}`);

type Foreign = { readonly path: string; readonly owner: string };
/**
 * The uppermost path that belongs to somebody else inside a folder of this user's own, from `path` upwards; failing that the
 * folder of `path`, which is this program's. Never a system folder above it: giving away /var/lib helps nobody.
 */
const foreignPath = (path: string, { self, uidOf }: Owners): Foreign | undefined => {
  if (!isAbsolute(path)) return undefined;
  let found: Foreign | undefined;
  let nearest: Foreign | undefined;
  for (let at = path; ; at = dirname(at)) {
    const uid = uidOf(at);
    if (uid !== undefined && !isForeign(uid, self)) return found;
    if (uid !== undefined) found = { path: at, owner: ownerName(uid) };
    if (at === path || at === dirname(path)) nearest = found;
    if (dirname(at) === at) return nearest;
  }
};

import { lstat, readdir, statfs } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { platform, versions } from "node:process";
import { environmentNames } from "../../cli/help-topics.ts";
import { CliError, errorCode, usageError } from "../../errors.ts";
import { countOf, groupedCount } from "../../money/grouped.ts";
import { nearest } from "../../nearest.ts";
import { duration } from "../../output/format.ts";
import type { Context } from "../../ports.ts";
import { readExtraCertificates } from "../../service/extra-certificates.ts";
import { clockLagMs } from "../../service/retry.ts";
import { quoteForShell } from "../../shell.ts";
import { fileFault, giveBack, isForeign, ownerName } from "../../storage/file-fault.ts";
import { utcTime } from "../../utc-time.ts";

const oldest = [20, 19] as const;

/** The runtime: package.json's `engines`. Throws CliError for what is not well, like the others here. */
export const runtimeDetail = (version: string): string => {
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  const detail = `Node ${versions.node} on ${platform}, payments-cli ${version}`;
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return detail;
  throw usageError(`${detail}: Node ${oldest.join(".")} or newer is needed`, "Install a newer Node from https://nodejs.org");
};

const isWindows = platform === "win32";
const most = 200;

type Found = { readonly open: readonly string[]; readonly foreign: readonly string[] };
const nothing: Found = { open: [], foreign: [] };

/** Paths of ours that others can read, and those that belong to somebody else, below a folder and the folder itself. */
const inspectPaths = async (path: string, depth = 3): Promise<Found> => {
  const here = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (here === undefined || here.isSymbolicLink()) return nothing;
  // What is inside may be out of sight, and goes with it.
  if (isForeign(here.uid)) return { open: [], foreign: [path] };
  const open = (here.mode & 0o077) === 0 ? [] : [path];
  if (!here.isDirectory() || depth === 0) return { open, foreign: [] };
  const names = (await readdir(path)).slice(0, most);
  const below = await Promise.all(names.map((name) => inspectPaths(join(path, name), depth - 1)));
  return { open: [...open, ...below.flatMap((found) => found.open)], foreign: below.flatMap((found) => found.foreign) };
};

const listed = (paths: readonly string[]): string => `${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}`;

/** Folders and files hold keys and phone numbers: 0700 and 0600, and this user's own. What does not exist yet is well. */
export const filesDetail = async (paths: Context["paths"]): Promise<string> => {
  const folders = [...new Set([paths.config, paths.data, paths.cache])];
  // Modes and owners say nothing there, and access lists are not read.
  if (isWindows) return `${folders.join(", ")}: who can read them depends on Windows' access lists, which were not checked`;
  try {
    const found = await Promise.all(folders.map((folder) => inspectPaths(folder)));
    const [foreign, open] = [found.flatMap((each) => each.foreign), found.flatMap((each) => each.open)];
    const [first] = foreign;
    if (first !== undefined) throw usageError(`${listed(foreign)} belongs to ${ownerName((await lstat(first)).uid)}`, giveBack(foreign));
    if (open.length > 0) throw usageError(`Others can read ${listed(open)}`, `chmod -R go-rwx ${folders.map((path) => quoteForShell(path)).join(" ")}`);
    return `${folders.join(", ")}: readable by you alone`;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const path = error instanceof Error && "path" in error ? String(error.path) : paths.data;
    const { reason, hint } = fileFault(path, error);
    throw usageError(`The folders cannot be read (${reason}): ${folders.join(", ")}`, hint);
  }
};

/** What a payment needs of this machine: an attempt is recorded on disk before it is sent, and locked while it is. */
export const journalDetail = async ({ journal: open, clock }: Pick<Context, "journal" | "clock">): Promise<string> => {
  const journal = await open();
  const [[last], newest] = [await journal.list({ limit: 1 }), await journal.newestTime()];
  const damaged = await journal.check();
  await journal.exclusively("doctor", async () => undefined);
  const lost = journal.lost();
  if (lost !== undefined) throw lost;
  if (damaged.length > 0) {
    const hint = "Each counts as open. payments-cli journal show ID shows what can still be read; journal resume ID --mark closes it.";
    throw usageError(`It has ${countOf(damaged.length, "damaged attempt")}: ${damaged.slice(0, 5).join(", ")}`, hint);
  }
  const aheadMs = newest === undefined ? 0 : Date.parse(newest) - clock.now();
  if (aheadMs > clockLagMs) {
    const hint = "Set this machine's clock: until then no attempt of unknown outcome is sent again.";
    throw usageError(`The clock is ${duration(aheadMs)} behind the newest time in the journal`, hint);
  }
  const { journal: kind, where, who, role } = await journal.status();
  const place = kind === "file" ? "written and synced to disk" : `shared at ${where}, as ${who} (${role}), committed to disk`;
  return `${place}; ${last === undefined ? "no payments yet" : `newest payment ${utcTime(last.startedAt)}`}`;
};

const freeBytesMin = 16 * 1024 * 1024;

/** A payment needs a few kilobytes, a batch a few megabytes. Nothing if there is no folder yet, which the journal's check reports. */
export const diskDetail = async (paths: Context["paths"]): Promise<string> => {
  const found = await (async () => await statfs(paths.data))().catch(() => undefined);
  if (found === undefined) return "";
  const free = found.bavail * found.bsize;
  const detail = `${groupedCount(Math.floor(free / 1_000_000))} MB free at ${paths.data}`;
  if (found.blocks === 0) return "the file system does not say how much is free";
  if (free < freeBytesMin) throw usageError(detail, "Free some space: what cannot be recorded is not paid.");
  return detail;
};

/** Settings that are not read because of their name, and others that have no effect. */
export const environmentDetail = (env: Context["env"]): string => {
  for (const variable of Object.keys(env)) {
    const own = /^payments?_(.+)$/i.exec(variable)?.[1];
    if (own === undefined || environmentNames.includes(variable)) continue;
    const known = environmentNames.map((name) => name.slice("PAYMENTS_".length).toLowerCase());
    const meant = nearest(own, known);
    if (meant !== undefined) throw usageError(`${variable} is not a setting of this program`, `Did you mean PAYMENTS_${meant.toUpperCase()}?`);
  }
  const isSet = (variable: string): boolean => (env[variable] ?? "").trim() !== "";
  const notes = [
    ...(isSet("PAYMENTS_PROFILE") && isSet("PAYMENTS_API_KEY") && isSet("PAYMENTS_BASE_URL")
      ? ["PAYMENTS_PROFILE is not used, because PAYMENTS_API_KEY and PAYMENTS_BASE_URL are set"]
      : []),
    ...(isSet("PAYMENTS_HOME") && !isAbsolute((env["PAYMENTS_HOME"] ?? "").replace(/^[\s"']+/, ""))
      ? ["PAYMENTS_HOME is a relative path, so each current folder has a journal of its own, and the duplicate guard knows that one alone"]
      : []),
  ];
  const used = environmentNames.filter(isSet);
  return notes.length > 0 ? notes.join("; ") : used.length === 0 ? "no settings" : `settings from ${used.join(", ")}`;
};

/** Without the file every certificate by that authority fails, for no visible reason. Nothing if none is named. */
export const extraAuthorities = async (env: Context["env"]): Promise<string> => {
  const found = await readExtraCertificates(env);
  if (found === undefined) return "";
  if ("count" in found) return `${found.count} in ${found.path} (NODE_EXTRA_CA_CERTS)`;
  throw usageError(`NODE_EXTRA_CA_CERTS names ${found.path}, which ${found.fault}`, "Correct NODE_EXTRA_CA_CERTS to the path of a PEM file, or unset it.");
};

import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { platform, versions } from "node:process";
import type { Context } from "../../kernel/context.ts";
import { CliError } from "../../kernel/errors.ts";
import { type Check, fault, well } from "./check.ts";

const oldest = [20, 19] as const;

/** The runtime: package.json's `engines`. */
export const checkRuntime = (version: string): Check => {
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  const detail = `Node ${versions.node} on ${platform}, payments-cli ${version}`;
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return well("runtime", detail);
  return fault("runtime", "usage", `${detail}: Node ${oldest.join(".")} or newer is needed`, "Install a newer Node from https://nodejs.org");
};

const errorCode = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "unreadable");
const most = 200;

/** Paths of ours that others can read, below a folder and the folder itself. Windows has no modes. */
const openPaths = async (folder: string, depth = 3): Promise<readonly string[]> => {
  const here = await lstat(folder).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (here === undefined) return [];
  const open = (here.mode & 0o077) === 0 || platform === "win32" ? [] : [folder];
  if (!here.isDirectory()) return here.isSymbolicLink() ? [] : open;
  if (depth === 0) return open;
  const names = (await readdir(folder)).slice(0, most);
  const below = await Promise.all(names.map((name) => openPaths(join(folder, name), depth - 1)));
  return [...open, ...below.flat()];
};

/** Folders and files hold keys and phone numbers: 0700 and 0600. What is not there yet is well. */
export const checkFiles = async (paths: Context["paths"]): Promise<Check> => {
  const folders = [...new Set([paths.config, paths.data, paths.cache])];
  try {
    const open = (await Promise.all(folders.map((folder) => openPaths(folder)))).flat();
    if (open.length === 0) return well("files", `${folders.join(", ")}: readable by you alone`);
    const first = open.slice(0, 3).join(", ");
    return fault(
      "files",
      "usage",
      `Others can read ${first}${open.length > 3 ? ` and ${open.length - 3} more` : ""}`,
      `chmod -R go-rwx ${folders.map(quoted).join(" ")}`,
    );
  } catch (error) {
    return fault(
      "files",
      "usage",
      `The folders cannot be read (${errorCode(error)}): ${folders.join(", ")}`,
      "Make them yours, or set PAYMENTS_HOME to a folder that is.",
    );
  }
};

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** Every payment is recorded before it is sent: without a journal none can be. */
export const checkJournal = async (context: Pick<Context, "journal">): Promise<Check> => {
  try {
    const [newest] = await (await context.journal()).list({ limit: 1 });
    return well("journal", newest === undefined ? "can be written; no payments yet" : `can be written; newest payment ${newest.startedAt}`);
  } catch (error) {
    return faultOf("journal", error, "Payments cannot be recorded, so none would be sent.");
  }
};

/** Node ignores a file that it cannot read, with a warning at most: every certificate by that authority then fails for no visible reason. */
export const checkExtraAuthorities = async (env: Context["env"]): Promise<readonly Check[]> => {
  const path = env["NODE_EXTRA_CA_CERTS"] ?? "";
  if (path === "") return [];
  const name = "extra certificates";
  const hint = "Correct NODE_EXTRA_CA_CERTS to the path of a PEM file, or unset it.";
  try {
    const count = (await readFile(path, "latin1")).split("-----BEGIN CERTIFICATE-----").length - 1;
    if (count === 0) return [fault(name, "usage", `NODE_EXTRA_CA_CERTS names ${path}, which holds no certificate in PEM form`, hint)];
    return [well(name, `${count} in ${path} (NODE_EXTRA_CA_CERTS)`)];
  } catch (error) {
    return [fault(name, "usage", `NODE_EXTRA_CA_CERTS names ${path}, which cannot be read (${errorCode(error)}), so it is ignored`, hint)];
  }
};

/** A fault as its error tells it. Anything but an error of ours is a fault of this program. */
export const faultOf = (name: string, error: unknown, otherwise: string): Check => {
  if (error instanceof CliError) return fault(name, error.kind, error.message, error.hint);
  return fault(name, "bug", `${otherwise} (${errorCode(error)})`);
};

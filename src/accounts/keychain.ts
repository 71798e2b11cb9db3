import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { CliError } from "../errors.ts";
import { readAssets } from "./assets.ts";

const answerWithinMs = 3000;
const service = "payments-cli";
const moduleName = "@napi-rs/keyring";

type Failure = {
  readonly done: false;
  readonly reason: string;
  /** Nothing of a write is left in the keychain. */
  readonly clean: boolean;
  readonly late?: true;
};
type Reply = { readonly done: true; readonly value: string | null } | Failure;

const parseReply = (text: string, started: boolean): Reply => {
  try {
    const reply: Reply = JSON.parse(text);
    return reply.done ? reply : { ...reply, reason: (reply.reason.split(/[\r\n]/, 1)[0] ?? "").replace(/\.$/, "") };
  } catch {
    // Nothing whole was said: the process died, as it does if the native part cannot run.
    return { done: false, reason: "it could not be asked", clean: !started };
  }
};

const ask = async (operation: "read" | "write" | "remove", entry: string, secret = ""): Promise<Reply> => {
  const module = findModule();
  if (module === undefined)
    return { done: false, reason: `the optional package ${moduleName} is not installed (npm install --global ${moduleName})`, clean: true };
  const program = String(readAssets()["keychain-program.cjs"]);
  const running = promisify(execFile)(execPath, ["-e", program], { timeout: answerWithinMs, killSignal: "SIGKILL", windowsHide: true });
  const { child } = running;
  child.stdin?.on("error", () => undefined).end(JSON.stringify({ module, service, entry, operation, secret }));
  const { stdout = "" } = await running.catch((error: { readonly stdout?: string }) => error);
  if (child.killed) return { done: false, reason: `it did not answer within ${answerWithinMs / 1000} seconds`, clean: false, late: true };
  return parseReply(stdout, child.pid !== undefined);
};

const findModule = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(moduleName);
  } catch {
    return undefined;
  }
};

/** What may be in the keychain although the command failed. */
export const leftover = (entry: string): string =>
  `The keychain may still hold the key, now or a little later: look for the entry "${entry}" of ${service} in the system's keychain program and remove it.`;

/** The operating system's keychain. Entries are named by us, one for each stored key. Nothing is loaded or started before the first call. */
export const keychain = {
  /** undefined if there is no such entry. Throws CliError config (3) if the keychain cannot be read in 3 s. */
  read: async (entry: string): Promise<string | undefined> => {
    const reply = await ask("read", entry);
    if (reply.done) return reply.value ?? undefined;
    throw new CliError("config", `The keychain that holds this profile's key cannot be read: ${reply.reason}.`, {
      hint: "Unlock it or log in to the desktop session, or set PAYMENTS_API_KEY and PAYMENTS_BASE_URL for this call.",
    });
  },
  /** Throws CliError usage (2) without a usable keychain, unavailable (10) if it does not answer in 3 s; it says what may be left there. */
  write: async (entry: string, secret: string): Promise<void> => {
    const reply = await ask("write", entry, secret);
    if (reply.done) return;
    // Never let a library's message carry what it was given.
    const reason = reply.reason.includes(secret) ? "it refused" : reply.reason;
    const stored = reply.clean ? "Nothing was stored." : `The profile was not stored. ${leftover(entry)}`;
    throw new CliError(reply.late ? "unavailable" : "usage", `There is no usable keychain here: ${reason}. ${stored}`, {
      hint: "Without --keychain the key is kept in a file that only you can read.",
    });
  },
  /** Returns once the entry is gone, or was not there. Throws CliError config (3) if it may still be there. */
  remove: async (entry: string): Promise<void> => {
    const reply = await ask("remove", entry);
    if (reply.done) return;
    throw new CliError("config", `The keychain did not remove the entry "${entry}" of ${service}, which holds the key: ${reply.reason}.`);
  },
};

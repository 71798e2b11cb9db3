import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { execPath } from "node:process";
import { CliError } from "../errors.ts";

/** The operating system's keychain. Entries are named by us, one for each stored key. */
export type Keychain = {
  /** undefined if there is no such entry. Throws CliError config (3) if the keychain cannot be read in 3 s. */
  read(entry: string): Promise<string | undefined>;
  /** Throws CliError usage (2) without a usable keychain, unavailable (10) if it does not answer in 3 s; it says what may be left there. */
  write(entry: string, secret: string): Promise<void>;
  /** Returns once the entry is gone, or was not there. Throws CliError config (3) if it may still be there. */
  remove(entry: string): Promise<void>;
};

const answerWithinMs = 3000;
const service = "payments-cli";
const moduleName = "@napi-rs/keyring";

/**
 * Runs in a process of its own: a keychain that hangs in native code can only be given up by ending that process. On Linux the
 * secret service is asked and nothing else, as the kernel's keyring forgets. What was written is read back, so that "stored" is
 * true; if that fails it is removed again.
 */
const program = `
const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
  const { module, service, entry, operation, secret } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  let clean = true;
  let item;
  const write = () => {
    clean = false;
    item.setPassword(secret);
    if (item.getPassword() !== secret) throw new Error("it did not keep what was written");
  };
  const undo = () => {
    try {
      item.deleteCredential();
      clean = true;
    } catch {}
  };
  const answer = (reply) => process.stdout.write(JSON.stringify(reply));
  try {
    const { Entry } = require(module);
    item = new Entry(service, entry, { linux: { store: "secret-service" } });
    if (operation === "write") write();
    else if (operation === "remove") item.deleteCredential();
    answer({ done: true, value: operation === "read" ? item.getPassword() : null });
  } catch (error) {
    if (!clean) undo();
    answer({ done: false, clean, reason: error instanceof Error ? error.message : String(error) });
  }
});`;

type Operation = "read" | "write" | "remove";
type Failure = {
  readonly done: false;
  readonly reason: string /** Nothing of a write is left in the keychain. */;
  readonly clean: boolean;
  readonly late?: true;
};
type Reply = { readonly done: true; readonly value: string | undefined } | Failure;

const parseReply = (text: string): Reply => {
  try {
    const reply: unknown = JSON.parse(text);
    if (typeof reply === "object" && reply !== null && "done" in reply) {
      if (reply.done === true) return { done: true, value: "value" in reply && typeof reply.value === "string" ? reply.value : undefined };
      if ("reason" in reply && typeof reply.reason === "string")
        return { done: false, reason: firstLine(reply.reason), clean: "clean" in reply && reply.clean === true };
    }
  } catch {
    // Nothing whole was said: the process died, as it does if the native part cannot run.
  }
  return { done: false, reason: "it could not be asked", clean: false };
};

const firstLine = (text: string): string => (text.split(/[\r\n]/, 1)[0] ?? "").replace(/\.$/, "");

const ask = async (operation: Operation, entry: string, secret = ""): Promise<Reply> => {
  const module = findModule();
  if (module === undefined)
    return { done: false, reason: `the optional package ${moduleName} is not installed (npm install --global ${moduleName})`, clean: true };
  return await new Promise((resolve) => {
    const child = spawn(execPath, ["-e", program], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    let said = "";
    const settle = (reply: Reply): void => {
      clearTimeout(timer);
      resolve(reply);
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      settle({ done: false, reason: `it did not answer within ${answerWithinMs / 1000} seconds`, clean: false, late: true });
    }, answerWithinMs);
    child.on("error", (error) => settle({ done: false, reason: error.message, clean: true }));
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
    child.on("close", () => settle(parseReply(said)));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify({ module, service, entry, operation, secret }));
  });
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

/** The keychain of this machine. Nothing is loaded or started before the first call. */
export const createKeychain = (): Keychain => ({
  read: async (entry) => {
    const reply = await ask("read", entry);
    if (reply.done) return reply.value;
    throw new CliError("config", `The keychain that holds this profile's key cannot be read: ${reply.reason}.`, {
      hint: "Unlock it or log in to the desktop session, or set PAYMENTS_API_KEY and PAYMENTS_BASE_URL for this call.",
    });
  },
  write: async (entry, secret) => {
    const reply = await ask("write", entry, secret);
    if (reply.done) return;
    // Never let a library's message carry what it was given.
    const reason = reply.reason.includes(secret) ? "it refused" : reply.reason;
    const stored = reply.clean ? "Nothing was stored." : `The profile was not stored. ${leftover(entry)}`;
    throw new CliError(reply.late ? "unavailable" : "usage", `There is no usable keychain here: ${reason}. ${stored}`, {
      hint: "Without --keychain the key is kept in a file that only you can read.",
    });
  },
  remove: async (entry) => {
    const reply = await ask("remove", entry);
    if (reply.done) return;
    throw new CliError("config", `The keychain did not remove the entry "${entry}" of ${service}, which holds the key: ${reply.reason}.`);
  },
});

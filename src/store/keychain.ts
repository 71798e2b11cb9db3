import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { arch, execPath, platform } from "node:process";
import { CliError } from "../kernel/errors.ts";
import { readSecret, removeSecret, writeSecret } from "./secret-service.ts";

/** The operating system's keychain. Entries are named by us, one for each stored key. */
export type Keychain = {
  /** undefined where there is no such entry. Throws CliError config (3) where the keychain can't be read in 3 s. */
  read(entry: string): Promise<string | undefined>;
  /** Throws CliError usage (2) where there is no keychain, unavailable (10) where it does not answer in 3 s; nothing is stored then. */
  write(entry: string, secret: string): Promise<void>;
  /** False where it could not be removed; never throws, as what refers to the entry goes all the same. */
  remove(entry: string): Promise<boolean>;
};

const answerWithinMs = 3000;
const service = "payments-cli";

/**
 * macOS and Windows: in a process of its own, as a keychain that hangs in native code can only be left by ending that process.
 * What was written is read back, so that "stored" is true.
 */
const program = `
const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", async () => {
  const { module, service, entry, operation, secret } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const answer = (value) => process.stdout.write(JSON.stringify(value));
  try {
    const { AsyncEntry } = require(module);
    const item = new AsyncEntry(service, entry);
    if (operation === "write") {
      await item.setPassword(secret);
      if ((await item.getPassword()) !== secret) throw new Error("it did not keep what was written");
    } else if (operation === "remove") await item.deleteCredential();
    const value = operation === "read" ? await item.getPassword() : null;
    answer({ done: true, value });
  } catch (error) {
    answer({ done: false, reason: error instanceof Error ? error.message : String(error) });
  }
});`;

type Operation = "read" | "write" | "remove";
type Reply = { readonly done: true; readonly value: string | undefined } | { readonly done: false; readonly reason: string; readonly late?: true };
const tooLate: Reply = { done: false, reason: `it did not answer within ${answerWithinMs / 1000} seconds`, late: true };

const parseReply = (text: string): Reply => {
  try {
    const reply = JSON.parse(text) as unknown;
    if (typeof reply === "object" && reply !== null && "done" in reply) {
      if (reply.done === true) return { done: true, value: "value" in reply && typeof reply.value === "string" ? reply.value : undefined };
      if ("reason" in reply && typeof reply.reason === "string") return { done: false, reason: reply.reason };
    }
  } catch {
    // Nothing whole was said: the process died, as it does where the native part can't run.
  }
  return { done: false, reason: "it could not be asked" };
};

const askNative = async (module: string, operation: Operation, entry: string, secret: string): Promise<Reply> =>
  await new Promise((resolve) => {
    const child = spawn(execPath, ["-e", program], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    let said = "";
    const settle = (reply: Reply): void => {
      clearTimeout(timer);
      resolve(reply);
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      settle(tooLate);
    }, answerWithinMs);
    child.on("error", (error) => settle({ done: false, reason: error.message }));
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
    child.on("close", () => settle(parseReply(said)));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify({ module, service, entry, operation, secret }));
  });

/**
 * The native part, a package for each platform. They are depended on one by one: the package that gathers them makes an
 * install ask for thirteen, most of them for platforms that have no keychain.
 */
const moduleName = `@napi-rs/keyring-${platform}-${arch}${platform === "win32" ? "-msvc" : ""}`;
const findModule = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(moduleName);
  } catch {
    return undefined;
  }
};

/** Linux: the secret service, and nothing else: the kernel's keyring forgets. */
const askSecretService = async (operation: Operation, entry: string, secret: string): Promise<Reply> => {
  const signal = AbortSignal.timeout(answerWithinMs);
  try {
    if (operation === "read") return { done: true, value: await readSecret(service, entry, signal) };
    if (operation === "remove") await removeSecret(service, entry, signal);
    else {
      await writeSecret(service, entry, secret, signal);
      if ((await readSecret(service, entry, signal)) !== secret) return { done: false, reason: "it did not keep what was written" };
    }
    return { done: true, value: undefined };
  } catch (error) {
    if (signal.aborted) return tooLate;
    return { done: false, reason: error instanceof Error ? error.message : String(error) };
  }
};

/** The keychain of this machine. Nothing is loaded or started before the first call. */
export const createKeychain = (): Keychain => {
  const ask = async (operation: Operation, entry: string, secret: string): Promise<Reply> => {
    if (platform === "linux") return await askSecretService(operation, entry, secret);
    const module = findModule();
    if (module === undefined) return { done: false, reason: `the optional package ${moduleName} is not installed` };
    return await askNative(module, operation, entry, secret);
  };
  const call = async (operation: Operation, entry: string, secret = ""): Promise<Reply> => {
    const reply = await ask(operation, entry, secret);
    // Never let a library's message carry what it was given.
    return !reply.done && secret !== "" && reply.reason.includes(secret) ? { done: false, reason: "it refused" } : reply;
  };
  return {
    read: async (entry) => {
      const reply = await call("read", entry);
      if (reply.done) return reply.value;
      throw new CliError("config", `The keychain that holds this profile's key cannot be read: ${reply.reason}.`, {
        hint: "Unlock it or log in to the desktop session, or set PAYMENTS_API_KEY and PAYMENTS_BASE_URL for this call.",
      });
    },
    write: async (entry, secret) => {
      const reply = await call("write", entry, secret);
      if (reply.done) return;
      throw new CliError(reply.late ? "unavailable" : "usage", `There is no usable keychain here: ${reply.reason}. Nothing was stored.`, {
        hint: "Without --keychain the key is kept in a file that only you can read.",
      });
    },
    remove: async (entry) => (await call("remove", entry)).done,
  };
};

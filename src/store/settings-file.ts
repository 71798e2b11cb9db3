import { basename, join } from "node:path";
import { type CliError, usageError } from "../kernel/errors.ts";
import { fieldOf, isObject, type Json, type JsonObject } from "../kernel/exact-json.ts";
import { nodeCrypto } from "../kernel/node-crypto.ts";
import { ensureFolder, narrowFile, readPrivateFile, replaceFile } from "./safe-file.ts";

/** The settings as they stand in the file. Profiles are a Map, so that a profile may be called `__proto__` like any other. */
export type Settings = {
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, JsonObject>;
  /** What a later version of this program keeps beside them: carried along untouched. */
  readonly others: JsonObject;
};

const version = 1;
const noSettings: Settings = { current: undefined, profiles: new Map(), others: {} };
const known = new Set(["version", "current", "profiles"]);

export const settingsPath = (configFolder: string): string => join(configFolder, "config.json");

const lockPath = (configFolder: string): string => join(configFolder, "config.lock");

const broken = (path: string, why: string): CliError =>
  usageError(
    `The settings file ${path} cannot be read: ${why}. It was left as it is.`,
    "Repair it, or move it away and log in again; PAYMENTS_API_KEY with PAYMENTS_BASE_URL works without it.",
  );

const parseText = (path: string, bytes: Uint8Array): Json => {
  const first = bytes[0];
  if (first === 0xef || first === 0xff || first === 0xfe) throw broken(path, "it begins with a byte order mark, or is not UTF-8");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Json;
  } catch {
    // The parser's own message quotes the text around the fault, which may be a key.
    throw broken(path, "it is not whole JSON");
  }
};

export const parseSettings = (path: string, bytes: Uint8Array): Settings => {
  const document = parseText(path, bytes);
  if (!isObject(document)) throw broken(path, "it does not hold a JSON object");
  const writtenBy = fieldOf(document, "version");
  if (typeof writtenBy === "number" && writtenBy > version) throw broken(path, "a newer version of payments-cli wrote it");
  const stored = fieldOf(document, "profiles") ?? {};
  if (!isObject(stored)) throw broken(path, '"profiles" is not an object');
  const profiles = new Map<string, JsonObject>();
  for (const [name, profile] of Object.entries(stored)) {
    if (!isObject(profile)) throw broken(path, "one of its profiles is not an object");
    profiles.set(name, profile);
  }
  const current = fieldOf(document, "current");
  const others = Object.fromEntries(Object.entries(document).filter(([name]) => !known.has(name)));
  return { current: typeof current === "string" ? current : undefined, profiles, others };
};

const toText = (settings: Settings): string => {
  // Entries, not assignment: `__proto__` becomes a field of its own.
  const profiles = Object.fromEntries(settings.profiles);
  return `${JSON.stringify({ ...settings.others, version, ...(settings.current === undefined ? {} : { current: settings.current }), profiles }, undefined, 2)}\n`;
};

/** The settings as stored; none without a file, or with one of 0 bytes. Throws CliError usage naming the file where it can't be read. */
export const readSettings = async (configFolder: string): Promise<Settings> => {
  const path = settingsPath(configFolder);
  const bytes = await readPrivateFile(path);
  await narrowFile(lockPath(configFolder));
  return bytes === undefined || bytes.length === 0 ? noSettings : parseSettings(path, bytes);
};

/**
 * conf writes the file, but a fresh one that `replaceFile` then puts in place: on the real one it would follow links, keep a
 * wide mode and take a short write on a full disk for done. It is loaded here alone, so that reading never pays for it.
 */
const stageWithConf =
  (Conf: typeof import("conf").default, configFolder: string, content: string) =>
  async (stagedPath: string): Promise<void> => {
    const conf = new Conf<Record<string, unknown>>({
      cwd: configFolder,
      configName: basename(stagedPath, ".json"),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: () => content,
      deserialize: (text) => JSON.parse(text) as Record<string, unknown>,
    });
    conf.store = {};
  };

/**
 * Changes the settings under a lock, so that of many writers at once none is lost. `change` gets what stands in the file at
 * that moment and returns what shall, or undefined to leave it. Throws CliError usage where the file can't be read or written; it is then untouched.
 */
export const updateSettings = async (configFolder: string, change: (settings: Settings) => Settings | undefined): Promise<void> => {
  const path = settingsPath(configFolder);
  await ensureFolder(configFolder);
  // Loaded before the lock is taken: others may be waiting for it.
  const [{ withLock }, { default: Conf }] = await Promise.all([import("./lock.ts"), import("conf")]);
  await withLock(lockPath(configFolder), async () => {
    const changed = change(await readSettings(configFolder));
    if (changed === undefined) return;
    const content = toText(changed);
    await replaceFile(path, content, {
      stagedAs: join(configFolder, `config.${nodeCrypto().randomUUID()}.json`),
      stage: stageWithConf(Conf, configFolder, content),
    });
  });
};

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type CliError, usageError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../json/exact-json.ts";
import { ensureFolder, narrowFile, privateFile, readPrivateFile, replaceFile } from "../storage/safe-file.ts";

/** The settings as they stand in the file. Profiles are a Map, so that a profile may be called `__proto__` like any other. */
export type Settings = {
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, JsonObject>;
  /** What a later version of this program keeps beside them: carried along untouched. */
  readonly others: JsonObject;
};

const version = 1;
const noSettings: Settings = { current: undefined, profiles: new Map(), others: {} };

export const settingsPath = (configFolder: string): string => join(configFolder, "config.json");
/**
 * Without settings there is no profile, and without a folder there are no settings. Settings that cannot be read count as present: they may
 * name a shared journal, and nothing is paid without it.
 */
export const hasSettings = ({ paths }: { readonly paths: { readonly config: string } }): boolean => {
  try {
    return existsSync(settingsPath(paths.config));
  } catch {
    return false;
  }
};
const lockPath = (configFolder: string): string => join(configFolder, "config.lock");

const broken = (path: string, why: string): CliError =>
  usageError(
    `The settings file ${path} cannot be read: ${why}. It was left as it is.`,
    "Repair it, or move it away and log in again; with PAYMENTS_API_KEY and PAYMENTS_BASE_URL, all that sends no payment works without it.",
  );

const parseText = (path: string, bytes: Uint8Array): Json => {
  try {
    const value: Json = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return value;
  } catch {
    // The parser's own message quotes the text around the fault, which may be a key.
    throw broken(path, "it is not whole JSON in UTF-8 without a byte order mark");
  }
};

const parseSettings = (path: string, bytes: Uint8Array): Settings => {
  const document = parseText(path, bytes);
  if (!isObject(document)) throw broken(path, "it does not hold a JSON object");
  const { version: writtenBy, current, profiles = {}, ...others } = document;
  if (typeof writtenBy === "number" && writtenBy > version) throw broken(path, "a newer version of payments-cli wrote it");
  if (!isObject(profiles)) throw broken(path, '"profiles" is not an object');
  const entries = Object.entries(profiles).map(([name, profile]): [string, JsonObject] => {
    if (!isObject(profile)) throw broken(path, "one of its profiles is not an object");
    return [name, profile];
  });
  return { current: typeof current === "string" ? current : undefined, profiles: new Map(entries), others };
};

/** The settings as stored; none without a file, or with one of 0 bytes. Throws CliError usage naming the file if it cannot be read. */
export const readSettings = async (configFolder: string): Promise<Settings> => {
  const path = settingsPath(configFolder);
  const bytes = await readPrivateFile(path);
  await narrowFile(lockPath(configFolder));
  return bytes === undefined || bytes.length === 0 ? noSettings : parseSettings(path, bytes);
};

/** `settings` absent: the file is left as it is. */
export type Changed<T> = { readonly settings?: Settings; readonly result: T };

/**
 * Changes the settings under a lock, so that of many writers at once none is lost. `change` gets what stands in the file at
 * that moment. Throws CliError usage if the file cannot be read or written; it is then untouched.
 */
export const updateSettings = async <T>(configFolder: string, change: (settings: Settings) => Changed<T>): Promise<T> => {
  await ensureFolder(configFolder);
  // Loaded for writing alone, and before the lock is taken: others may be waiting for it.
  const [{ withLock }, { default: Conf }] = await Promise.all([import("../storage/lock.ts"), import("conf")]);
  return await withLock(lockPath(configFolder), async () => {
    const { settings: changed, result } = change(await readSettings(configFolder));
    if (changed === undefined) return result;
    const path = settingsPath(configFolder);
    // From entries, not by assignment: `__proto__` becomes a field of its own.
    const document = { ...changed.others, version, current: changed.current, profiles: Object.fromEntries(changed.profiles) };
    await replaceFile(path, async (staged) => {
      const conf = new Conf<Record<string, unknown>>({
        cwd: configFolder,
        configName: basename(staged, ".json"),
        configFileMode: privateFile,
        accessPropertiesByDotNotation: false,
      });
      conf.store = document;
      // On a full disk conf may write half and say nothing.
      if (!isWhole(() => conf.store, document)) throw usageError(`${path} could not be written whole: the disk may be full.`);
    });
    return result;
  });
};

const isWhole = (read: () => unknown, document: unknown): boolean => {
  try {
    return JSON.stringify(read()) === JSON.stringify(document);
  } catch {
    return false;
  }
};

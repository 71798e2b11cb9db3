import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Json, parseExact, stringifyExact } from "../json/exact-json.ts";
import { ensureFolder, privateFile, readPrivateFile, replaceFile } from "../storage/safe-file.ts";
import { type Rail, railsOf } from "./rails.ts";

/** Reading `cache` throws if there is no folder. */
type Folders = { readonly cache: string };
const cachePath = (cacheFolder: string): string => join(cacheFolder, "providers.json");

/**
 * The rails of the last providers answer, for completion; none where there is no readable cache. Nothing is ever checked against them
 * (service 1.6: rails are read at run time). Never throws.
 */
export const readProvidersCache = async (folders: Folders): Promise<readonly Rail[]> => {
  try {
    const bytes = await readPrivateFile(cachePath(folders.cache));
    return bytes === undefined ? [] : railsOf(parseExact(new TextDecoder().decode(bytes)));
  } catch {
    return [];
  }
};

/** Keeps a providers answer's body. A comfort: never throws, whatever the disk says. */
export const writeProvidersCache = async (folders: Folders, body: Json): Promise<void> => {
  try {
    const cacheFolder = folders.cache;
    await ensureFolder(cacheFolder);
    await replaceFile(cachePath(cacheFolder), (staged) => writeFile(staged, `${stringifyExact(body)}\n`, { mode: privateFile }));
  } catch {
    // Completion offers the older rails then, or none.
  }
};

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fieldOf, type Json, parseExact, textOf } from "../json/exact-json.ts";
import { ensureFolder, privateFile, readPrivateFile, replaceFile } from "../storage/safe-file.ts";

/** What completion offers of a rail; nothing here is ever checked against (service 1.6: rails are read at run time). */
export type CachedRail = { readonly rail: string; readonly country: string; readonly currencies: readonly string[]; readonly channels: readonly string[] };

/** Reading `cache` throws if there is no folder. */
type Folders = { readonly cache: string };
const cachePath = (cacheFolder: string): string => join(cacheFolder, "providers.json");

const texts = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.flatMap((item: Json) => textOf(item) ?? []) : []);

/** The rails of a providers answer (service 2.4), or of the cache, which keeps the same names. */
const railsOf = (document: Json): readonly CachedRail[] => {
  const providers = fieldOf(document, "providers");
  if (!Array.isArray(providers)) return [];
  return providers.flatMap((item: Json) => {
    const rail = textOf(fieldOf(item, "rail"));
    if (rail === undefined) return [];
    const channels = texts(fieldOf(fieldOf(item, "capabilities"), "disbursementChannels"));
    return [{ rail, country: textOf(fieldOf(item, "country")) ?? "", currencies: texts(fieldOf(item, "currencies")), channels }];
  });
};

/** The rails of the last providers answer; none where there is no readable cache. Never throws. */
export const readProvidersCache = async (folders: Folders): Promise<readonly CachedRail[]> => {
  try {
    const bytes = await readPrivateFile(cachePath(folders.cache));
    return bytes === undefined ? [] : railsOf(parseExact(new TextDecoder().decode(bytes)));
  } catch {
    return [];
  }
};

/** Keeps what completion needs of a providers answer's body. A comfort: never throws, whatever the disk says. */
export const writeProvidersCache = async (folders: Folders, body: Json): Promise<void> => {
  try {
    const providers = railsOf(body).map(({ rail, country, currencies, channels }) => ({
      rail,
      country,
      currencies,
      capabilities: { disbursementChannels: channels },
    }));
    const cacheFolder = folders.cache;
    await ensureFolder(cacheFolder);
    const text = `${JSON.stringify({ version: 1, providers })}\n`;
    await replaceFile(cachePath(cacheFolder), (staged) => writeFile(staged, text, { mode: privateFile }));
  } catch {
    // Completion offers the older rails then, or none.
  }
};

import { readFolder } from "../storage/read-folder.ts";

/** The tables of the outbox, by the names of their files in sql/. A bundle has their contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("sql/", import.meta.url));

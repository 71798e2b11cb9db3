import { readFolder } from "../storage/read-folder.ts";

/** The tables of the journal's file, as sql/journal.sql makes them. A bundle has its contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("sql/", import.meta.url));

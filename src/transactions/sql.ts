import { readFolder } from "../storage/read-folder.ts";

/** The tables of the mirror, by the name of its file in sql/. A bundle has its contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("sql/", import.meta.url));

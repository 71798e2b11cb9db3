import { readFolder } from "../storage/read-folder.ts";

/** The built-in layouts, by the names of their files in layouts/. A bundle has their contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("layouts/", import.meta.url));

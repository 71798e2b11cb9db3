import { readFolder } from "../../storage/read-folder.ts";

/** Style and script of the reconciliation page. A bundle has their contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("assets/", import.meta.url));

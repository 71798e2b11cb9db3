import { readFolder } from "../../storage/read-folder.ts";

/** The files of the dashboard and the checkout, by their names under assets/. A bundle has their contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("assets/", import.meta.url));

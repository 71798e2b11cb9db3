import { readFolder } from "../storage/read-folder.ts";

/** The program that asks the keychain, by its name under assets/. A bundle has its contents in this module's place (build/bundle.mjs). */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("assets/", import.meta.url));

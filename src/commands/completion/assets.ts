import { readFolder } from "../../storage/read-folder.ts";

/**
 * The scripts under assets/. A bundle has their contents in this module's place (build/bundle.mjs). Each hands what was typed to
 * `payments-cli __complete` and offers what comes back. Nothing of it is ever evaluated: bash gets it quoted (cli/bash-words.ts), zsh
 * and fish quote what they insert, and PowerShell's script does.
 */
export const readAssets = (): Readonly<Record<string, string>> => readFolder(new URL("assets/", import.meta.url));

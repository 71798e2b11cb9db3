import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { readAssets } from "../../../src/commands/completion/assets.ts";
import { binary, node } from "../../support/process.ts";

export type ShellHome = { readonly folder: string; readonly script: string; readonly env: Record<string, string> };

/**
 * A folder with the shell's script, these profiles and rails, and a `payments-cli` on the PATH that completes as the real one does
 * and otherwise prints its arguments, each on a line between brackets.
 */
export const createShellHome = (shell: "bash" | "zsh" | "fish", profiles: readonly string[], rails: readonly string[]): ShellHome => {
  const folder = mkdtempSync(join(tmpdir(), "completion-"));
  const script = join(folder, `script.${shell}`);
  writeFileSync(script, readAssets()[`payments-cli.${shell}`] ?? "");
  for (const name of ["config", "cache"]) mkdirSync(join(folder, "home", name), { recursive: true });
  const profile = { baseUrl: "https://pay.example", mode: "live" };
  const settings = { version: 1, profiles: Object.fromEntries(profiles.map((name) => [name, profile])) };
  writeFileSync(join(folder, "home", "config", "config.json"), JSON.stringify(settings));
  const providers = rails.map((rail) => ({ rail, country: "KE", currencies: ["KES"], capabilities: { disbursementChannels: ["BANK"] } }));
  writeFileSync(join(folder, "home", "cache", "providers.json"), JSON.stringify({ version: 1, providers }));
  const program = join(folder, "payments-cli");
  writeFileSync(
    program,
    `#!/bin/sh\nif [ "$1" = __complete ]; then PAYMENTS_HOME='${folder}/home' exec '${node}' '${binary}' "$@"; fi\nprintf 'RUN'; for word in "$@"; do printf '[%s]' "$word"; done; printf 'END\\n'\n`,
  );
  chmodSync(program, 0o755);
  return {
    folder,
    script,
    env: {
      HOME: folder,
      PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
      TERM: "xterm",
      LANG: "C.UTF-8",
      LC_ALL: "C.UTF-8",
      ZDOTDIR: folder,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
    },
  };
};

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { readAssets } from "../../../src/commands/completion/assets.ts";
import { runCli } from "../../support/cli.ts";
import { atEnd, createHome } from "../../support/ends.ts";
import { binary, node } from "../../support/process.ts";

export type ShellHome = { readonly folder: string; readonly script: string; readonly env: Record<string, string> };

/** The profiles and rails that can be completed, and the program that is asked: the built one unless `answersHere`. */
export type Stored = {
  readonly profiles: readonly string[];
  readonly rails: readonly string[];
  /** The same code answers in this process instead: starting the built program is nearly all that a TAB costs. */
  readonly answersHere?: true;
};

/** Answers `__complete` on a port; gives the lines of bash that ask there. */
const answerHere = async (home: string): Promise<string> => {
  const server = createServer((socket) => {
    let received = "";
    socket.setEncoding("utf8").on("data", async (chunk: string) => {
      received += chunk;
      const [count, ...words] = received.split("\0");
      if (words.length <= Number(count)) return;
      socket.end((await runCli(words.slice(0, -1), { home })).stdout);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  atEnd(() => void server.close());
  return `exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}; printf '%s\\0' $# "$@" >&3; exec cat <&3`;
};

/**
 * A folder with the shell's script and what is stored, and a `payments-cli` on the PATH that completes as the real one does and
 * otherwise prints its arguments, each on a line between brackets.
 */
export const createShellHome = async (shell: "bash" | "zsh" | "fish", { profiles, rails, answersHere }: Stored): Promise<ShellHome> => {
  const folder = createHome();
  const script = join(folder, `script.${shell}`);
  writeFileSync(script, readAssets()[`payments-cli.${shell}`] ?? "");
  for (const name of ["config", "cache"]) mkdirSync(join(folder, "home", name), { recursive: true });
  const profile = { baseUrl: "https://pay.example", mode: "live" };
  const settings = { version: 1, profiles: Object.fromEntries(profiles.map((name) => [name, profile])) };
  writeFileSync(join(folder, "home", "config", "config.json"), JSON.stringify(settings));
  const providers = rails.map((rail) => ({ rail, country: "KE", currencies: ["KES"], capabilities: { disbursementChannels: ["BANK"] } }));
  writeFileSync(join(folder, "home", "cache", "providers.json"), JSON.stringify({ version: 1, providers }));
  const home = join(folder, "home");
  const complete = answersHere === true ? await answerHere(home) : `PAYMENTS_HOME='${home}' exec '${node}' '${binary}' "$@"`;
  const program = join(folder, "payments-cli");
  writeFileSync(
    program,
    `#!/bin/bash\nif [ "$1" = __complete ]; then ${complete}; fi\nprintf 'RUN'; for word in "$@"; do printf '[%s]' "$word"; done; printf 'END\\n'\n`,
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

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { spawn } from "@lydell/node-pty";
import { createShellHome, type ShellHome, type Stored } from "./fixture.ts";

/** Debian's bash-completion: its handlers stand beside ours, which needs none of it. */
const bashCompletion = "/usr/share/bash-completion/bash_completion";
const bash = { name: "bash", args: ["--norc", "--noprofile", "-i"], prompt: "PS1='READY>'", list: "\t\t" } as const;
export const shells = [
  { ...bash, what: "bash" },
  { ...bash, prompt: `${bash.prompt}; source ${bashCompletion}`, what: "bash with bash-completion" },
  { what: "zsh", name: "zsh", args: ["-f", "-i"], prompt: "PROMPT='READY>'; unsetopt ZLE_BRACKETED_PASTE PROMPT_SP; setopt interactivecomments", list: "\t" },
  {
    what: "fish",
    name: "fish",
    args: ["--no-config", "-i"],
    prompt: "function fish_prompt; echo -n 'READY>'; end; set -g fish_greeting; set -g fish_autosuggestion_enabled 0",
    list: "\t",
  },
] as const;
export type ShellName = (typeof shells)[number];

export const isInstalled = ({ name, prompt }: ShellName): boolean =>
  spawnSync(name, ["--version"]).error === undefined && (!prompt.includes(bashCompletion) || existsSync(bashCompletion));

export type Session = {
  readonly home: ShellHome;
  /** Types text and waits for a pattern in what comes after it. */
  type(text: string, pattern: RegExp): Promise<string>;
  /** Types a command line and Enter; gives the arguments that the program got. */
  run(line: string): Promise<string>;
  end(): void;
};

/** Types into a real shell on a terminal. */
export const startShell = async (shell: ShellName, stored: Stored): Promise<Session> => {
  const home = await createShellHome(shell.name, stored);
  const terminal = spawn(shell.name, [...shell.args], { cols: 1000, rows: 50, cwd: home.folder, env: home.env });
  let seen = "";
  let changed: (() => void) | undefined;
  terminal.onData((chunk) => {
    seen += chunk;
    // fish asks what terminal this is and waits a while for the answer.
    if (chunk.includes("\u001b[c") || chunk.includes("\u001b[0c")) terminal.write("\u001b[?1;2c");
    changed?.();
  });
  const until = async (pattern: RegExp, from: number): Promise<string> => {
    const deadlineMs = performance.now() + 15_000;
    for (;;) {
      const match = pattern.exec(seen.slice(from));
      if (match !== null) return match[0];
      const leftMs = deadlineMs - performance.now();
      if (leftMs < 0) throw new Error(`${shell.name}: ${String(pattern)} did not come: ${JSON.stringify(seen.slice(from))}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const type = async (text: string, pattern: RegExp): Promise<string> => {
    const from = seen.length;
    terminal.write(text);
    return await until(pattern, from);
  };
  terminal.write(`${shell.prompt}; source '${home.script}'; echo SOUR''CED\r`);
  await until(/SOURCED[\s\S]*READY>/, 0);
  return {
    home,
    type,
    run: async (line) => {
      const ran = await type(`payments-cli ${line}\r`, /RUN[^\r\n]*END[\s\S]*READY>/);
      return ran.slice(3, ran.indexOf("END"));
    },
    end: () => terminal.kill(),
  };
};

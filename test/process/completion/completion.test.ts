import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { describe, expect, test } from "vitest";
import { createShellHome } from "./fixture.ts";

/** Debian's bash-completion: its handlers stand beside ours, which needs none of it. */
const bashCompletion = "/usr/share/bash-completion/bash_completion";
const bash = { name: "bash", args: ["--norc", "--noprofile", "-i"], prompt: "PS1='READY>'", list: "\t\t" } as const;
const shells = [
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
const isInstalled = ({ name, prompt }: (typeof shells)[number]): boolean =>
  spawnSync(name, ["--version"]).error === undefined && (!prompt.includes(bashCompletion) || existsSync(bashCompletion));

/** Types into a real shell on a terminal; each line is sent once the prompt stands. */
const typeInto = async (shell: (typeof shells)[number]) => {
  const home = await createShellHome(shell.name);
  const terminal = spawn(shell.name, [...shell.args], { cols: 200, rows: 50, cwd: home.folder, env: home.env });
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
  return { home, type, end: () => terminal.kill() };
};

describe.each(shells)("$what", (shell) => {
  const lines: readonly (readonly [string, string, string])[] = [
    ["a command", "who\t", "[whoami]"],
    ["a noun and its verb", "pro\tu\tdef\t", "[profile][use][default]"],
    ["a global flag before the command, its choice", "--out\tjsonl\t whoa\t", "[--output][jsonl][whoami]"],
    ["a flag's choice", "b2c --comm\tSal\t", "[b2c][--command-id][SalaryPayment]"],
    ["a choice after an equals sign", "b2c --command-id=Bus\t", "[b2c][--command-id=BusinessPayment]"],
    ["a stored value", "stk --rail MP\t", "[stk][--rail][MPESA_KE]"],
    ["a command that also has commands", "b2c ba\t", "[b2c][batch]"],
    ["a name with a space", "--profile my\t whoami", "[--profile][my shop][whoami]"],
    ["a name with signs of the shell", "profile use it\t", '[profile][use][it\'s $HOME; "x"]'],
    ["a name after an opened quote", "profile use 'my\t", "[profile][use][my shop]"],
    ["a file, quoted", "b2c batch rows\t", "[b2c][batch][rows of May.csv]"],
    ["help's topics", "help exi\t", "[help][exit-codes]"],
  ];

  test.skipIf(!isInstalled(shell))("completes on TAB in a real shell", async () => {
    const { home, type, end } = await typeInto(shell);
    try {
      for (const [what, typed, wanted] of lines) {
        const ran = await type(`payments-cli ${typed}\r`, /RUN[^\r\n]*END[\s\S]*READY>/);
        expect(ran.slice(3, ran.indexOf("END")).trim(), what).toBe(wanted);
      }
      await type(`payments-cli profile use ${shell.list}`, /ネコ/);
      expect(await type("default\r", /RUN[^\r\n]*END[\s\S]*READY>/)).toContain("[profile][use][default]");
      // Free values offer nothing, and nothing is asked for them.
      const asked = readFileSync(join(home.folder, "asked"), "utf8");
      expect(await type("payments-cli stk --phone \t1\r", /RUN[^\r\n]*END[\s\S]*READY>/)).toContain("[stk][--phone][1]");
      expect(readFileSync(join(home.folder, "asked"), "utf8")).toBe(asked);
    } finally {
      end();
    }
  });
});

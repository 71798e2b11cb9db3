import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { afterAll } from "vitest";
import { binary, cleanEnv, node } from "../../support/process.ts";

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});
export const newHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-terminal-"));
  homes.push(home);
  return home;
};

/** Waits for what it sees since the step before, then types, or resizes the window. */
export type Step = { readonly see: RegExp; readonly type?: string; readonly resize?: number };
export type Options = {
  readonly home?: string;
  readonly cols?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  /** Typed at once, before anything is seen. */
  readonly early?: string;
  /** Without an account of its own: no `--sandbox`, no key in the environment. */
  readonly alone?: true;
  /** From a shell, which shows at the end what the program left it to read. */
  readonly inShell?: true;
};
/** Reads what is still there to be read when the program has ended, as the shell's next command line would. */
const shellScript = '"$@"; code=$?; left=; while IFS= read -r -t 1 line; do left="$left$line;"; done; echo "left to the shell: [$left]"; exit $code';
export type Shown = { readonly code: number; readonly text: string };

/** The built binary on a terminal, on its own sandbox where no `url` of a service is given. */
export const talk = (
  args: readonly string[],
  steps: readonly Step[],
  { home = newHome(), cols = 100, env = {}, url, early, alone, inShell }: Options = {},
): Promise<Shown> =>
  new Promise((resolve) => {
    const service = url === undefined ? {} : { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: url };
    const words = [node, binary, ...args, ...(url === undefined && alone === undefined ? ["--sandbox"] : [])];
    const [program = "", ...rest] = inShell === undefined ? words : ["bash", "-c", shellScript, "bash", ...words];
    const terminal = spawn(program, rest, {
      cols,
      rows: 30,
      env: cleanEnv({ PAYMENTS_HOME: home, TERM: "xterm-256color", TZ: "Africa/Nairobi", ...service, ...env }),
    });
    if (early !== undefined) terminal.write(early);
    let text = "";
    let since = 0;
    const left = [...steps];
    terminal.onData((data) => {
      text += data;
      const [next] = left;
      if (next === undefined || !next.see.test(text.slice(since))) return;
      left.shift();
      since = text.length;
      if (next.resize !== undefined) terminal.resize(next.resize, 30);
      if (next.type !== undefined) terminal.write(next.type);
    });
    // What is not seen is a failure to be read, not a wait.
    const deadline = setTimeout(() => terminal.kill(), 15_000);
    terminal.onExit(({ exitCode }) => {
      clearTimeout(deadline);
      resolve({ code: exitCode, text });
    });
  });

/** Whether the last word about the cursor is that it is shown. */
export const hasCursor = ({ text }: Shown): boolean => text.lastIndexOf("\u001b[?25h") >= text.lastIndexOf("\u001b[?25l");
/** What is left to read at the end: without colours, movements and status lines that were wiped. */
export const readable = (text: string): string =>
  text
    .replace(/[^\n]*\r\u001b\[2K/g, "")
    .replace(/\u001b\[[?\d;]*[A-Za-z]/g, "")
    .replaceAll("\r", "");

import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { binary } from "./process.ts";

/** Node for Windows, run by Wine: test/meta/windows.sh gives the path of node.exe. */
const nodeExe = process.env["PAYMENTS_WINDOWS_NODE"] ?? "";

export const folder = mkdtempSync(join(tmpdir(), "payments-windows-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** A path of this machine as Windows programs see it. */
export const toWindows = (path: string): string => `Z:${path.replaceAll("/", "\\")}`;

export type WindowsRun = {
  readonly done: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** What was written so far. */
  stdout(): string;
  kill(): void;
};
type Options = { readonly home: string; readonly env?: Readonly<Record<string, string>>; readonly stdin?: string; readonly nodeArgs?: readonly string[] };

let count = 0;
/** Starts the built program on Windows. Wine's Node cannot use pipes, so the standard streams are files. */
export const startWindows = (args: readonly string[], { home, env = {}, stdin = "", nodeArgs = [] }: Options): WindowsRun => {
  count += 1;
  const [inPath, outPath, errPath] = ["in", "out", "err"].map((name) => join(folder, `${count}.${name}`)) as [string, string, string];
  writeFileSync(inPath, stdin);
  const files = [openSync(inPath, "r"), openSync(outPath, "w"), openSync(errPath, "w")];
  const child = spawn("wine", [nodeExe, ...nodeArgs, toWindows(binary), ...args], {
    stdio: files,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      WINEPREFIX: process.env["WINEPREFIX"],
      WINEDEBUG: "-all",
      NODE_DISABLE_COMPILE_CACHE: "1",
      PAYMENTS_HOME: home,
      ...env,
    },
  });
  const done = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  for (const file of files) closeSync(file);
  const stdout = (): string => readFileSync(outPath, "utf8");
  return { done: done.then((code) => ({ code, stdout: stdout(), stderr: readFileSync(errPath, "utf8") })), stdout, kill: () => child.kill("SIGKILL") };
};

export const runWindows = async (args: readonly string[], options: Options) => await startWindows(args, options).done;

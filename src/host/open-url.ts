import { spawn } from "node:child_process";
import { usageError } from "../errors.ts";

const openers = { darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"] } as const;

/** Opens an address in the person's browser: http and https alone, never through a shell. Throws CliError usage for others. */
export const openUrl = async (address: string): Promise<void> => {
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw usageError("Only http and https addresses are opened.");
  const [command, ...before] = process.platform === "darwin" ? openers.darwin : process.platform === "win32" ? openers.win32 : ["xdg-open"];
  await new Promise<void>((done, fail) => {
    const child = spawn(command, [...before, url.href], { stdio: "ignore", detached: true });
    child.once("error", () => fail(usageError(`No browser could be opened (${command} is missing).`, `Open it yourself: ${url.href}`)));
    child.once("spawn", () => {
      child.unref();
      done();
    });
  });
};

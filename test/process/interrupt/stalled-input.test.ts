import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createHome } from "../../support/ends.ts";
import { binary, cleanEnv, node } from "../../support/process.ts";

const home = createHome();
const env = cleanEnv({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: "http://127.0.0.1:9" });
/** Some bytes more than a pipe holds: once they are taken, the program is reading. */
const beginning = "0712345678,10,R\n".repeat(5_000);

test
  .runIf(process.platform === "linux")
  .each([
    ["b2c batch /dev/fd/3 --yes --result r.csv"],
    ["b2c batch - --yes --result r.csv"],
    ["tx reconcile /dev/fd/3"],
    ["tx reconcile -"],
    ["api POST /api/v1/x --input /dev/fd/3"],
  ])("the first Ctrl-C ends what reads a pipe that stalls: %s", async (line) => {
  const path = join(home, line.replace(/\W/g, ""));
  execFileSync("mkfifo", [path]);
  // Open for writing too, here and there: it never ends.
  const pipe = openSync(path, "r+");
  const program = spawn(node, [binary, ...line.split(" ")], {
    env,
    cwd: home,
    stdio: [line.includes(" - ") || line.endsWith(" -") ? pipe : "ignore", "ignore", "pipe", pipe],
  });
  let stderr = "";
  program.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => program.on("close", resolve));
  await promisify(write)(pipe, Buffer.from(beginning), 0, beginning.length, null);
  program.kill("SIGINT");
  const code = await ended;
  closeSync(pipe);
  expect([code, stderr]).toEqual([130, expect.stringContaining("Interrupted")]);
});

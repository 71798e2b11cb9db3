import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClaims } from "../../src/journal/claims.ts";
import { createHome } from "../support/cli.ts";

/** As other processes do that have found the holder ended. */
const removeAll = (folder: string): void => {
  const script = `const { readdirSync, rmSync } = require("fs"); for (;;) for (const name of readdirSync(process.argv[1])) rmSync(process.argv[1] + "/" + name, { force: true });`;
  const child = spawn(process.execPath, ["-e", script, folder], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
};

test("a lock file that another process removes while it is looked at says that its holder has ended", async () => {
  const folder = join(createHome(), "locks");
  mkdirSync(folder, { recursive: true });
  removeAll(folder);
  const claims = createClaims(folder);
  for (let round = 0; round < 2_000; round += 1) expect(await claims.isAlive(`ended-${round}`)).toBe(false);
});

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { binary, cleanEnv, json, node, runBinary, startService } from "../../support/process.ts";
import { newHome, readable, talk } from "./terminal.ts";

const posix = process.platform !== "win32";

/** A folder whose `payments-cli` is this build, as a person's shell would find it. */
const onPath = (home: string): string => {
  const folder = join(home, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "payments-cli"), `#!/bin/sh\nexec '${node}' '${binary}' "$@"\n`);
  chmodSync(join(folder, "payments-cli"), 0o755);
  return folder;
};

describe("hints on a terminal", () => {
  it.runIf(posix)("the command that settles a payment can be pasted as it stands, odd names quoted", async () => {
    const home = newHome();
    let lost = true;
    const { url, seen } = await startService(({ method }, response) => {
      if (method === "GET") json(response, 200, { success: true, providers: [] });
      else if (lost) response.destroy();
      else json(response, 200, { transactionId: "T-1", status: "QUEUED" });
    });
    const profile = "Ann's shop";
    await runBinary(["login", "--name", profile, "--base-url", url, "--with-key"], { home, stdin: "test_key_0123456789abcdef" });
    const creations = (): readonly unknown[] => seen.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);
    const args = ["stk", "--phone", "0712345678", "--amount", "10", "--reference", "A", "--retries", "0", "--profile", profile];
    const { code, text } = await talk(args, [], { home, url, env: { PAYMENTS_API_KEY: "", PAYMENTS_BASE_URL: "" }, cols: 200 });
    expect(code).toBe(9);
    const hint = /payments-cli journal resume .*/.exec(readable(text))?.[0].trim() ?? "";
    expect(hint).toContain("Ann");
    lost = false;
    const env = cleanEnv({ PAYMENTS_HOME: home, PATH: `${onPath(home)}:${process.env["PATH"]}` });
    const pasted = await execa("sh", ["-c", `${hint} --yes --json`], { env, extendEnv: false, reject: false });
    expect([pasted.exitCode, pasted.stderr]).toEqual([0, ""]);
    expect(creations()).toHaveLength(2);
    expect(new Set(creations()).size).toBe(1);
  });

  it("a typo is named and what was meant is offered, but not done", async () => {
    const { url, seen } = await startService((_, response) => json(response, 200, {}));
    const { code, text } = await talk(["walet"], [], { url });
    expect([code, seen.length]).toEqual([2, 0]);
    expect(readable(text)).toContain("Did you mean: payments-cli wallet");
  });
});

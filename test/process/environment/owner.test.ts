import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, describe, expect, it } from "vitest";
import { binary, json, node, startService } from "../../support/process.ts";

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});
const self = 12345;

/** Only root can make files of two owners. */
describe.runIf(process.getuid?.() === 0)("files that one sudo left behind", () => {
  const createHome = (): string => {
    const home = mkdtempSync(join(tmpdir(), "payments-cli-owner-"));
    homes.push(home);
    chownSync(home, self, self);
    chmodSync(home, 0o700);
    return home;
  };
  const commands: Readonly<Record<string, readonly string[]>> = {
    sandbox: ["--sandbox", "wallet", "--json"],
    "a sandbox on a port": ["sandbox", "--port", "0", "--json"],
    mirror: ["tx", "sync", "--json"],
    journal: ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "O-1", "--yes", "--json"],
    settings: ["login", "--base-url", "http://127.0.0.1:9", "--with-key", "--json"],
    doctor: ["doctor", "--json"],
  };
  const service = () =>
    startService(({ url, method }, response) => {
      if (method === "POST") json(response, 201, { transactionId: "T1", status: "QUEUED" });
      else
        json(response, 200, url.includes("transactions") ? { transactions: [], total: 0 } : { success: true, providers: [], wallet: {}, rates: {}, stats: {} });
    });
  const run = async (args: readonly string[], env: Readonly<Record<string, string>>, uid: number) => {
    const options = { env: { PATH: process.env["PATH"] ?? "", ...env }, extendEnv: false, reject: false, timeout: 20_000, input: "k1", uid } as const;
    return await execa(node, [binary, ...args], options);
  };

  it.each(Object.keys(commands))("%s: the owner is named, with the chown that gives it back", async (name) => {
    const { url, seen } = await service();
    const home = createHome();
    const env = { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: url, PAYMENTS_HOME: home };
    for (const args of [
      ["--sandbox", "wallet"],
      ["tx", "sync"],
      ["global", "providers"],
      ["login", "--base-url", url, "--with-key"],
      commands["journal"] ?? [],
    ])
      await run([...args, "--json"], env, 0);
    expect(readdirSync(home).map((entry) => statSync(join(home, entry)).uid)).toEqual([0, 0, 0]);
    const sent = seen.filter(({ method }) => method === "POST").length;
    const { exitCode, stderr, stdout } = await run(commands[name] ?? [], env, self);
    expect([exitCode, stdout === "" || name === "doctor"]).toEqual([2, true]);
    expect(stderr + stdout).toMatch(/belongs? to root/);
    expect(stderr + stdout).toContain(`sudo chown -R ${self} ${home}`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(seen.filter(({ method }) => method === "POST")).toHaveLength(sent);
  });
});

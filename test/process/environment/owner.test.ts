import { chmodSync, chownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, it } from "vitest";
import { createHome } from "../../support/ends.ts";
import { binary, json, type LoopbackService, node, startService } from "../../support/process.ts";

const self = 12345;

/** Only root can make files of two owners. */
describe.runIf(process.getuid?.() === 0)("files that one sudo left behind", () => {
  const commands: Readonly<Record<string, readonly string[]>> = {
    sandbox: ["--sandbox", "wallet", "--json"],
    "a sandbox on a port": ["sandbox", "--port", "0", "--json"],
    mirror: ["tx", "sync", "--json"],
    journal: ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "O-1", "--yes", "--json"],
    settings: ["login", "--base-url", "http://127.0.0.1:9", "--with-key", "--json"],
    doctor: ["doctor", "--json"],
  };
  // Every command below is refused, so one home serves them all.
  let home: string;
  let service: LoopbackService;
  beforeAll(async () => {
    home = createHome();
    chownSync(home, self, self);
    chmodSync(home, 0o700);
    service = await startService(({ url, method }, response) => {
      if (method === "POST") json(response, 201, { transactionId: "T1", status: "QUEUED" });
      else
        json(response, 200, url.includes("transactions") ? { transactions: [], total: 0 } : { success: true, providers: [], wallet: {}, rates: {}, stats: {} });
    });
    for (const args of [
      ["--sandbox", "wallet"],
      ["tx", "sync"],
      ["global", "providers"],
      ["login", "--base-url", service.url, "--with-key"],
      commands["journal"] ?? [],
    ])
      await run([...args, "--json"], 0);
    expect(readdirSync(home).map((entry) => statSync(join(home, entry)).uid)).toEqual([0, 0, 0]);
  });
  const run = async (args: readonly string[], uid: number) => {
    const env = { PATH: process.env["PATH"] ?? "", PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: service.url, PAYMENTS_HOME: home };
    return await execa(node, [binary, ...args], { env, extendEnv: false, reject: false, timeout: 20_000, input: "k1", uid });
  };

  it.each(Object.keys(commands))("%s: the owner is named, with the chown that gives it back", async (name) => {
    const sent = service.seen.filter(({ method }) => method === "POST").length;
    const { exitCode, stderr, stdout } = await run(commands[name] ?? [], self);
    expect([exitCode, stdout === "" || name === "doctor"]).toEqual([2, true]);
    expect(stderr + stdout).toMatch(/belongs? to root/);
    expect(stderr + stdout).toContain(`sudo chown -R ${self} ${home}`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(service.seen.filter(({ method }) => method === "POST")).toHaveLength(sent);
  });
});

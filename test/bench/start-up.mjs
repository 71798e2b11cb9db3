import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, cleanEnv, compare } from "./processes.mjs";
import { startAnswering } from "./service.mjs";

/** Start-up and single calls, each against `node -e 0` of the same run. */
export const startUp = async () => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  const service = await startAnswering({ wallet: { balance: 1, b2cBalance: 1, currency: "KES" }, success: true, transactions: [], providers: [] });
  execFileSync(process.execPath, [binary, "login", "--base-url", service.url, "--with-key", "--name", "bench"], {
    input: "bench_key_0123456789",
    env: cleanEnv({ PAYMENTS_HOME: home }),
    stdio: ["pipe", "ignore", "ignore"],
  });
  const byEnvironment = { PAYMENTS_HOME: home, PAYMENTS_API_KEY: "bench_key_0123456789", PAYMENTS_BASE_URL: service.url };
  const medians = await compare({
    floor: { args: ["-e", "0"] },
    version: { args: [binary, "--version"] },
    help: { args: [binary, "--help"] },
    "call, key from the environment": { args: [binary, "wallet", "--json"], env: byEnvironment },
    "call, key from a profile": { args: [binary, "wallet", "--json"], env: { PAYMENTS_HOME: home } },
    "a TAB on a profile's name": { args: [binary, "__complete", "bash", "payments-cli profile use b", "b"], env: { PAYMENTS_HOME: home } },
    "a TAB on a command": { args: [binary, "__complete", "bash", "payments-cli pro", "pro"], env: { PAYMENTS_HOME: home } },
  });
  await service.close();
  rmSync(home, { recursive: true, force: true });
  const row = (name, target) => ({ name, ratio: medians[name] / medians.floor, target, against: "node -e 0" });
  return [
    row("version", 1.15),
    row("help", 1.25),
    row("call, key from the environment", 2.6),
    row("call, key from a profile", 2.6),
    row("a TAB on a profile's name", 2.2),
    row("a TAB on a command", 2.2),
  ];
};

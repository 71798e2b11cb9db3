import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../../src/cli/command-line.ts";
import { globalFlags } from "../../../src/cli/global-flags.ts";
import { registry } from "../../../src/cli/registry.ts";
import type { Flag } from "../../../src/command.ts";
import { CliError } from "../../../src/errors.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const errorOf = (stderr: string) => JSON.parse(stderr).error;
const service: Service = ({ method, path }) => {
  if (method === "POST") return { body: { transactionId: "T1", status: "QUEUED" } };
  return { body: path.endsWith("/transactions") ? { transactions: [], total: 0 } : { success: true, providers: [] } };
};
const payout = ["b2c", "--phone", "0712345001", "--amount", "100", "--reference", "D-1", "--yes", "--json"];

describe("R2-11: a flag given twice", () => {
  it.each([
    ["--phone", [...payout, "--phone", "0722000002"]],
    ["--reference", [...payout, "--reference=D-2"]],
    ["--amount", ["stk", "--phone", "0712345001", "--amount", "10", "--amount", "100", "--reference", "D-1", "--json"]],
    ["--idempotency-key", [...payout, "--idempotency-key", "K1", "--idempotency-key", "K2"]],
    ["--limit", ["tx", "list", "--limit", "1", "--limit", "2", "--json"]],
    ["--output", ["-o", "json", "wallet", "--output", "csv"]],
    ["--output", ["-ojson", "wallet", "-ocsv"]],
    ["--retries", ["--retries", "1", "wallet", "--retries", "2"]],
    ["--wait", ["stk", "--phone", "0712345001", "--amount", "10", "--reference", "D-1", "--wait", "--wait", "5"]],
    ["--phone", [...payout, "--phone", ""]],
  ] as const)("with two values is a usage error that names %s, and sends nothing: %j", async (flag, argv) => {
    const { code, stdout, stderr, requests } = await runCli(argv, { service });
    expect([code, stdout, requests.length]).toEqual([2, "", 0]);
    expect(stderr).toContain(flag);
  });

  it("with two profiles is refused, also one before and one after the command", async () => {
    const home = createHome();
    for (const name of ["a", "b"]) {
      const login = await runCli(["login", "--base-url", "http://127.0.0.1:9", "--with-key", "--name", name], {
        home,
        service,
        stdin: `key_of_${name}_0123456789`,
      });
      expect(login.code).toBe(0);
    }
    for (const argv of [
      ["whoami", "--profile", "a", "--profile", "b", "--json"],
      ["--profile", "a", "whoami", "--profile", "b", "--json"],
    ]) {
      const { code, stdout, stderr } = await runCli(argv, { home });
      expect([code, stdout]).toEqual([2, ""]);
      expect(errorOf(stderr).message).toContain("--profile");
    }
    expect((await runCli(["--profile", "a", "whoami", "--profile", "a", "--json"], { home })).code).toBe(0);
  });

  it("with the same value is fine, and so are flags of many values", async () => {
    const same = await runCli([...payout, "--phone", "0712345001", "--json", "--yes"], { service });
    expect([same.code, same.requests.length]).toEqual([0, 1]);
    expect((await runCli(["tx", "list", "--limit", "1", "--limit", "1", "--json"], { service })).code).toBe(0);
    const many = await runCli(["api", "GET", "/x", "-f", "a=1", "-f", "b=2", "--raw-field=c=3", "-F", "d:=4"], { service });
    expect(String(many.requests[0]?.query)).toBe("a=1&b=2&c=3&d=4");
  });

  const everyFlag = registry.flatMap(({ spec }) =>
    Object.entries<Flag>({ ...globalFlags, ...spec.flags })
      .filter(([, { type }]) => type === "string" || type === "optional-string")
      .map(([name]) => [`${spec.path.join(" ")} --${name}`, spec, name] as const),
  );
  it.each(everyFlag)("%s", (_, spec, name) => {
    const args = (spec.arguments ?? []).map(({ choices }) => choices?.[0] ?? "x");
    const { fault } = readCommandLine(registry, [...spec.path, ...args, `--${name}=1`, `--${name}=2`]);
    expect(fault).toMatchObject({ constructor: CliError, kind: "usage", message: expect.stringContaining(`--${name} `) });
    const again = readCommandLine(registry, [...spec.path, ...args, `--${name}=1`, `--${name}=1`]);
    expect([again.flags[name], again.fault]).toEqual([["1", "1"], undefined]);
  });
});

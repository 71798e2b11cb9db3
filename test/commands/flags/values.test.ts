import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../../src/cli/command-line.ts";
import { globalFlags } from "../../../src/cli/global-flags.ts";
import { registry } from "../../../src/cli/registry.ts";
import type { Flag } from "../../../src/command.ts";
import { runCli, type Service } from "../../support/cli.ts";

const service: Service = ({ method }) => (method === "POST" ? { body: { transactionId: "T1", status: "SENT" } } : { body: { transactions: [], total: 0 } });

describe("a flag without its value", () => {
  it.each([
    ["--phone", ["stk", "--phone", "--amount", "5", "--reference", "A"]],
    ["--reference", ["stk", "--phone", "0712345678", "--amount", "5", "--reference", "--json"]],
    ["--reference", ["stk", "--phone", "0712345678", "--amount", "5", "--reference", "-o", "json"]],
    ["--reference", ["stk", "--phone", "0712345678", "--amount", "5", "--reference", "-ojson"]],
    ["--description", ["stk", "--phone", "0712345678", "--amount", "5", "--reference", "A", "--description", "--refrence=B"]],
    ["--amount", ["stk", "--phone", "0712345678", "--reference", "A", "--amount"]],
    ["--amount", ["stk", "--phone", "0712345678", "--reference", "A", "--amount", "--"]],
    ["--profile", ["--profile", "--json", "wallet"]],
    ["--raw-field", ["api", "GET", "/x", "-f", "-i"]],
  ] as const)("is a usage error that names %s: %j", async (flag, argv) => {
    const { code, stdout, stderr, requests } = await runCli(argv, { service });
    expect([code, stdout, requests.length]).toEqual([2, "", 0]);
    expect(stderr).toContain(flag);
  });

  const valued = registry.flatMap(({ spec }) =>
    Object.entries<Flag>({ ...globalFlags, ...spec.flags })
      .filter(([, { type }]) => type === "string" || type === "strings")
      .map(([name]) => [`${spec.path.join(" ")} --${name}`, spec, name] as const),
  );
  it.each(valued)("%s takes no other flag for its value", (_, spec, name) => {
    const args = (spec.arguments ?? []).map(({ choices }) => choices?.[0] ?? "x");
    const { fault } = readCommandLine(registry, [...spec.path, ...args, `--${name}`, "--quiet"]);
    expect(fault).toMatchObject({ kind: "usage", message: expect.stringContaining(`--${name} `) });
    const given = readCommandLine(registry, [...spec.path, ...args, `--${name}=--quiet`]).flags;
    expect([given[name], given["quiet"]]).toEqual([["--quiet"], undefined]);
  });
});

describe("a value that begins with a dash", () => {
  it.each([
    [["--reference=-A"], "-A"],
    [["--reference=--json"], "--json"],
    [["--reference", "-1+1"], "-1+1"],
    [["--reference", "- 7"], "- 7"],
    [["--reference", "-"], "-"],
  ] as const)("%j", async (flags, reference) => {
    const { code, requests } = await runCli(["stk", "--phone", "0712345678", "--amount", "5", ...flags, "--json"], { service });
    expect([code, JSON.parse(requests[0]?.body ?? "{}").reference]).toEqual([0, reference]);
  });
});

describe("an empty value", () => {
  it.each([
    ["--phone", ["stk", "--phone", "", "--amount", "5", "--reference", "A"]],
    ["--reference", ["stk", "--phone", "0712345678", "--amount", "5", "--reference="]],
    ["--amount", ["b2c", "--phone", "0712345678", "--amount", "", "--reference", "A", "--yes"]],
    ["--rail", ["global", "collect", "--rail", "", "--amount", "5", "--currency", "UGX", "--msisdn", "0772000001"]],
  ] as const)("counts as missing: %s in %j", async (flag, argv) => {
    const { code, stderr, requests } = await runCli([...argv, "--json"], { service });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(JSON.parse(stderr).error.message).toMatch(new RegExp(`Missing: .*${flag}`));
  });

  it.each([
    ["stk", "--phone", "0712345678", "--amount", "5", "--reference", "A"],
    ["b2c", "--phone", "0712345678", "--amount", "50", "--reference", "A", "--yes"],
    ["global", "collect", "--rail", "R", "--amount", "5", "--currency", "UGX", "--msisdn", "0772000001"],
    "global withdraw --rail R --channel BANK --bank-code 1 --account-number 2 --account-name N --amount 5 --currency UGX --yes".split(" "),
    ["api", "POST", "/api/v1/merchants/payments/stk-push", "-f", "phone=0712345678", "-f", "reference=A", "-F", "amount:=5"],
    ["api", "POST", "/x"],
  ])("is no idempotency key: %j", async (...argv) => {
    for (const key of ["", " "]) {
      const { code, stdout, stderr, requests } = await runCli([...argv, "--idempotency-key", key, "--json"], { service });
      expect([code, stdout, requests.length]).toEqual([2, "", 0]);
      expect(JSON.parse(stderr).error.message).toContain("--idempotency-key");
    }
  });

  it("of an optional field is left out of the body", async () => {
    const { requests } = await runCli(["stk", "--phone", "0712345678", "--amount", "5", "--reference", "A", "--description", "", "--channel-id="], { service });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ phone: "254712345678", amount: 5, reference: "A" });
  });
});

it.each([["--yes=no"], ["--dry-run=true"], ["--json="]])("a flag without values takes none: %s", async (flag) => {
  const { code, stderr, requests } = await runCli(["b2c", "--phone", "0712345678", "--amount", "50", "--reference", "A", flag], { service });
  expect([code, requests.length]).toEqual([2, 0]);
  expect(stderr).toContain(`${flag.split("=")[0]} takes no value`);
});

it("only global flags may stand before the whole command", async () => {
  const { code, requests } = await runCli(["--json", "tx", "--utc", "list"], { service });
  expect([code, requests.length]).toEqual([0, 1]);
  const own = await runCli(["tx", "--limit", "5", "list", "--json"], { service });
  expect([own.code, own.requests.length, JSON.parse(own.stderr).error.message]).toEqual([2, 0, expect.stringContaining("--limit")]);
});

it("a flag of one command is not lost on another below it", async () => {
  const { code, stderr, requests } = await runCli(["b2c", "--phone", "0712345678", "stats"], { service });
  expect([code, requests.length]).toEqual([2, 0]);
  expect(stderr).toContain("--phone");
});

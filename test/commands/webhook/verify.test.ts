import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";
import { schemaFaults } from "../../support/schemas.ts";

type Vector = { name: string; scheme: string; headers: Record<string, string>; secret: string; now: number; body: string; valid: boolean };
const vectors = JSON.parse(readFileSync(new URL("../../cases/webhooks.json", import.meta.url), "utf8")) as Vector[];
const folder = mkdtempSync(join(tmpdir(), "payments-cli-verify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const verify = (vector: Vector, more: readonly string[] = []) => {
  const file = join(folder, `${vector.name}.json`);
  writeFileSync(file, vector.body);
  const headers = Object.entries(vector.headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
  const argv = ["webhook", "verify", "--signature", vector.scheme, ...headers, "--body", file, "--at", String(vector.now), ...more];
  return runCli(argv, { env: { PAYMENTS_WEBHOOK_SECRET: vector.secret } });
};
const named = (name: string): Vector => {
  const found = vectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
};

describe("every vector of cases/webhooks.json", () => {
  it.each(vectors)("$name", async (vector) => {
    const { code, stdout, stderr } = await verify(vector, ["--json"]);
    expect(stdout + stderr).not.toContain(vector.secret);
    expect(stdout + stderr).not.toMatch(/\n {4}at /);
    if (vector.valid) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({ valid: true, scheme: vector.scheme, id: "evt_1001" });
      expect(schemaFaults("webhook-verify", JSON.parse(stdout))).toEqual([]);
    } else {
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(JSON.parse(stderr).error).toMatchObject({ kind: "usage", sent: "no" });
    }
  });
});

describe("cases/reports.md", () => {
  it("W1: says that the body was changed", async () => {
    expect((await verify(named("sw-plain"))).code).toBe(0);
    expect((await verify(named("sw-reserialised"))).stderr).toMatch(/^hint: The body was changed/m);
  });
  it.each(["sw-future", "stripe-future"])("W3: %s is ahead", async (name) => {
    expect((await verify(named(name))).stderr).toContain("the timestamp is ahead");
  });
});

describe("webhook verify", () => {
  const vector = named("sw-plain");
  const headers = Object.entries(vector.headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
  const env = { PAYMENTS_WEBHOOK_SECRET: `YW5vdGhlciBkZW1vIHNlY3JldA==\n${vector.secret}` };
  it("takes the body from standard input, the time as ISO, and one of several secrets", async () => {
    const { code, stdout } = await runCli(["webhook", "verify", ...headers, "--body", "-", "--at", "2026-03-01T08:00:05Z"], { env, stdin: vector.body });
    expect(code).toBe(0);
    expect(stdout).toBe("Signature  valid\nScheme     standard-webhooks\nId         evt_1001\n");
  });
  it("says how to check for another moment when it is old", async () => {
    const { code, stderr } = await runCli(["webhook", "verify", ...headers, "--body", "-"], { env, stdin: vector.body, clock: { nowMs: 1_800_000_000_000 } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/timestamp is old[\s\S]*--at TIME/);
  });
  it.each([
    [["--body", "-"], /--header is missing/],
    [headers, /--body is missing/],
    [[...headers, "--body", "/nowhere/at/all"], /cannot be read/],
    [[...headers, "--body", "-", "--at", "yesterday"], /--at has to be/],
    [[...headers, "--body", "-", "--at", "2026-03-01T08:00:05"], /--at has to be/],
    [["--header", "no colon", "--body", "-"], /Name: value/],
    [[...headers, "--body", "-", "--signature", "md5"], /signature/],
    [[...headers, "--body", "-", "--signature", "hmac-sha256-hex", "--signature-header", "X Y"], /header/],
  ])("%j is a usage error", async (more, says) => {
    const { code, stdout, stderr } = await runCli(["webhook", "verify", ...more], { env, stdin: vector.body });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(says);
  });
  it("names both ways to a secret where there is none", async () => {
    const { code, stderr } = await runCli(["webhook", "verify", ...headers, "--body", "-"], { stdin: vector.body });
    expect(code).toBe(2);
    expect(stderr).toMatch(/PAYMENTS_WEBHOOK_SECRET[\s\S]*--with-webhook-secret/);
  });
});

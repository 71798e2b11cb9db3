import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tourOf } from "../../../src/commands/demo/demo.ts";
import { type Step, steps } from "../../../src/commands/demo/steps.ts";
import type { Json } from "../../../src/json/exact-json.ts";
import type { Program } from "../../../src/ports.ts";
import { createHome, runCli } from "../../support/cli.ts";

describe("demo", () => {
  const outer = process.env["TMPDIR"];
  let temporary: string;
  let home: string;
  beforeEach(() => {
    home = createHome();
    temporary = mkdtempSync(join(tmpdir(), "payments-cli-test-"));
    process.env["TMPDIR"] = temporary;
  });
  afterEach(() => {
    if (outer === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = outer;
    rmSync(temporary, { recursive: true, force: true });
  });

  it("does the main jobs, says what to type next, and leaves nothing behind", async () => {
    const { code, stdout, stderr, requests } = await runCli(["demo"], { home });
    expect(stdout.split("\n").filter((line) => line.startsWith("✓"))).toHaveLength(steps.length);
    expect(stdout).toMatch(/KES 1,500.00 paid by the customer, receipt [A-Z0-9]{10}/);
    expect(stdout).not.toContain("✗");
    for (const step of [
      "stk --phone",
      "b2c --phone",
      "tx list",
      "tx get TX",
      "$ payments-cli wallet --sandbox",
      "global collect --rail",
      "global wallet",
      "global withdraw",
    ])
      expect(stderr).toContain(step);
    expect(stderr).toContain("What to type next");
    expect(code).toBe(0);
    expect(requests).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("prints {steps: [{name, ok}]} under --json, and nothing else", async () => {
    const { code, stdout, stderr } = await runCli(["demo", "--json"], { home });
    expect(JSON.parse(stdout)).toEqual({ steps: steps.map(({ name }) => ({ name, ok: true })) });
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("needs no profile, and touches neither settings nor journal of the person", async () => {
    const { code } = await runCli(["demo", "--quiet"], {
      home,
      env: { PAYMENTS_API_KEY: "live_key_that_must_not_be_used", PAYMENTS_BASE_URL: "https://pay.example" },
    });
    expect(code).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });

  it("says in words where there is no room for a temporary folder", async () => {
    process.env["TMPDIR"] = join(temporary, "missing");
    const { code, stdout, stderr } = await runCli(["demo", "--json"], { home });
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "usage", message: expect.stringContaining("temporary folder") } });
  });

  it("goes on after a step that failed, and its exit code tells", async () => {
    const step = (name: string): Step => ({ name, line: name, says: () => "done" });
    const refusal = JSON.stringify({ error: { kind: "rejected", message: "No.", retryable: false, sent: "no" } });
    const program: Program = {
      run: async ([word]) => (word === "broken" ? { code: 6, stdout: "", stderr: refusal } : { code: 0, stdout: "{}", stderr: "" }),
      streams: () => {
        throw new Error("No protocol in this test.");
      },
    };
    const context = { note: () => undefined, signal: new AbortController().signal, program };
    const outcome = await tourOf(["first", "broken", "last"].map(step))({ flags: {}, args: [], words: [] }, context);
    const rows: Json[] = [];
    for await (const page of outcome.rows) rows.push(...[page].flat());
    expect(rows.map((row) => JSON.stringify(row))).toEqual([
      '{"name":"first","ok":true,"detail":"done"}',
      '{"name":"broken","ok":false,"detail":"No."}',
      '{"name":"last","ok":true,"detail":"done"}',
    ]);
    expect(outcome.verdict?.()).toMatchObject({ kind: "rejected" });
    expect(readdirSync(temporary)).toEqual([]);
  });
});

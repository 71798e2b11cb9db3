import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runBinary, startBinary } from "../../support/process.ts";

describe("demo, as a process", () => {
  let home: string;
  let temporary: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "payments-cli-test-"));
    temporary = mkdtempSync(join(tmpdir(), "payments-cli-test-"));
  });
  afterEach(() => {
    for (const folder of [home, temporary]) rmSync(folder, { recursive: true, force: true });
  });

  it("ends well and leaves nothing behind", async () => {
    const { code, stdout, stderr } = await runBinary(["demo", "--json"], { home, env: { TMPDIR: temporary } });
    expect(stderr).toBe("");
    expect((JSON.parse(stdout) as { readonly steps: readonly { readonly ok: boolean }[] }).steps.every(({ ok }) => ok)).toBe(true);
    expect(code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it("cleans up when it is interrupted", async () => {
    const running = startBinary(["demo"], { home, env: { TMPDIR: temporary } });
    await expect.poll(() => readdirSync(temporary).length, { timeout: 10_000 }).toBeGreaterThan(0);
    running.kill("SIGINT");
    const { exitCode } = await running;
    // Between two steps it is 130; a push that was accepted already is still open: 8.
    expect([130, 8]).toContain(exitCode);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

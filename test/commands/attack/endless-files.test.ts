import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeReport } from "../../../src/commands/tx/report.ts";
import { runCli } from "../../support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "payments-endless-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === "win32")("what has no end, or no writer, is not read", () => {
  it("a device and a named pipe are refused by whatever takes a file", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/zero", "/dev/urandom"]) {
      for (const argv of [
        ["b2c", "batch", path, "--yes", "--result", join(folder, "result.csv")],
        ["tx", "reconcile", path],
        ["api", "POST", "/x", "--input", path],
        ["webhook", "verify", "--header", "a: b", "--body", path],
      ]) {
        const env = { PAYMENTS_WEBHOOK_SECRET: "whsec_bm90IGEgc2VjcmV0IG9mIGFueW9uZQ==" };
        const { code, stderr, requests } = await runCli(argv, { env, service: () => ({ body: {} }) });
        expect([code, requests, stderr]).toEqual([2, [], expect.stringContaining("not a plain file")]);
      }
    }
  });

  it("a report follows no link", async () => {
    const target = join(folder, "target");
    writeFileSync(target, "mine");
    symlinkSync(target, join(folder, "link.html"));
    await expect(writeReport(join(folder, "link.html"), "page")).rejects.toMatchObject({ kind: "usage" });
    expect(readFileSync(target, "utf8")).toBe("mine");
    expect(existsSync(join(folder, "link.html"))).toBe(true);
  });
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { creationAt } from "../../../src/commands/api/creating-path.ts";
import { readEarlierResult } from "../../../src/commands/b2c/batch-result.ts";
import { writeReport } from "../../../src/commands/tx/report.ts";

const b2c = "/api/v1/merchants/payments/b2c";

describe("a path that makes a payment is known however it is spelled (rules.md, Money safety)", () => {
  it.each([
    `${b2c}/`,
    `${b2c}.json`,
    `${b2c}.JSON/`,
    `${b2c}%2ejson`,
    `${b2c};a=1`,
    `${b2c}%2f`,
    `${b2c}%00`,
    `${b2c}%3fx`,
    `${b2c}%252525252525252525252f`,
    "/api/v1/merchants/payments/%62%32C",
    "/api/v1/merchants/payments/%2525252525252562%32C",
    "/api/v1//merchants/./payments/x/%2e%2e/b2c",
  ])("%s", (path) => {
    expect(creationAt("POST", "/", path)).toBe("b2c");
  });
  it("and no other path is taken for one", () => {
    for (const path of ["/", "/api/v1/merchants/payments/b2c-refund", "/api/v1/merchants/payments/wallet.json", `${b2c}/x`])
      expect(creationAt("POST", "/", path)).toBeUndefined();
  });
});

describe.skipIf(process.platform === "win32")("what is written never waits on a pipe, nor changes a device", () => {
  it("a result needs a plain file; a report never hangs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "attack-"));
    try {
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      for (const path of [pipe, "/dev/null", folder])
        expect((await readEarlierResult(path, "pay.csv")).problem).toMatchObject({ kind: "usage", message: expect.stringContaining("not a plain file") });
      await expect(writeReport(pipe, "page")).rejects.toMatchObject({ kind: "usage" });
      await writeReport("/dev/null", "page");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

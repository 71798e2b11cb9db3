import { describe, expect, test } from "vitest";
import { createMask } from "../../../src/service/mask.ts";
import { createHome, runCli } from "../../support/cli.ts";

const key = "Sk_Live_AbCdEf0123456789";
const leaked = /sk_live_abcdef/i;

describe("a key pasted as the base URL's host", () => {
  test.each([
    [["wallet"]],
    [["wallet", "--json", "--debug"]],
    [["whoami", "--json"]],
    [["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R", "--dry-run"]],
    [["doctor"]],
  ])("%j never shows it", async (argv) => {
    const { code, stdout, stderr, requests } = await runCli(argv, { env: { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: `https://${key}/` } });
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stdout + stderr).not.toMatch(leaked);
    expect(stdout + stderr).toContain("has the API key in it");
  });

  test("login stores nothing", async () => {
    const home = createHome();
    for (const url of [key, `https://${key}`, `https://api.example.com/${key}`]) {
      const { code, stdout, stderr } = await runCli(["login", "--base-url", url, "--with-key"], { home, stdin: key });
      expect(code).toBe(2);
      expect(stdout + stderr).not.toMatch(leaked);
    }
    expect((await runCli(["profile", "list", "--json"], { home })).stdout).toContain('"profiles": []');
  });

  test("the mask knows it in any case of letters, and takes no sign of it for a pattern", () => {
    const mask = createMask(["Key.With+Signs(1)"]);
    expect(mask("host key.with+signs(1) and KEY.WITH+SIGNS(1), not keyXwith+signs(1)")).toBe("host **** and ****, not keyXwith+signs(1)");
  });
});

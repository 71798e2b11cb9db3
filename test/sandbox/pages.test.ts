import { describe, expect, it } from "vitest";
import { readAssets } from "../../src/sandbox/dashboard/assets.ts";
import { createPages } from "../../src/sandbox/dashboard/pages.ts";
import type { SandboxRequest } from "../../src/sandbox/request.ts";

const assets = readAssets();
const apiKey = "sk_sandbox_0123456789abcdef";
const pages = createPages({ apiKey });
const asked: SandboxRequest = { method: "GET", path: "/", headers: { host: "127.0.0.1:4010" }, body: "" };
const ask = (path: string, more: Partial<SandboxRequest> = {}) => pages({ ...asked, path, ...more });

describe("the dashboard's pages", () => {
  it("are served with nothing from outside, never framed, never stored", () => {
    for (const path of ["/", ...Object.keys(assets).map((name) => `/assets/${name}`)]) {
      if (path === "/assets/index.html") continue;
      const answer = ask(path);
      expect(answer?.status, path).toBe(200);
      expect(answer?.headers["content-security-policy"]).toContain("default-src 'self'");
      expect(answer?.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(answer?.headers["x-content-type-options"]).toBe("nosniff");
      expect(answer?.body, path).not.toMatch(/(src|href|@import|url\()\s*=?\s*["'(]https?:/);
    }
  });

  it("never build markup from text", () => {
    for (const [name, text] of Object.entries(assets))
      if (name.endsWith(".js")) expect(text, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/);
  });

  const hosts: readonly [string, string | undefined, boolean][] = [
    ["127.0.0.1:4010", undefined, true],
    ["localhost:4010", "127.0.0.1", true],
    ["[::1]:4010", "::1", true],
    ["LOCALHOST", "::ffff:127.0.0.1", true],
    ["evil.example:4010", "127.0.0.1", false],
    ["other.localhost:4010", "127.0.0.1", false],
    ["127.0.0.1.evil.example", "127.0.0.1", false],
    ["localhost:4010", "192.168.1.20", false],
    ["", undefined, false],
  ];
  for (const [host, remoteAddress, trusted] of hosts)
    it(`${trusted ? "give" : "keep back"} the key for Host "${host}" from ${remoteAddress ?? "an unknown address"}`, () => {
      const body = ask("/", { headers: { host }, remoteAddress })?.body ?? "";
      expect(body.includes(apiKey)).toBe(trusted);
      expect(body).not.toContain("{{");
    });

  it("escape the key, hold none where none is given, and leave other paths alone", () => {
    expect(createPages({ apiKey: `"><script>$&` })(asked)?.body).toContain('content="&quot;&gt;&lt;script&gt;$&amp;"');
    expect(createPages()(asked)?.body).toContain('name="sandbox-key" content=""');
    for (const path of [
      "/api/v1/global/providers",
      "/assets/",
      "/assets/index.html",
      "/assets/../pages.ts",
      "/assets/__proto__",
      "/assets/constructor",
      "/favicon.ico",
      "//",
      "/_sandbox/prompts",
    ])
      expect(ask(path), path).toBeUndefined();
    expect(ask("/?x=1")?.status).toBe(200);
    expect(ask("/", { method: "POST" })?.status).toBe(405);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CliError } from "../../src/errors.ts";
import { proxyFor } from "../../src/host/proxy.ts";
import { baseUrlText, isLoopback, parseBaseUrl, refuseUnverifiedTls } from "../../src/service/base-url.ts";
import { routes } from "../../src/service/contract/routes.ts";
import { createMask, maskPhones } from "../../src/service/mask.ts";
import { fakeWire, json, type Met } from "./fake-wire.ts";

const thrown = (work: () => unknown): CliError => {
  try {
    work();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

describe("a key", () => {
  it.each([
    ["k–1", 2],
    ["sk_é", 4],
    ["\uFEFFk", 1],
    ["ab\r\ncd", 3],
    ["ab\tcd", 3],
    ["😀", 1],
    ["x\u0000", 2],
  ])("%j cannot be sent: position %i is named, the key is not (K3)", (apiKey, position) => {
    const error = thrown(() => fakeWire([], { apiKey }));
    expect(error).toMatchObject({ kind: "usage", message: expect.stringContaining(`position ${position} `) });
    expect(`${error.message}${error.hint}`).not.toContain(apiKey);
  });
  it("an empty one is refused", () => expect(thrown(() => fakeWire([], { apiKey: " " })).kind).toBe("usage"));
  it("the fingerprint depends on key and salt and tells neither", () => {
    const { client } = fakeWire([]);
    const print = client.keyFingerprint("salt");
    expect(print).toMatch(/^[0-9a-f]{64}$/);
    expect(client.keyFingerprint("salt")).toBe(print);
    expect(client.keyFingerprint("other")).not.toBe(print);
    expect(fakeWire([], { apiKey: "another" }).client.keyFingerprint("salt")).not.toBe(print);
  });
  it("an idempotency key that is no header is refused before sending", async () => {
    for (const idempotencyKey of ["", "a b", "é", "x".repeat(256), "a\n"]) {
      const wire = fakeWire([json(200, { transactionId: "T" })]);
      await expect(wire.client.call(routes.stkPush, { body: "{}", idempotencyKey })).rejects.toMatchObject({ kind: "usage" });
      expect(wire.sent).toHaveLength(0);
    }
  });
});

describe("debug lines and messages (K7)", () => {
  const apiKey = "sk_live_Zm9v/+secret";
  const forms = [apiKey, Buffer.from(apiKey).toString("base64"), Buffer.from(`user:${apiKey}`).toString("base64"), encodeURIComponent(apiKey)];
  const scripts: readonly (readonly Met[])[] = [
    [json(200, { wallet: {} })],
    [json(401, { message: `Bad key ${apiKey}`, code: `NO_${apiKey}` })],
    [{ fails: "refused", left: false }],
    [json(500, { error: { message: forms.join(" ") } })],
  ];
  it.each(scripts)("never have the key in any form: %j", async (...script) => {
    const wire = fakeWire(script, { apiKey, retries: 1 });
    const end: unknown = await wire.client.call(routes.wallet, { query: { x: apiKey, phone: "254712345678" } }).catch((error: unknown) => error);
    const told = [...wire.lines, ...(end instanceof Error ? [end.message, String((end as CliError).code), String((end as CliError).hint)] : [])].join("\n");
    for (const form of forms) expect(told).not.toContain(form);
    expect(wire.lines.length).toBeGreaterThan(0);
    expect(told).not.toContain("254712345678");
    expect(told).toContain("2547****678");
  });
  it("masks a key wherever it stands in base64", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 40 }), fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (key, before, after) => {
        const secret = `k${key}z`;
        const masked = createMask([secret])(`a ${Buffer.from(before + secret + after).toString("base64")} b ${before}${secret}${after}`);
        expect(masked).not.toContain(secret);
        expect(Buffer.from(masked.split(" ")[1] ?? "", "base64").toString()).not.toContain(secret);
      }),
    );
  });
  it.each(["\\", "s", "s ", "s\\n", "sk_live_", " ", "%73"])("takes no long time over a text of nothing but %j", (piece) => {
    const mask = createMask(["sk_live_ssss ssss\\\\0123456789"]);
    const text = piece.repeat(400_000);
    expect(mask(text)).toBe(text);
  });
  it("leaves amounts, ids and dates readable", () => {
    for (const text of ["amount=150000", "2026-11-28T05:03:00.123Z", "5f1d7e2a-1234-4abc-9def-123456789012", "T1234567890123", "id=12345678"])
      expect(maskPhones(text)).toBe(text);
    expect(maskPhones("?msisdn=0712345678&p=%2B254712345678. +254712345678")).toBe("?msisdn=0712****678&p=%2B2547****678. +2547****678");
  });
});

describe("a base URL", () => {
  it.each([
    "https://api.example.com",
    "https://api.example.com/base/",
    "http://127.0.0.1:4010",
    "http://localhost:1",
    "http://[::1]:8080/x",
    "http://127.9.9.9",
    "  https://a.example ",
  ])("%s is taken", (text) => expect(parseBaseUrl(text).href).toContain("://"));
  it.each([
    "http://api.example.com",
    "http://10.0.0.1",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://x.localhost",
    "ftp://localhost",
    "file:///etc",
    "javascript://x",
    "https://user:pw@api.example.com",
    "https://user@api.example.com",
    "https://@api.example.com",
    "https://api.example.com?x=1",
    "https://api.example.com/?",
    "https://api.example.com/#x",
    "https://api.exa mple.com",
    "https:\\\\api.example.com",
    "https://",
    "api.example.com",
    "",
    "https://api.example.com:99999",
  ])("%j is refused", (text) => {
    const error = thrown(() => parseBaseUrl(text));
    expect(error.kind).toBe("usage");
    expect(error.message).not.toContain("pw");
  });
  it("has one spelling", () => {
    expect(baseUrlText(parseBaseUrl("HTTPS://API.Example.com:443/x//"))).toBe("https://api.example.com/x");
  });
  it("unchecked certificates are for loopback alone", () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect(thrown(() => refuseUnverifiedTls(new URL("https://api.example.com"), env)).kind).toBe("usage");
    expect(() => refuseUnverifiedTls(new URL("https://localhost:1"), env)).not.toThrow();
    expect(() => refuseUnverifiedTls(new URL("https://api.example.com"), {})).not.toThrow();
  });
  it("loopback is what never leaves this machine", () => {
    expect(["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "[::1]", "::1"].every(isLoopback)).toBe(true);
    expect(["localhost.example", "128.0.0.1", "0.0.0.0", "::", "1.127.0.0"].some(isLoopback)).toBe(false);
  });
});

describe("the proxy variables", () => {
  const url = new URL("https://api.example.test/x");
  const via = (env: Readonly<Record<string, string>>, target = url): string | undefined => proxyFor(target, env)?.href;
  it("name the proxy (H5)", () => {
    expect(via({})).toBeUndefined();
    expect(via({ HTTPS_PROXY: "http://p:1" })).toBe("http://p:1/");
    expect(via({ https_proxy: "p:1" })).toBe("http://p:1/");
    expect(via({ HTTP_PROXY: "http://p:1" })).toBe("http://p:1/");
    expect(via({ HTTPS_PROXY: " " })).toBeUndefined();
    expect(via({ https_proxy: "http://small:1", HTTPS_PROXY: "http://large:1" })).toBe("http://small:1/");
    expect(via({ https_proxy: "", HTTPS_PROXY: "http://large:1" })).toBe("http://large:1/");
    expect(via({ https_proxy: "http://p:1", NO_PROXY: "api.example.test" })).toBeUndefined();
    expect(via({ HTTPS_PROXY: "http://[::1]:3128" })).toBe("http://[::1]:3128/");
    expect(via({ HTTPS_PROXY: "[::1]:3128" })).toBe("http://[::1]:3128/");
    expect(via({ HTTPS_PROXY: "//p:1" })).toBe("http://p:1/");
    expect(via({ HTTPS_PROXY: "http://p:1" }, new URL("https://127.0.0.1/"))).toBeUndefined();
    expect(via({ HTTPS_PROXY: "http://p:1" }, new URL("https://[::1]/"))).toBeUndefined();
  });
  it.each([
    ["api.example.test", true],
    ["example.test", true],
    [".example.test", true],
    ["*.example.test", true],
    ["*", true],
    ["other.test, API.example.test", true],
    ["api.example.test:443", true],
    ["api.example.test:8443", false],
    ["i.example.test", false],
    ["test.example", false],
    ["", false],
    [",", false],
    ["10.0.0.0/8", false],
    ["*:443", true],
    ["*:8443", false],
    ["api.example.test.", true],
    ["https://api.example.test", true],
    ["https://api.example.test/", true],
    ["other.test\tapi.example.test", true],
    ["other.test,,api.example.test,", true],
    ["[::1]", false],
    ["[broken", false],
    ["a:b:c", false],
    ["/8", false],
    ["example", false],
    [".", false],
    ["*.", false],
  ])("NO_PROXY=%s: around it is %s", (list, around) => {
    expect(via({ HTTPS_PROXY: "http://p:1", NO_PROXY: list }) === undefined).toBe(around);
  });
  it("NO_PROXY takes addresses and blocks", () => {
    const env = { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8 [fd00::1] fd00::/8" };
    expect(via(env, new URL("https://10.2.3.4/"))).toBeUndefined();
    expect(via(env, new URL("https://[fd00::2]/"))).toBeUndefined();
    for (const list of ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "2001:0DB8:0:0:0:0:0:1", "2001:db8::/32", "2001:db8:0:0::/64"]) {
      expect([list, via({ HTTPS_PROXY: "http://p:1", NO_PROXY: list }, new URL("https://[2001:db8::1]/"))]).toEqual([list, undefined]);
    }
    for (const list of ["2001:db8::2", "[2001:db8::1]:8443", "10.0.0.0/8", "0.0.0.0/0", "2001:db8::/129", "2001:db8::/x"]) {
      expect([list, via({ HTTPS_PROXY: "http://p:1", NO_PROXY: list }, new URL("https://[2001:db8::1]/"))]).toEqual([list, "http://p:1/"]);
    }
    expect(via(env, new URL("https://11.2.3.4/"))).toBe("http://p:1/");
  });
});

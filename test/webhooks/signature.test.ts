import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { signatureSchemes } from "../../src/service/contract/limits.ts";
import { isSignatureScheme, type SignatureScheme, signDelivery, verifySignature } from "../../src/webhooks/webhook-signature.ts";

type Vector = {
  name: string;
  scheme: SignatureScheme;
  headers: Record<string, string>;
  secret: string;
  now: number;
  id?: string;
  body: string;
  valid: boolean;
  why: string;
};
const vectors = JSON.parse(readFileSync(new URL("../cases/webhooks.json", import.meta.url), "utf8")) as Vector[];
const check = (vector: Vector, more: Partial<Parameters<typeof verifySignature>[0]> = {}) =>
  verifySignature({
    scheme: vector.scheme,
    headers: vector.headers,
    body: Buffer.from(vector.body, "utf8"),
    secrets: [vector.secret],
    nowSeconds: vector.now,
    ...more,
  });
const named = (name: string): Vector => {
  const found = vectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
};

describe("cases/webhooks.json", () => {
  it.each(vectors)("$name: $why", (vector) => {
    expect(isSignatureScheme(vector.scheme)).toBe(true);
    const verdict = check(vector);
    expect(verdict.valid).toBe(vector.valid);
    if (vector.valid) expect(verdict.reason).toBeUndefined();
    else expect(verdict.reason).toMatch(/\w/);
    if (vector.scheme === "standard-webhooks" && vector.valid) expect(verdict.id).toBe(vector.id);
    expect(JSON.stringify(verdict)).not.toContain(vector.secret);
  });
  it.each(vectors.filter((vector) => vector.valid))("$name: header names in any case, several secrets, one body bit", (vector) => {
    const upper = Object.fromEntries(Object.entries(vector.headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(check(vector, { headers: upper, secrets: ["b3RoZXI=", vector.secret] }).valid).toBe(true);
    expect(check(vector, { secrets: ["b3RoZXI="] }).valid).toBe(false);
    expect(check(vector, { secrets: [] }).valid).toBe(false);
    expect(check(vector, { body: Buffer.from(`${vector.body} `) }).valid).toBe(false);
  });
});

describe("reasons", () => {
  it.each(["sw-future", "stripe-future"])("%s is ahead (W3)", (name) => expect(check(named(name)).reason).toContain("ahead"));
  it.each(["sw-old", "stripe-old"])("%s is old", (name) => expect(check(named(name)).reason).toContain("old"));
  it.each(["sw-reserialised", "hex-reserialised", "stripe-reserialised"])("%s: the body was changed (W1)", (name) =>
    expect(check(named(name)).hint).toContain("body was changed"),
  );
  it("hex-newline-added says a line end was added", () => expect(check(named("hex-newline-added")).hint).toContain("line end was added"));
  it("allows 300 s and not 301, on both sides", () => {
    const vector = named("sw-plain");
    const at = (offset: number): boolean => check(vector, { nowSeconds: Number(vector.headers["webhook-timestamp"]) + offset }).valid;
    expect([at(300), at(301), at(-300), at(-301)]).toEqual([true, false, true, false]);
  });
});

describe("signDelivery", () => {
  it.each(signatureSchemes)("is verified by its own scheme: %s", (scheme) => {
    const secret = scheme === "standard-webhooks" ? "whsec_c2VjcmV0" : "a secret with spaces";
    const body = Buffer.from('{"a": 1.0}\n');
    const headers = signDelivery({
      scheme,
      header: "X-Mine",
      secrets: ["b3RoZXI=", secret].slice(scheme.startsWith("hmac") ? 1 : 0),
      id: "evt_1",
      timestampSeconds: 1000,
      body,
    });
    expect(headers).toBeDefined();
    const input = { scheme, header: "x-mine", headers: headers ?? {}, body, secrets: [secret], nowSeconds: 1010 };
    expect(verifySignature(input)).toMatchObject({ valid: true });
    expect(verifySignature({ ...input, body: Buffer.from('{"a": 1}\n') }).valid).toBe(false);
    const shouted = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, scheme.endsWith("hex") ? value.toUpperCase() : value]));
    expect(verifySignature({ ...input, headers: shouted }).valid).toBe(true);
  });
  it("refuses a Standard Webhooks secret that is no base64", () => {
    expect(signDelivery({ scheme: "standard-webhooks", secrets: ["not base64!"], id: "e", timestampSeconds: 1, body: Buffer.from("") })).toBeUndefined();
  });
});

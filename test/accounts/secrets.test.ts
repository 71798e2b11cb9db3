import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanNewPassphrase, cleanPassphrase, cleanSecret, keyHintOf, splitSecrets } from "../../src/accounts/secrets.ts";
import { openKey, parseWithdrawalKey, sealKey } from "../../src/accounts/withdrawal-key.ts";
import { CliError } from "../../src/errors.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ['\uFEFF "k1"\r\n', "k1"],
  ["  k1\t\n", "k1"],
  ["'k1'", "k1"],
  ["\u201Ck1\u201D", "k1"],
  ["`k1`", "k1"],
  ["\u00A0k1\u200B", "k1"],
])("%j is cleaned", (given, key) => {
  expect(cleanSecret(utf8(given))).toBe(key);
});

test("UTF-16, as PowerShell writes it, is understood", () => {
  const bytes = Buffer.from("\uFEFFk1\r\n", "utf16le");
  expect(cleanSecret(new Uint8Array(bytes))).toBe("k1");
  expect(cleanSecret(new Uint8Array(Buffer.from(bytes).swap16()))).toBe("k1");
});

test.each([
  ["k–1", 2],
  ["first\nsecond", 6],
  ["a b", 2],
  ["ab\u0000c", 3],
  ["clé", 3],
  ["🧾k", 1],
])("%j is refused naming position %i alone", (given, position) => {
  expect(() => cleanSecret(given)).toThrow(`position ${position} `);
});

test("what is accepted can be a header, what is refused is never repeated", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 6, maxLength: 40 }), (text) => {
      try {
        expect(new Headers({ authorization: `Bearer ${cleanSecret(text)}` }).get("authorization")).toContain("Bearer ");
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        expect(error.message + String(error.hint)).not.toContain(text.trim() === "" ? "\u0000" : text);
      }
    }),
  );
});

test("a hint gives at most four characters away, and none of a short key", () => {
  expect(keyHintOf("live_key_0123456789")).toBe("****6789");
  expect(keyHintOf("k1")).toBe("****");
});

test("webhook secrets are one a line and may hold spaces", () => {
  expect(splitSecrets("\uFEFFone two\r\n\r\n three \nthree\n")).toEqual(["one two", "three"]);
});

test("a withdrawal key opens under its passphrase alone, in its own profile and at its own address", async () => {
  const record = await sealKey("second_key", "pässphrase", { profile: "shop", baseUrl: "https://pay.example" });
  expect(JSON.stringify(record)).not.toContain("second_key");
  expect(parseWithdrawalKey(JSON.parse(JSON.stringify(record)))).toEqual(record);
  expect(await openKey(record, "pässphrase", "shop")).toBe("second_key");
  await expect(openKey(record, "passphrase", "shop")).rejects.toMatchObject({ kind: "auth" });
  await expect(openKey(record, "pässphrase", "other")).rejects.toMatchObject({ kind: "auth" });
  await expect(openKey({ ...record, baseUrl: "https://other.example" }, "pässphrase", "shop")).rejects.toMatchObject({ kind: "auth" });
  await expect(openKey({ ...record, data: Buffer.from("other_key!").toString("base64") }, "pässphrase", "shop")).rejects.toMatchObject({ kind: "auth" });
});

test.each([[Buffer.from("live_k\u00e9y", "latin1")], [Buffer.from("\uFEFFk1\uD800", "utf16le")]])(
  "bytes that are neither UTF-8 nor UTF-16 are refused, never replaced (%#)",
  (bytes) => {
    for (const read of [cleanSecret, splitSecrets, cleanPassphrase, cleanNewPassphrase]) expect(() => read(new Uint8Array(bytes))).toThrow("UTF-8");
  },
);

import fc from "fast-check";
import { expect, test } from "vitest";
import { CliError } from "../../../src/kernel/errors.ts";
import { cleanSecret, keyHintOf, splitSecrets } from "../../../src/store/secrets.ts";
import { openKey, parseWithdrawalKey, sealKey, toJson } from "../../../src/store/withdrawal-key.ts";

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

test("a withdrawal key opens under its passphrase alone", async () => {
  const record = await sealKey("second_key", "pässphrase");
  expect(JSON.stringify(record)).not.toContain("second_key");
  const stored = parseWithdrawalKey(JSON.parse(JSON.stringify(toJson(record))) as ReturnType<typeof toJson>);
  expect(stored).toEqual(record);
  // The same letters in another Unicode form, as another keyboard types them.
  expect(await openKey(record, "pa\u0308ssphrase")).toBe("second_key");
  await expect(openKey(record, "passphrase")).rejects.toMatchObject({ kind: "auth" });
  await expect(openKey({ ...record, data: Buffer.from("other_key!").toString("base64") }, "pässphrase")).rejects.toMatchObject({ kind: "auth" });
  await expect(sealKey("second_key", "")).rejects.toMatchObject({ kind: "usage" });
});

test.each([
  ["no record", null],
  ["costs without bound", { N: 2 ** 30 }],
  ["a cost that is no power of two", { N: 1000 }],
  ["another cipher", { cipher: "none" }],
  ["a missing part", { tag: 1 }],
])("%s is not taken for a record", (_, change) => {
  const good = { kdf: "scrypt", N: 2 ** 16, r: 8, p: 2, salt: "AA==", cipher: "aes-256-gcm", iv: "AA==", tag: "AA==", data: "AA==" };
  expect(parseWithdrawalKey(good)).toBeDefined();
  expect(parseWithdrawalKey(change === null ? null : { ...good, ...change })).toBeUndefined();
});

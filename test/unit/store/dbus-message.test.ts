import { expect, test } from "vitest";
import { decode, encode, field, messageLength, messageType, type Value, type Variant } from "../../../src/store/dbus-message.ts";

const fields = (signature: string) =>
  new Map<number, Variant>([
    [field.path, { signature: "o", value: "/a" }],
    [field.signature, { signature: "g", value: signature }],
  ]);

test("a message is what the specification says, byte for byte", () => {
  const parts = [
    "6c 01 00 01 09000000 07000000 17000000", // little-endian, a call, no flags, version 1; a body of 9, serial 7, fields of 23
    "01 016f00 02000000 2f6100 0000000000", // the path, of type o, filled up to 8
    "08 016700 017300 00", // the signature, of type g; the head is filled up to 8
    "04000000 68c3a931 00", // "hé1"
  ];
  expect(encode(messageType.call, 7, fields("s"), ["hé1"]).toString("hex")).toBe(parts.join("").replaceAll(" ", ""));
});

test("what is sent comes back, in any nesting", () => {
  const args: readonly Value[] = [
    [
      ["label", { signature: "a{ss}", value: [["service", "x"]] }],
      ["n", { signature: "u", value: 4_000_000_000 }],
    ],
    ["/s/1", Buffer.alloc(0), Buffer.from([1, 2, 255]), "text/plain"],
    true,
    [],
  ];
  const bytes = encode(messageType.reply, 1, fields("a{sv}(oayays)bao"), args);
  expect([messageLength(bytes), messageLength(bytes.subarray(0, 15))]).toEqual([bytes.length, undefined]);
  const message = decode(bytes);
  expect([message.type, message.fields.get(field.path), message.body]).toEqual([messageType.reply, "/a", args]);
});

test("what is cut short or makes no sense is refused", () => {
  const bytes = encode(messageType.reply, 1, fields("as"), [["one", "two"]]);
  for (let length = 16; length < bytes.length; length++) expect(() => decode(bytes.subarray(0, length))).toThrow();
  const long = Buffer.from(bytes);
  long.writeUInt32LE(0xffffffff, 4);
  expect(() => messageLength(long)).toThrow();
  expect(() => encode(messageType.call, 1, fields("s"), [5])).toThrow();
});

import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { encode, field, messageType, type Value, type Variant } from "../../../src/store/dbus-message.ts";
import { createKeychain } from "../../../src/store/keychain.ts";
import { createHome } from "../../support/cli.ts";

const bus = "DBUS_SESSION_BUS_ADDRESS";
const before = process.env[bus];
afterEach(() => {
  if (before === undefined) delete process.env[bus];
  else process.env[bus] = before;
});

const head = (signature: string) =>
  new Map<number, Variant>([
    [field.replySerial, { signature: "u", value: 1 }],
    [field.signature, { signature: "g", value: signature }],
  ]);
const reply = (signature: string, args: readonly Value[], type: number = messageType.reply): Buffer => encode(type, 1, head(signature), args);
/** A reply whose body is these bytes, whatever its signature says of it. */
const raw = (signature: string, body: Buffer): Buffer => {
  const message = encode(messageType.reply, 1, head(signature), signature.startsWith("a") ? [[]] : [{ signature: "s", value: "" }]);
  const headLength = message.length - message.readUInt32LE(4);
  message.writeUInt32LE(body.length, 4);
  return Buffer.concat([message.subarray(0, headLength), body]);
};
const changed = (bytes: Buffer, at: number, value: number): Buffer => {
  bytes.writeUInt32LE(value, at);
  return bytes;
};
const deep = `a${"(".repeat(120)}y${")".repeat(120)}`;

/** What the bus says to who we are, and to the first call. */
const faults: readonly (readonly [string, string, Buffer | undefined, string])[] = [
  ["does not let the user in", "REJECTED EXTERNAL\r\n", undefined, "does not let this user in"],
  ["says no line", "x".repeat(5000), undefined, "does not let this user in"],
  ["answers the first call with an error", "OK 1\r\n", reply("s", ["No more clients"], messageType.error), "No more clients"],
  ["says something else", "OK 1\r\n", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"), "no message"],
  ["speaks big-endian", "OK 1\r\n", Buffer.concat([Buffer.from("B"), reply("s", [":1"]).subarray(1)]), "no message"],
  ["announces four gigabytes", "OK 1\r\n", changed(reply("s", [":1"]), 4, 0xfffffff0), "no message"],
  ["sends a list of nothings", "OK 1\r\n", raw("a()", Buffer.from([8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])), "no message"],
  ["sends variants in variants", "OK 1\r\n", raw("v", Buffer.from("\u0001v\u0000".repeat(100_000), "latin1")), "no message"],
  ["sends structures in structures", "OK 1\r\n", raw(deep, changed(Buffer.alloc(900_000), 0, 899_992)), "no message"],
];

test.runIf(process.platform === "linux").each(faults)("a bus that %s is left at once, with a reason", async (_, hello, answer, reason) => {
  const path = join(createHome(), "bus");
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      if (chunk.includes("AUTH")) socket.write(hello);
      else if (answer !== undefined) socket.write(answer);
    });
  }).listen(path);
  process.env[bus] = `unix:path=${path}`;
  try {
    const startedMs = performance.now();
    const [[socket]] = await Promise.all([
      once(server, "connection") as Promise<[Socket]>,
      expect(createKeychain().read("entry")).rejects.toMatchObject({ kind: "config", message: expect.stringContaining(reason) }),
    ]);
    // Nothing is left open, which would keep the program running.
    if (!socket.destroyed) await once(socket, "close");
    expect(performance.now() - startedMs).toBeLessThan(2000);
  } finally {
    server.close();
  }
});

test.runIf(process.platform === "linux")("an address that is none is said", async () => {
  process.env[bus] = "unix:path=/tmp/%zz";
  await expect(createKeychain().read("entry")).rejects.toMatchObject({ kind: "config", message: expect.stringContaining("message bus") });
});

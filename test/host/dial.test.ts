import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressesOf, dialAny } from "../../src/host/dial.ts";

const taken: string[] = [];
const server: Server = createServer((socket) => {
  taken.push(socket.remoteAddress ?? "");
  socket.on("error", () => undefined);
});
const port = (): number => (server.address() as AddressInfo).port;
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
afterAll(() => new Promise<void>((closed) => void server.close(() => closed())));

const never = new AbortController().signal;

describe("dialling", () => {
  it.each([
    ["the only address", ["127.0.0.1"]],
    ["the second, if the first refuses", ["::1", "127.0.0.1"]],
    ["the first, though the second refuses", ["127.0.0.1", "::1"]],
    ["the last of many", ["::1", "::1", "::1", "127.0.0.1"]],
  ])("reaches %s", async (_, addresses) => {
    const socket = await dialAny(addresses, port(), never);
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(socket.listenerCount("error")).toBe(0);
    socket.destroy();
  });

  it("makes one connection, not one for each address", async () => {
    taken.length = 0;
    const socket = await dialAny(["127.0.0.1", "127.0.0.1", "127.0.0.1"], port(), never);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.destroy();
    await closed;
    expect(taken.length).toBeLessThanOrEqual(1);
  });

  it("rejects with the first address's error once all have failed", async () => {
    await expect(dialAny(["::1", "::1"], port(), never)).rejects.toMatchObject({ address: "::1", code: expect.stringMatching(/^E/) });
    await expect(dialAny([], port(), never)).rejects.toThrow();
  });

  it("ends with the signal's reason, before and while it tries", async () => {
    const reason = new Error("no time left");
    await expect(dialAny(["127.0.0.1", "::1"], port(), AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const dialled = dialAny(["127.0.0.1"], port(), controller.signal);
    controller.abort(reason);
    await expect(dialled).rejects.toBe(reason);
    await expect(addressesOf("localhost", AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("finds the addresses of a host, or the resolver's error", async () => {
    expect(await addressesOf("localhost", never)).toEqual(expect.arrayContaining([expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/)]));
    await expect(addressesOf("no such host.invalid", never)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });
});

import { lookup } from "node:dns/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openConnection } from "../../src/host/connect.ts";

const server: Server = createServer((socket) => {
  socket.on("error", () => undefined);
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
afterAll(() => new Promise<void>((closed) => void server.close(() => closed())));

const open = (host: string, signal = new AbortController().signal) =>
  openConnection(new URL(`http://${host}:${(server.address() as AddressInfo).port}`), { env: {} }, signal);

describe("opening a connection", () => {
  it.each(["127.0.0.1", "localhost"])("reaches %s, whatever else its name stands for", async (host) => {
    const socket = await open(host);
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(socket.listenerCount("error")).toBe(0);
    socket.destroy();
  });

  it("says what refuses, and that nothing has left", async () => {
    const addresses = await lookup("localhost", { all: true });
    const other = addresses.some(({ family }) => family === 6) ? "[::1]" : "127.0.0.2";
    await expect(open(other)).rejects.toMatchObject({ reason: "refused", left: false });
  });

  it("says that a host is unknown", async () => {
    await expect(open("no-such-host.invalid")).rejects.toMatchObject({ reason: "dns", left: false });
  });

  it("ends with the signal's reason, before and while it tries", async () => {
    const reason = new Error("no time left");
    await expect(open("127.0.0.1", AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const opened = open("localhost", controller.signal);
    controller.abort(reason);
    await expect(opened).rejects.toBe(reason);
  });
});

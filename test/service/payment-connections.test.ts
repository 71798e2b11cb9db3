import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createUndiciTransport } from "../../src/host/transport-undici.ts";
import type { Transport, TransportAnswer } from "../../src/service/transport.ts";
import { jsonAnswer, type RawServer, startRawServer } from "./raw-server.ts";

describe("connections for payments", () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const open = async (
    ...serving: Parameters<typeof startRawServer>
  ): Promise<{ server: RawServer; transport: Transport; pay: (body: string) => Promise<string>; rest: () => Promise<void> }> => {
    const server = await startRawServer(...serving);
    const clock = { nowMs: 0 };
    const transport = await createUndiciTransport({ env: {} }, () => clock.nowMs);
    closing.push(server.close, () => transport.close());
    const textOf = (answer: TransportAnswer): string => Buffer.from(answer.body).toString("utf8");
    return {
      server,
      transport,
      // Long enough by the program's clock; the pause lets bytes on their way arrive.
      rest: async () => {
        await pause(40);
        clock.nowMs += 101;
      },
      pay: async (body) => textOf(await transport.send({ method: "POST", url: server.url, headers: {}, body }, { timeoutMs: 5_000 })),
    };
  };
  const bodyOf = (request: string): string => request.slice(request.indexOf("\r\n\r\n") + 4);
  const kept = (text: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

  it("are used again after a rest, and never at once", async () => {
    const { server, pay, rest } = await open((socket, request) => socket.write(kept(bodyOf(request))));
    for (let at = 0; at < 4; at += 1) expect(await pay(`p${at}`)).toBe(`p${at}`);
    expect(server.connections()).toBe(4);
    await rest();
    for (let at = 4; at < 8; at += 1) expect(await pay(`p${at}`)).toBe(`p${at}`);
    expect(server.connections()).toBe(4);
  });

  it("carry one payment each where the service closes them", async () => {
    const { server, pay, rest } = await open((socket, request) => socket.end(jsonAnswer(bodyOf(request))));
    for (let at = 0; at < 3; at += 1) {
      expect(await pay(`p${at}`)).toBe(`p${at}`);
      await rest();
    }
    expect(server.connections()).toBe(3);
  });

  // A second answer to the first payment would say that the next was accepted, or refused.
  it.each([0, 4, 20])("one on which an answer nobody asked for comes %i ms later carries no other payment", async (lateMs) => {
    const { server, pay, rest } = await open((socket, request) => {
      socket.write(kept(bodyOf(request)));
      setTimeout(() => socket.write(kept("stray")), lateMs);
    });
    for (let at = 0; at < 3; at += 1) {
      expect(await pay(`p${at}`)).toBe(`p${at}`);
      await rest();
    }
    expect(server.connections()).toBe(3);
    expect(server.requests).toHaveLength(3);
  });

  it("one with an answer nobody asked for is seen as that although the program was held up", async () => {
    const { server, pay, rest } = await open((socket, request) => {
      socket.write(kept(bodyOf(request)));
      if (server.requests.length === 1) setTimeout(() => socket.write(kept("stray")), 45);
    });
    expect(await pay("p0")).toBe("p0");
    await rest();
    const until = performance.now() + 60;
    while (performance.now() < until);
    expect(await pay("p1")).toBe("p1");
  });

  it("one that the service closed, or spoke on while it rested, is not used", async () => {
    let answered = 0;
    const { pay, server, rest } = await open((socket, request) => {
      socket.write(kept(bodyOf(request)));
      answered += 1;
      if (answered % 2 === 0) setTimeout(() => socket.end(jsonAnswer("stray", "408 Request Timeout")), 20);
      else setTimeout(() => socket.destroy(), 20);
    });
    for (let at = 0; at < 4; at += 1) {
      expect(await pay(`p${at}`)).toBe(`p${at}`);
      await rest();
    }
    expect(server.requests).toHaveLength(4);
    expect(server.connections()).toBe(4);
  });

  it("one whose answer was cut or too late is closed", async () => {
    const { server, transport, pay, rest } = await open((socket, request) => {
      if (server.requests.length === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      else socket.write(kept(bodyOf(request)));
    });
    const late = transport.send({ method: "POST", url: server.url, headers: {}, body: "p0" }, { timeoutMs: 50 });
    await expect(late).rejects.toMatchObject({ reason: "timeout", left: true });
    await rest();
    expect(await pay("p1")).toBe("p1");
    expect(server.connections()).toBe(2);
  });
});

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Transport, TransportAnswer } from "../../../src/client/transport.ts";
import { createUndiciTransport } from "../../../src/host/transport-undici.ts";
import { jsonAnswer, type RawServer, startRawServer } from "./raw-server.ts";

describe("connections made ahead", () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const open = async (
    ...serving: Parameters<typeof startRawServer>
  ): Promise<{ server: RawServer; transport: Transport; pay: (body: string) => Promise<string> }> => {
    const server = await startRawServer(...serving);
    const transport = await createUndiciTransport({ env: {} });
    closing.push(server.close, () => transport.close());
    const textOf = (answer: TransportAnswer): string => Buffer.from(answer.body).toString("utf8");
    return {
      server,
      transport,
      pay: async (body) => textOf(await transport.send({ method: "POST", url: server.url, headers: {}, body }, { timeoutMs: 5_000 })),
    };
  };
  const echo: Parameters<typeof startRawServer>[0] = (socket, request) => socket.end(jsonAnswer(request.slice(request.indexOf("\r\n\r\n") + 4)));

  it("carry one request each, and are few", async () => {
    const { server, pay } = await open(echo);
    for (let at = 0; at < 10; at += 1) expect(await pay(`p${at}`)).toBe(`p${at}`);
    await pause(20);
    expect(server.requests).toHaveLength(10);
    expect(server.connections()).toBeGreaterThanOrEqual(10);
    expect(server.connections()).toBeLessThanOrEqual(12);
  });

  it("a single payment makes one", async () => {
    const { server, pay } = await open(echo);
    await pay("one");
    await pause(20);
    expect(server.connections()).toBe(1);
  });

  it("one that the server closed, or spoke on first, is not used", async () => {
    let connections = 0;
    const { pay, server } = await open(echo, {
      onConnection: (socket) => {
        connections += 1;
        // Those made ahead stay silent for a moment; then a gateway gives them up, with words or without.
        const idle = connections;
        setTimeout(() => {
          if (socket.bytesRead > 0) return;
          if (idle % 2 === 0) socket.end(jsonAnswer("stray", "408 Request Timeout"));
          else socket.destroy();
        }, 100);
        return true;
      },
    });
    for (let at = 0; at < 7; at += 1) {
      expect(await pay(`p${at}`)).toBe(`p${at}`);
      await pause(200);
    }
    expect(server.requests).toHaveLength(7);
  });
});

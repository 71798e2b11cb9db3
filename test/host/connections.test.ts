import type { Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createTransport } from "../../src/host/transport.ts";
import { jsonAnswer, startRawServer } from "../support/raw-server.ts";

/** A transport for many requests, and a server that answers each. */
const open = async (answer: (socket: Socket, request: string) => unknown) => {
  const server = await startRawServer((socket, request) => void answer(socket, request));
  const transport = createTransport({ env: {} }, { bulk: true });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  return { server, transport };
};

it("each payment of many has a connection of its own, also if the service keeps them open", async () => {
  const { server, transport } = await open((socket, request) => socket.write(jsonAnswer(request.slice(request.indexOf("\r\n\r\n") + 4))));
  for (const body of ["first", "second", "third"]) {
    const answer = await transport.send({ method: "POST", url: server.url, headers: {}, body }, { timeoutMs: 5_000 });
    expect(Buffer.from(answer.body).toString("utf8")).toBe(body);
  }
  expect(server.connections()).toBe(3);
});

it("many reads share a connection", async () => {
  const { server, transport } = await open((socket) => socket.write(jsonAnswer("{}")));
  for (let at = 0; at < 6; at += 1) await transport.send({ method: "GET", url: server.url, headers: {} }, { timeoutMs: 5_000 });
  expect(server.connections()).toBeLessThan(3);
});

const many = ["127.0.0.1", "localhost"].flatMap((host) => ["POST", "GET"].map((method) => ({ host, method })));
it.each(many)("many connections at once ($method to $host) are not taken for a leak", async ({ host, method }) => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const { server, transport } = await open((socket) => socket.end(jsonAnswer("{}")));
  const url = new URL(`http://${host}:${server.port}/`);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 40 }, () => transport.send({ method, url, headers: {} }, { timeoutMs: 10_000, signal })));
  await new Promise((turned) => setImmediate(turned));
  expect(warnings).toEqual([]);
});

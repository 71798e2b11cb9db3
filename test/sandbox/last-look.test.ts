import { expect, test } from "vitest";
import { createLoopbackTransport } from "../../src/sandbox/loopback-transport.ts";
import { createSandboxTransport } from "../../src/sandbox/transport.ts";
import { type Transport, TransportError } from "../../src/service/transport.ts";
import { jsonAnswer, startRawServer } from "../support/raw-server.ts";

const tooLate = (): void => {
  throw new TransportError("too-late", false, "It is too late.");
};
const sendLate = (transport: Transport, url: URL): Promise<unknown> =>
  transport.send({ method: "POST", url, headers: {}, body: "{}" }, { timeoutMs: 5_000, beforeWriting: tooLate }).catch((error: unknown) => error);

test("a request that is refused at the last look never reaches the embedded sandbox", async () => {
  let handled = 0;
  const handle = async () => {
    handled += 1;
    return { status: 200, headers: {}, body: "{}" };
  };
  expect(await sendLate(createSandboxTransport({ handle }), new URL("http://sandbox.localhost/"))).toMatchObject({ reason: "too-late", left: false });
  expect(handled).toBe(0);
});

test("nor one that this process joined", async () => {
  const server = await startRawServer((socket) => socket.end(jsonAnswer("{}")));
  const transport = createLoopbackTransport();
  try {
    expect(await sendLate(transport, server.url)).toMatchObject({ reason: "too-late", left: false });
  } finally {
    await transport.close();
    await server.close();
  }
  expect(server.bytes()).toBe(0);
});

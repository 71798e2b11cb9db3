import { expect, test } from "vitest";
import { createSandboxTransport } from "../../src/sandbox/connection.ts";
import { type Transport, TransportError } from "../../src/service/transport.ts";

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

import { expect, it, onTestFinished } from "vitest";
import { createUndiciTransport } from "../../src/host/transport-undici.ts";
import { conformance } from "./conformance.ts";
import { jsonAnswer, startRawServer } from "./raw-server.ts";

conformance("undici", createUndiciTransport);

it.each(["127.0.0.1", "localhost"])("many connections at once to %s are not taken for a leak", async (host) => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", onWarning);
  const server = await startRawServer((socket) => socket.end(jsonAnswer("{}")));
  const transport = await createUndiciTransport({ env: {} });
  onTestFinished(async () => {
    process.off("warning", onWarning);
    await transport.close();
    await server.close();
  });
  const url = new URL(`http://${host}:${server.port}/`);
  const send = () => transport.send({ method: "POST", url, headers: {}, body: "{}" }, { timeoutMs: 10_000 });
  await Promise.all(Array.from({ length: 40 }, send));
  await new Promise((turned) => setImmediate(turned));
  expect(warnings).toEqual([]);
});

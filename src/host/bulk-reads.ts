import { setMaxListeners } from "node:events";
import type { Agent } from "undici";
import request from "undici/lib/api/api-request.js";
import AgentOfUndici from "undici/lib/dispatcher/agent.js";
import { answerBytesMax, type Transport } from "../service/transport.ts";
import { openConnection, type Way } from "./connect.ts";
import { whenAborted } from "./dial.ts";
import { startRequestTime } from "./request-time.ts";
import { exchangeFailure } from "./send-once.ts";

export type BulkReads = Pick<Transport, "send" | "close">;

/** Reads over kept-alive connections. A read creates nothing, so nobody asks whether it has left: `left` is true once there is a connection to wait for. */
export const createBulkReads = (way: Way): BulkReads => {
  const closing = new AbortController();
  // Many connections are made under one signal. Node would take its listeners for a leak and print a warning.
  setMaxListeners(0, closing.signal);
  const agent = new AgentOfUndici({
    connect: connectorOf(way, closing.signal),
    maxResponseSize: answerBytesMax,
    // The time of the whole request is measured here; undici's two would end parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: async ({ url, headers }, options) => {
      const time = startRequestTime(options);
      let answering = false;
      try {
        time.signal.throwIfAborted();
        const path = `${url.pathname}${url.search}`;
        const asked = request.call(agent, { origin: url.origin, path, method: "GET", headers, signal: time.signal });
        // While it waits for a connection, undici does not look at the signal.
        const { statusCode, headers: given, body } = await Promise.race([asked, whenAborted(time.signal)]);
        answering = true;
        const joined = Object.entries(given).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]);
        return { status: statusCode, headers: Object.fromEntries(joined), body: new Uint8Array(await body.arrayBuffer()) };
      } catch (error) {
        throw time.failure(exchangeFailure(error, { left: true, answering }), true);
      } finally {
        time.stop();
      }
    },
    close: async () => {
      closing.abort(new Error("closed"));
      await agent.destroy();
    },
  };
};

/** A connection serves several requests, each with a time of its own: only closing ends the attempt to make it. */
const connectorOf =
  (way: Way, closed: AbortSignal): NonNullable<Agent.Options["connect"]> =>
  ({ protocol, hostname, port }, callback) => {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const url = new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`);
    openConnection(url, way, closed).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error("closed"), null),
    );
  };

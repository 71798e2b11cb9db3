import { setMaxListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import type { Agent, Dispatcher } from "undici";
import AgentOfUndici from "undici/lib/dispatcher/agent.js";
import { answerBytesMax, joinHeaders, type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { openConnection, type Way } from "./connect.ts";
import { startRequestTime } from "./request-time.ts";
import { exchangeFailure } from "./send-once.ts";

export type BulkReads = Pick<Transport, "send" | "close">;

export const createBulkReads = (way: Way, smallHeap: boolean): BulkReads => {
  if (smallHeap) keepHeapSmall();
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
    send: async (request, options) => {
      const time = startRequestTime(options);
      let left = false;
      const onStart = (): void => {
        options.beforeWriting?.();
        left = true;
      };
      try {
        time.signal.throwIfAborted();
        return await read(agent, request, time.signal, onStart);
      } catch (error) {
        throw time.failure(error, left);
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

/**
 * Each answer's memory is free when the next arrives. By default V8 lets the heap grow fourfold before it collects,
 * and gives young objects ever more room: a million rows took 170 MB so, and take 120 MB in the same time.
 */
const keepHeapSmall = (): void => {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=100");
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

/** `onStart` is called right before undici writes: until then it only waits for a connection. If it throws, nothing is written. */
const read = (agent: Agent, request: TransportRequest, signal: AbortSignal, onStart: () => void): Promise<TransportAnswer> =>
  new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let over = false;
    let head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
    const chunks: Buffer[] = [];
    const fail = (error: unknown): void => {
      over = true;
      reject(error);
      controller?.abort(new Error("ended"));
    };
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        // Given up while it waited, or begun a second time: nothing is written.
        if (over || controller !== undefined) {
          started.abort(new Error("ended"));
          return;
        }
        controller = started;
        try {
          onStart();
        } catch (error) {
          fail(error);
        }
      },
      onRequestUpgrade: () => fail(new TransportError("malformed", true, "The service answered with another protocol than HTTP.")),
      onResponseStart: ({ rawHeaders }, status) => {
        if (status >= 200) head = { status, headers: joinHeaders(Array.isArray(rawHeaders) ? rawHeaders.map(String) : []) };
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        if (head === undefined) fail(new TransportError("malformed", true, "The answer had no head."));
        else resolve({ ...head, body: Buffer.concat(chunks) });
      },
      onResponseError: (_, error) => reject(exchangeFailure(error, { left: controller !== undefined, answering: head !== undefined })),
    };
    const { url, method, headers } = request;
    agent.dispatch({ origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body: null }, handler);
  });

import { setMaxListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import type { Agent, Dispatcher } from "undici";
import { answerBytesMax, type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { codeOf, openConnection, type Way } from "./connect.ts";
import { createPaymentConnections } from "./payment-connections.ts";
import { type Ending, endingOf, timeoutOf } from "./transport-common.ts";

/**
 * For commands that ask many times. Reads share undici's kept-alive connections; whatever else is sent has a connection to
 * itself, and one that has been left alone for a while (payment-connections.ts).
 */
export const createUndiciTransport = async (way: Way, nowMs: () => number = () => performance.now()): Promise<Transport> => {
  const [{ default: AgentClass }, { default: ClientClass }] = await Promise.all([
    import("undici/lib/dispatcher/agent.js"),
    import("undici/lib/dispatcher/client.js"),
  ]);
  const closing = new AbortController();
  // Many connections are made under one signal, which Node would take for a leak and say so on stderr.
  setMaxListeners(0, closing.signal);
  // The whole request has a time of its own; undici's two would end parts of it.
  const options = { connect: connectorOf(way, closing.signal), headersTimeout: 0, bodyTimeout: 0, maxResponseSize: answerBytesMax, pipelining: 1 };
  const reads = new AgentClass(options);
  let hasRead = false;
  const read: typeof dispatch = async (agent, request, ending, state) => {
    if (!hasRead) holdLess();
    hasRead = true;
    return await dispatch(agent, request, ending, state);
  };
  const connections = createPaymentConnections((origin) => new ClientClass(origin, options), nowMs);
  const sendAlone = async (request: TransportRequest, ending: Ending, state: Writing): Promise<TransportAnswer> => {
    const { origin } = request.url;
    const client = await connections.take(origin);
    try {
      ending.throwIfEnded();
      const answer = await dispatch(client, request, ending, state);
      connections.giveBack(origin, client);
      return answer;
    } catch (error) {
      connections.end(client);
      throw error;
    }
  };
  return {
    send: async (request, { timeoutMs, signal, beforeWriting }) => {
      const ending = endingOf(timeoutMs, signal);
      const state: Writing = { left: false, begin: beforeWriting };
      try {
        return await (request.method === "GET" ? read(reads, request, ending, state) : sendAlone(request, ending, state));
      } catch (error) {
        throw timeoutOf(error, ending, state.left, timeoutMs);
      } finally {
        ending.dispose();
      }
    },
    close: async () => {
      closing.abort(new Error("closed"));
      connections.close();
      await reads.destroy();
    },
  };
};

/**
 * For long lists. What one answer leaves behind is gone with the next; V8 would let it lie until the heap is four times as large,
 * and give young objects ever more room: a million rows took 170 MB so, and take 120 in the same time.
 */
const holdLess = (): void => {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=100");
};

const connectorOf = (way: Way, closed: AbortSignal): NonNullable<Agent.Options["connect"]> => {
  return ({ protocol, hostname, port }, callback) => {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const url = new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`);
    // Each request that waits for it has a time of its own.
    openConnection(url, way, closed).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error("closed"), null),
    );
  };
};

/** `left` turns true at the moment undici begins to write: before that it only waits for a connection. Where `begin` throws, it does not. */
type Writing = { left: boolean; readonly begin: (() => void) | undefined };

const dispatch = (agent: Pick<Dispatcher, "dispatch">, request: TransportRequest, ending: Ending, state: Writing): Promise<TransportAnswer> =>
  new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let over = false;
    let head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
    const chunks: Buffer[] = [];
    const fail = (error: unknown): void => {
      over = true;
      reject(error);
    };
    ending.onEnd((reason) => {
      fail(reason);
      controller?.abort(new Error("ended"));
    });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        // Given up while it waited, or begun a second time: then nothing is written.
        if (over || controller !== undefined) {
          started.abort(new Error("not wanted any more"));
          return;
        }
        controller = started;
        try {
          state.begin?.();
        } catch (error) {
          fail(error);
          started.abort(new Error("not wanted any more"));
          return;
        }
        state.left = true;
      },
      onRequestUpgrade: () => fail(new TransportError("malformed", true, "The service answered with another protocol than HTTP.")),
      onResponseStart: (_, status, headers) => {
        if (status >= 200) head = { status, headers: flatten(headers) };
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        over = true;
        if (head === undefined) fail(new TransportError("malformed", true, "The answer had no head."));
        else resolve({ ...head, body: Buffer.concat(chunks) });
      },
      onResponseError: (_, error) => fail(failureOf(error, state.left, head !== undefined)),
    };
    const { url, method, headers, body } = request;
    agent.dispatch({ origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body: body ?? null }, handler);
  });

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> => {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
};

const failureOf = (error: Error, left: boolean, answering: boolean): TransportError => {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  if (code === "UND_ERR_INVALID_ARG") return new TransportError("bad-request", left, "The request cannot be sent.", error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") return new TransportError("too-large", left, "The answer's headers are too large.", error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return new TransportError("too-large", left, "The answer is larger than 64 MiB.", error);
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || (answering && isLost(code))) {
    return new TransportError("truncated", left, "The connection was lost in the middle of the answer.", error);
  }
  if (isLost(code)) return new TransportError("reset", left, "The connection was lost before an answer arrived.", error);
  if (error.name === "HTTPParserError") return new TransportError("malformed", left, `The answer is not HTTP${code === "" ? "" : ` (${code})`}.`, error);
  return new TransportError("other", left, `The connection failed${code === "" ? "" : ` (${code})`}.`, error);
};

const isLost = (code: string): boolean => ["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET", "HPE_INVALID_EOF_STATE"].includes(code);

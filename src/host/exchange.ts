import { type IncomingMessage, request as startRequest } from "node:http";
import type { Socket } from "node:net";
import { answerBytesMax, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { codeOf } from "./connect.ts";
import { type Ending, joinHeaders } from "./transport-common.ts";

/** One request and its answer on a connection of its own, which is closed after it. Rejects with a TransportError or the ending's reason. */
export const exchange = (request: TransportRequest, socket: Socket, ending: Ending): Promise<TransportAnswer> =>
  new Promise((resolve, reject) => {
    // The agent's pool is left out: the connection is ours, and `Connection: close` goes with the request.
    const outgoing = startRequest({
      createConnection: () => socket,
      method: request.method,
      path: `${request.url.pathname}${request.url.search}`,
      headers: {
        host: request.url.host,
        ...request.headers,
        ...(request.body === undefined ? {} : { "content-length": String(Buffer.byteLength(request.body)) }),
      },
      setHost: false,
    });
    let incoming: IncomingMessage | undefined;
    const fail = (error: unknown): void => {
      reject(error);
      outgoing.destroy();
    };
    // What comes behind a complete answer changes nothing about it: its `end` is still to be told.
    const lost = (error?: Error): void => {
      if (incoming?.complete !== true) fail(answerFailure(error, incoming !== undefined));
    };
    ending.onEnd(fail);
    outgoing.on("error", lost).on("close", lost);
    outgoing.on("upgrade", () => fail(new TransportError("malformed", true, "The service answered with another protocol than HTTP.")));
    outgoing.on("response", (answer) => {
      incoming = answer.on("error", lost);
      collect(answer, resolve, fail);
    });
    outgoing.end(request.body);
  });

const collect = (incoming: IncomingMessage, resolve: (answer: TransportAnswer) => void, fail: (error: unknown) => void): void => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) fail(new TransportError("too-large", true, "The answer is larger than 64 MiB."));
    else chunks.push(chunk);
  });
  incoming.on("end", () => {
    if (incoming.complete) resolve({ status: incoming.statusCode ?? 0, headers: joinHeaders(incoming.rawHeaders), body: Buffer.concat(chunks) });
    else fail(answerFailure(undefined, true));
  });
};

/** The request was being written or its answer read: whatever happened, bytes may have left. */
const answerFailure = (error: Error | undefined, answering: boolean): TransportError => {
  const code = codeOf(error);
  if (code === "HPE_HEADER_OVERFLOW") return new TransportError("too-large", true, "The answer's headers are too large.", error);
  if (code.startsWith("HPE_") && code !== "HPE_INVALID_EOF_STATE") return new TransportError("malformed", true, `The answer is not HTTP (${code}).`, error);
  if (error === undefined || ["ECONNRESET", "EPIPE", "ECONNABORTED", "HPE_INVALID_EOF_STATE"].includes(code)) {
    if (answering) return new TransportError("truncated", true, "The connection was lost in the middle of the answer.", error);
    return new TransportError("reset", true, "The connection was lost before an answer arrived.", error);
  }
  return new TransportError("other", true, `The connection failed${code === "" ? "" : ` (${code})`}.`, error);
};

import { type IncomingMessage, request as startRequest } from "node:http";
import type { Socket } from "node:net";
import { errorCode } from "../error-code.ts";
import { answerBytesMax, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { joinHeaders } from "./join-headers.ts";

export type OutgoingRequest = Omit<TransportRequest, "body"> & { readonly body?: string | Uint8Array };
export type Reading = {
  /** The largest body that is read. */
  readonly bytesMax: number;
  /** The answer counts as soon as its status is there; the body is read only so that the sender is not cut off. */
  readonly statusIsEnough?: true;
};

/** For answers of the service. */
export const wholeAnswer: Reading = { bytesMax: answerBytesMax };

/** Sends one request on a connection of its own, which is closed after the answer. Rejects with a TransportError; bytes have left. */
export const exchange = (request: OutgoingRequest, socket: Socket, signal: AbortSignal, reading: Reading): Promise<TransportAnswer> =>
  new Promise((resolve, reject) => {
    const { url, method, headers, body } = request;
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const outgoing = startRequest({
      // No agent: the connection is ours, and `Connection: close` goes with the request.
      createConnection: () => socket,
      setHost: false,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, ...headers, ...length },
      signal,
    });
    let answered = false;
    const lost = (error?: Error): void => {
      // Once an answer has begun, reading it decides. What comes behind a complete answer changes nothing.
      if (!answered) reject(exchangeFailure(error, { left: true, answering: false }));
    };
    outgoing.on("error", lost).on("close", lost);
    outgoing.on("upgrade", () => {
      reject(new TransportError("malformed", true, "The service answered with another protocol than HTTP."));
      outgoing.destroy();
    });
    outgoing.on("response", (incoming) => {
      answered = true;
      const head = { status: incoming.statusCode ?? 0, headers: joinHeaders(incoming.rawHeaders) };
      readBody(incoming, reading.bytesMax).then(
        (bytes) => resolve({ ...head, body: bytes }),
        (error: unknown) => {
          if (reading.statusIsEnough === true) resolve({ ...head, body: new Uint8Array() });
          else reject(exchangeFailure(error, { left: true, answering: true }));
        },
      );
    });
    outgoing.end(body);
  });

const readBody = async (incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const part = Buffer.from(chunk);
    bytes += part.byteLength;
    if (bytes > bytesMax) throw answerTooLarge(bytesMax);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
};

const answerTooLarge = (bytesMax: number, cause?: unknown): TransportError =>
  new TransportError("too-large", true, `The answer is larger than ${bytesMax / 1024 / 1024} MiB.`, cause);

const lostCodes: readonly string[] = ["ECONNRESET", "EPIPE", "ECONNABORTED", "ERR_STREAM_PREMATURE_CLOSE", "UND_ERR_SOCKET", "HPE_INVALID_EOF_STATE"];

/**
 * What became of a request whose connection stood, from an error of node:http or undici. No error: the connection was closed.
 * `left`: bytes may have left; `answering`: an answer had begun.
 */
export const exchangeFailure = (error: unknown, { left, answering }: { readonly left: boolean; readonly answering: boolean }): TransportError => {
  if (error instanceof TransportError) return error;
  const code = errorCode(error) ?? "";
  const named = code === "" ? "" : ` (${code})`;
  if (code === "UND_ERR_INVALID_ARG") return new TransportError("bad-request", left, "The request cannot be sent.", error);
  if (code === "HPE_HEADER_OVERFLOW" || code === "UND_ERR_HEADERS_OVERFLOW")
    return new TransportError("too-large", left, "The answer's headers are too large.", error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return answerTooLarge(answerBytesMax, error);
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || (answering && lostCodes.includes(code)))
    return new TransportError("truncated", left, "The connection was lost in the middle of the answer.", error);
  if (error === undefined || lostCodes.includes(code)) return new TransportError("reset", left, "The connection was lost before an answer arrived.", error);
  if (code.startsWith("HPE_") || (error instanceof Error && error.name === "HTTPParserError"))
    return new TransportError("malformed", left, `The answer is not HTTP${named}.`, error);
  return new TransportError("other", left, `The connection failed${named}.`, error);
};

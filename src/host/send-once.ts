import { request as startRequest } from "node:http";
import type { Socket } from "node:net";
import { CliError, errorCode } from "../errors.ts";
import type { OutboundPost, PostAnswer } from "../ports.ts";
import { readBytes } from "../read-bytes.ts";
import { answerBytesMax, joinHeaders, type SendOptions, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { openConnection, type Way } from "./connect.ts";
import type { Env } from "./proxy.ts";
import { startRequestTime } from "./request-time.ts";

type OutgoingRequest = Omit<TransportRequest, "body"> & { readonly body?: string | Uint8Array };
type Reading = {
  /** The largest body that is read. */
  readonly bytesMax: number;
  /** The answer counts as soon as its status is there; the body is read only so that the sender is not cut off. */
  readonly statusIsEnough?: true;
};

/** For answers of the service. */
export const wholeAnswer: Reading = { bytesMax: answerBytesMax };

/** Sends one request on a connection of its own, which is closed after the answer. Rejects with a TransportError; bytes have left. */
const exchange = (request: OutgoingRequest, socket: Socket, signal: AbortSignal, reading: Reading): Promise<TransportAnswer> =>
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
      readBytes(incoming, reading.bytesMax, () => answerTooLarge(reading.bytesMax)).then(
        (bytes) => resolve({ ...head, body: bytes }),
        (error: unknown) => {
          if (reading.statusIsEnough === true) resolve({ ...head, body: new Uint8Array() });
          else reject(exchangeFailure(error, { left: true, answering: true }));
        },
      );
    });
    outgoing.end(body);
  });

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

/**
 * One request on a fresh connection, which is closed after it: whatever else arrives on it can be taken for no other request's
 * answer. The connection stands, its certificate checked, before anything of the request is written: `left` follows from that alone.
 */
export const sendOnce = async (request: OutgoingRequest, way: Way, options: SendOptions, reading: Reading): Promise<TransportAnswer> => {
  const time = startRequestTime(options);
  let left = false;
  let socket: Socket | undefined;
  try {
    socket = await openConnection(request.url, way, time.signal);
    time.signal.throwIfAborted();
    options.beforeWriting?.();
    left = true;
    return await exchange(request, socket, time.signal, reading);
  } catch (error) {
    throw time.failure(error, left);
  } finally {
    time.stop();
    socket?.destroy();
  }
};

/**
 * One POST of exact bytes to an endpoint that is not the service: no key, no redirects, no retries. Rejects with CliError
 * unavailable if no answer came, interrupted if the signal was aborted.
 */
export const post = async (request: OutboundPost, env: Env): Promise<PostAnswer> => {
  try {
    const { status, headers } = await sendOnce({ ...request, method: "POST" }, { env }, request, { bytesMax: 1024 * 1024, statusIsEnough: true });
    return { status, headers };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    if (error.reason === "aborted") throw new CliError("interrupted", "Interrupted.", { cause: error });
    throw new CliError("unavailable", `${request.url.host} did not take the delivery: ${error.message}`, {
      hint: error.hint,
      cause: error,
      retryable: true,
    });
  }
};

import { type IncomingMessage, request as startRequest } from "node:http";
import type { Socket } from "node:net";
import { CliError } from "../errors.ts";
import type { OutboundPost, PostAnswer } from "../ports.ts";
import { TransportError } from "../service/transport.ts";
import { openConnection } from "./connect.ts";
import type { Env } from "./proxy.ts";
import { type Ending, endingOf, joinHeaders, timeoutOf } from "./transport-common.ts";

/** More of an endpoint's answer is not waited for: its status has said all. */
const drainedBytesMax = 1024 * 1024;

/**
 * One POST of exact bytes to an endpoint that is not the service: no key, no redirects, no retries. Rejects with CliError
 * unavailable if no answer came, interrupted if the signal was aborted.
 */
export const post = async (request: OutboundPost, env: Env): Promise<PostAnswer> => {
  const ending = endingOf(request.timeoutMs, request.signal);
  let left = false;
  let socket: Socket | undefined;
  try {
    socket = await openConnection(request.url, { env }, ending.signal());
    left = true;
    return await exchange(request, socket, ending);
  } catch (error) {
    const failure = timeoutOf(error, ending, left, request.timeoutMs);
    if (failure.reason === "aborted") throw new CliError("interrupted", "Interrupted.", { cause: failure });
    throw new CliError("unavailable", `${request.url.host} did not take the delivery: ${failure.message}`, {
      hint: failure.hint,
      cause: failure,
      retryable: true,
    });
  } finally {
    ending.dispose();
    socket?.destroy();
  }
};

const exchange = (request: OutboundPost, socket: Socket, ending: Ending): Promise<PostAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = startRequest({
      createConnection: () => socket,
      method: "POST",
      path: `${request.url.pathname}${request.url.search}`,
      headers: { host: request.url.host, ...request.headers, "content-length": String(request.body.byteLength) },
      setHost: false,
    });
    const fail = (error: unknown): void => {
      reject(error);
      outgoing.destroy();
    };
    ending.onEnd(fail);
    outgoing.on("error", (cause) => fail(new TransportError("reset", true, "The connection was lost before an answer arrived.", cause)));
    outgoing.on("upgrade", () => fail(new TransportError("malformed", true, "It answered with another protocol than HTTP.")));
    outgoing.on("response", (incoming) => settleOn(incoming, resolve));
    outgoing.end(request.body);
  });

/** The answer's status counts as soon as it is there; its body is read to the end, so that the endpoint is not cut off. */
const settleOn = (incoming: IncomingMessage, resolve: (answer: PostAnswer) => void): void => {
  const done = (): void => resolve({ status: incoming.statusCode ?? 0, headers: joinHeaders(incoming.rawHeaders) });
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > drainedBytesMax) done();
  });
  incoming.on("end", done);
  incoming.on("error", done);
  incoming.on("close", done);
};

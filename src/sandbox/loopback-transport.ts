import { Agent, request as startRequest } from "node:http";
import { answerBytesMax, type SendOptions, type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { startTimer } from "../timer.ts";

const headersOf = (raw: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(raw).flatMap(([name, value]) => (value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]])));

const send = (agent: Agent, request: TransportRequest, { timeoutMs, signal, beforeWriting }: SendOptions): Promise<TransportAnswer> =>
  new Promise((resolve, reject) => {
    // Once a socket is there, bytes may have left.
    let left = false;
    let ended: unknown;
    const body = request.body ?? "";
    const length = request.body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = startRequest(request.url, { method: request.method, agent, headers: { ...request.headers, ...length } }, (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on("data", (part: Buffer) => {
        size += part.length;
        if (size > answerBytesMax) end(new TransportError("too-large", true, "The answer is too large."));
        else parts.push(part);
      });
      answer.on("error", () => fail("truncated", "The answer ended in the middle."));
      answer.on("end", () => {
        if (!answer.complete) return fail("truncated", "The answer ended in the middle.");
        finish();
        resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer.headers), body: Buffer.concat(parts) });
      });
    });
    const finish = (): void => {
      stop();
      signal?.removeEventListener("abort", onAbort);
    };
    const end = (error: unknown): void => {
      ended ??= error;
      finish();
      sent.destroy();
      reject(ended);
    };
    const fail = (reason: "truncated" | "reset" | "refused" | "other", message: string, cause?: unknown): void =>
      end(new TransportError(reason, left, message, cause));
    const onAbort = (): void => end(new TransportError("aborted", left, "The request was interrupted."));
    const stop = startTimer(timeoutMs, () =>
      end(new TransportError("timeout", left, `No complete answer arrived within ${Math.round(timeoutMs / 100) / 10} s.`)),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
    sent.on("socket", (socket) => {
      const begin = (): void => {
        try {
          beforeWriting?.();
          left = true;
        } catch (error) {
          end(error);
        }
      };
      if (socket.connecting) socket.once("connect", begin);
      else begin();
    });
    sent.on("error", (error) =>
      fail(left ? "reset" : "refused", left ? "The connection was cut before an answer came." : "The sandbox refused the connection.", error),
    );
    sent.end(body);
  });

/** Requests to a sandbox that runs on this machine, for processes that joined it: plain HTTP, never a proxy. */
export const createLoopbackTransport = (): Transport => {
  const agent = new Agent({ keepAlive: false, maxSockets: 64 });
  return {
    send: async (request, options) => {
      if (options.signal?.aborted === true) throw new TransportError("aborted", false, "The request was interrupted.");
      return await send(agent, request, options);
    },
    close: async () => agent.destroy(),
  };
};

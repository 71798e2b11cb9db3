import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import { CliError, usageError } from "../errors.ts";
import type { Context, InboundRequest, Listener } from "../ports.ts";
import { joinHeaders } from "./transport-common.ts";

export type ListenOptions = Parameters<NonNullable<Context["listen"]>>[0];

/** A sender that stops in the middle does not hold the server. */
const requestTimeoutMs = 30_000;

const sentences: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another program",
  EACCES: "may not be used by this user",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not a host name that is known",
};

/** Starts the server callbacks come to. Rejects with CliError usage where the address cannot be had. */
export const listenForCallbacks = (options: ListenOptions): Promise<Listener> =>
  new Promise((resolve, reject) => {
    const server = createServer({ requestTimeout: requestTimeoutMs, keepAliveTimeout: 5000 }, (incoming, outgoing) => {
      serve(incoming, outgoing, options).catch(() => outgoing.destroy());
    });
    server.on("clientError", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
    server.once("error", (error) => {
      const code = "code" in error && typeof error.code === "string" ? error.code : "";
      const sentence = sentences[code] ?? `cannot be listened on (${code})`;
      reject(usageError(`${options.host}:${options.port} ${sentence}.`, "choose another with --port; --port 0 picks a free one"));
    });
    server.listen(options.port, options.host, () => {
      const address = server.address();
      if (address === null || typeof address === "string") {
        reject(new CliError("bug", "The server has no port."));
        return;
      }
      const host = isIPv6(options.host) ? `[${options.host}]` : options.host;
      resolve({
        url: `http://${host}:${address.port}`,
        port: address.port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });

const serve = async (incoming: IncomingMessage, outgoing: ServerResponse, options: ListenOptions): Promise<void> => {
  const body = await readBody(incoming, options.maxBytes);
  if (body === undefined) {
    answer(outgoing, 413);
    return;
  }
  const request: InboundRequest = {
    method: incoming.method ?? "",
    target: incoming.url ?? "/",
    headers: joinHeaders(incoming.rawHeaders),
    body,
  };
  answer(outgoing, (await options.handle(request)).status);
};

const answer = (outgoing: ServerResponse, status: number): void => {
  // 413 leaves a body unread on the line: the connection is of no more use.
  if (status === 413) outgoing.setHeader("connection", "close");
  outgoing.writeHead(status);
  outgoing.end();
};

/** The bytes as they came; undefined where they are more than allowed. */
const readBody = async (incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> => {
  if (Number(incoming.headers["content-length"] ?? "0") > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const part = Buffer.from(chunk);
    bytes += part.byteLength;
    if (bytes > maxBytes) return undefined;
    chunks.push(part);
  }
  return Buffer.concat(chunks);
};

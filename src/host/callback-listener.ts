import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import { CliError, errorCode, usageError } from "../errors.ts";
import type { Context, Listener } from "../ports.ts";
import { joinHeaders } from "../service/transport.ts";

export type ListenOptions = Parameters<Context["listen"]>[0];

/** A sender that stops in the middle does not hold the server, ms. */
const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** What all senders together may have under way. Beyond it they are answered 503, or not connected. */
const connectionsMax = 256;
const bodiesBytesMax = 16 * 1024 * 1024;
/** A sender that was answered 503 is asked to come again after this, in seconds. */
const comeAgainSeconds = 5;
/** What is being handled when the server is closed has this long to end, ms. */
const lastAnswersMs = 2_000;

const sentences: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another program",
  EACCES: "may not be used by this user",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not a host name that is known",
};

/** Starts the server callbacks come to. Rejects with CliError usage where the address cannot be had. */
export const listenForCallbacks = (options: ListenOptions): Promise<Listener> =>
  new Promise((resolve, reject) => {
    const load: Load = { bodiesBytes: 0, handled: new Set() };
    const server = createServer(
      { requestTimeout: requestTimeoutMs, headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 1000, keepAliveTimeout: 5000 },
      (incoming, outgoing) => {
        serve(incoming, outgoing, options, load).catch(() => outgoing.destroy());
      },
    );
    server.maxConnections = connectionsMax;
    server.on("clientError", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
    server.once("error", (error) => {
      const code = errorCode(error) ?? "";
      const sentence = sentences[code] ?? `cannot be listened on (${code})`;
      const remedy =
        code === "EADDRINUSE" || code === "EACCES"
          ? "Choose another with --port; --port 0 picks a free one"
          : "Choose another with --host, or leave --host out";
      reject(usageError(`${options.host}:${options.port} ${sentence}.`, remedy));
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
            const drop = (): void => server.closeAllConnections();
            const last = setTimeout(drop, lastAnswersMs);
            server.close(() => {
              clearTimeout(last);
              closed();
            });
            Promise.allSettled(load.handled).then(drop, drop);
          }),
      });
    });
  });

/** The bytes of all bodies that are read or handled at the moment, and what is being handled. */
type Load = { bodiesBytes: number; readonly handled: Set<Promise<void>> };

const serve = async (incoming: IncomingMessage, outgoing: ServerResponse, options: ListenOptions, load: Load): Promise<void> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    if (Number(incoming.headers["content-length"] ?? "0") > options.maxBytes) return await answer(outgoing, 413);
    for await (const chunk of incoming) {
      const part = Buffer.from(chunk);
      bytes += part.byteLength;
      load.bodiesBytes += part.byteLength;
      if (bytes > options.maxBytes) return await answer(outgoing, 413);
      if (load.bodiesBytes > bodiesBytesMax) return await answer(outgoing, 503);
      chunks.push(part);
    }
    const request = { method: incoming.method ?? "", target: incoming.url ?? "/", headers: joinHeaders(incoming.rawHeaders), body: Buffer.concat(chunks) };
    const handle = async (): Promise<void> => await answer(outgoing, (await options.handle(request)).status);
    const work = Promise.resolve().then(handle);
    load.handled.add(work);
    await work.finally(() => load.handled.delete(work));
  } finally {
    load.bodiesBytes -= bytes;
  }
};

/** Resolves when the answer is on its way, or the sender is gone. */
const answer = (outgoing: ServerResponse, status: number): Promise<void> =>
  new Promise((done) => {
    // A body that is left unread makes the connection useless.
    if (!outgoing.req.complete) outgoing.setHeader("connection", "close");
    if (status === 503) outgoing.setHeader("retry-after", String(comeAgainSeconds));
    outgoing.once("close", done);
    outgoing.writeHead(status).end(done);
  });

import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A server below HTTP, so that it can break every rule of it. Told of each request once its whole body is in. */
export type RawServer = {
  readonly url: URL;
  readonly port: number;
  /** Whole requests as text, in order. */
  readonly requests: readonly string[];
  /** Application bytes that arrived in all. */
  bytes(): number;
  connections(): number;
  close(): Promise<void>;
};
export type OnRequest = (socket: Socket, request: string, count: number) => void;
type Options = { readonly onConnection?: (socket: Socket) => boolean; readonly tls?: { readonly key: string; readonly cert: string } };

export const startRawServer = async (onRequest: OnRequest, options: Options = {}): Promise<RawServer> => {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let bytes = 0;
  let connections = 0;
  const accept = (socket: Socket): void => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    if (options.onConnection?.(socket) === false) return;
    let pending = "";
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      pending += chunk.toString("latin1");
      for (let end = endOfRequest(pending); end !== undefined; end = endOfRequest(pending)) {
        const request = Buffer.from(pending.slice(0, end), "latin1").toString("utf8");
        pending = pending.slice(end);
        requests.push(request);
        onRequest(socket, request, requests.length);
      }
    });
  };
  const server: Server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept).on("tlsClientError", () => undefined);
  if (options.tls !== undefined) server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: new URL(`${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}/`),
    port,
    requests,
    bytes: () => bytes,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
};

const endOfRequest = (text: string): number | undefined => {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? "0");
  return text.length >= head + 4 + length ? head + 4 + length : undefined;
};

export const jsonAnswer = (body: string, status = "200 OK", headers = ""): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorCode } from "../error-code.ts";
import { CliError } from "../errors.ts";
import { streamEvents } from "./event-stream.ts";
import { isDrop, jsonReply, type Reply, type SandboxAnswer, type SandboxRequest } from "./request.ts";
import type { Sandbox } from "./sandbox.ts";
import { startTicking } from "./ticking.ts";

/** A request for a page: dashboard, checkout, assets. */
export type PageAsk = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly remoteAddress?: string | undefined;
};
export type PageHook = (request: PageAsk) => Reply | undefined | Promise<Reply | undefined>;
export type ListenOptions = {
  readonly port: number;
  readonly host?: string | undefined;
  readonly pages?: PageHook | undefined;
  readonly clock?: { now(): number } | undefined;
};
export type Listening = { readonly port: number; readonly host: string; readonly baseUrl: string; close(): Promise<void> };

/** Assumed: far above any request of the service. */
const bodyBytesMax = 1024 * 1024;
const graceMs = 2_000;

const isLoopbackName = (name: string): boolean => /^(?:localhost|(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(name);
const hostNameOf = (header: string): string => header.replace(/:\d{1,5}$/, "").toLowerCase();

/**
 * Why a request is refused as another site's: the dashboard holds the key, so a foreign name that resolves here (DNS rebinding)
 * and a foreign Origin are turned away. Bound beyond loopback on purpose, the name cannot be known. Under /api the key alone
 * protects: a container calls this machine by another name.
 */
const foreign = (request: IncomingMessage, boundToLoopback: boolean): string | undefined => {
  if (request.url?.startsWith("/api/") === true) return undefined;
  const host = request.headers.host ?? "";
  if (boundToLoopback && !isLoopbackName(hostNameOf(host)))
    return "The header Host does not name this machine. To open the dashboard under another name, start the sandbox with --host 0.0.0.0.";
  const { origin } = request.headers;
  if (origin === undefined || request.method === "GET" || request.method === "HEAD") return undefined;
  if (!URL.canParse(origin) || new URL(origin).host !== host)
    return "The header Origin names another site than the sandbox's own pages. To open those under another name, start the sandbox with --host 0.0.0.0.";
  return undefined;
};

/** Gives the whole body, or undefined where it is too large. Of a request that ends in the middle nothing comes: nothing is done. */
const readBody = (request: IncomingMessage, done: (body: string | undefined) => void): void => {
  const parts: Buffer[] = [];
  let size = 0;
  request.on("data", (part: Buffer) => {
    size += part.length;
    if (size <= bodyBytesMax) parts.push(part);
  });
  request.on("end", () => {
    const [first] = parts;
    done(size > bodyBytesMax ? undefined : (parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)).toString("utf8"));
  });
};

type Headers = SandboxRequest["headers"];
/** Of all headers, Set-Cookie alone comes as a list, which no request has reason to carry. */
const isPlain = (headers: IncomingHttpHeaders): headers is Headers => headers["set-cookie"] === undefined;
const headersOf = ({ headers }: IncomingMessage): Headers =>
  isPlain(headers) ? headers : Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));

const pause = (ms: number, socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });

const write = (response: ServerResponse, reply: Reply, isHead: boolean): void => {
  response.writeHead(reply.status, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...reply.headers,
    "content-length": String(Buffer.byteLength(reply.body)),
  });
  response.end(isHead ? undefined : reply.body);
};

/** Acts an answer out on the connection, cuts and delays included. */
const act = async (answer: SandboxAnswer, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { socket } = request;
  if (!isDrop(answer)) {
    if (answer.delayMs !== undefined) await pause(answer.delayMs, socket);
    if (!socket.destroyed) write(response, answer, request.method === "HEAD");
    return;
  }
  if (answer.drop === "hang") return;
  if (answer.drop !== "truncate" || answer.reply === undefined) {
    socket.resetAndDestroy();
    return;
  }
  const bytes = Buffer.from(answer.reply.body);
  response.writeHead(answer.reply.status, { ...answer.reply.headers, "content-length": String(bytes.length) });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => socket.destroy());
};

const refuse = (status: number, code: string, message: string): Reply => jsonReply(status, { success: false, code, message, requestId: "req_none" });

/**
 * The service on a port. It listens on loopback unless `host` says otherwise, checks Host and Origin, and limits bodies.
 * Throws CliError usage if the port cannot be used.
 */
export const listenSandbox = async (sandbox: Sandbox, options: ListenOptions): Promise<Listening> => {
  const host = options.host ?? "127.0.0.1";
  const boundToLoopback = isLoopbackName(host);
  const answered = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    const method = request.method ?? "GET";
    const path = request.url?.startsWith("/") === true ? request.url : "/";
    const asked = { method, path, headers: headersOf(request), body };
    if (method === "GET" && path.split("?", 1)[0] === "/_sandbox/events") return await streamEvents(sandbox, asked, response);
    if (!path.startsWith("/api/") && !path.startsWith("/_sandbox/")) {
      const page = await options.pages?.({ ...asked, remoteAddress: request.socket.remoteAddress });
      if (page !== undefined) return write(response, page, method === "HEAD");
    }
    await act(await sandbox.handle(asked), request, response);
  };
  const answer = (request: IncomingMessage, response: ServerResponse, body: string | undefined): void => {
    if (body === undefined) write(response, refuse(413, "PAYLOAD_TOO_LARGE", `A body may have at most ${bodyBytesMax} bytes.`), false);
    else
      answered(request, response, body).catch(() => {
        if (response.headersSent || request.socket.destroyed) request.socket.destroy();
        else write(response, refuse(500, "INTERNAL", "The sandbox failed to answer."), false);
      });
  };
  // No listener for clientError: Node's own answers 400, 431 (long headers) or 408 (too slow) where nothing was written yet, and closes.
  const server = createServer({ keepAlive: true, requestTimeout: 30_000 }, (request, response) => {
    const blocked = foreign(request, boundToLoopback);
    if (blocked !== undefined) write(response, refuse(403, "FOREIGN_REQUEST", blocked), false);
    else if (request.method === "GET" || request.method === "HEAD") answer(request, response, "");
    else readBody(request, (body) => answer(request, response, body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, host, options.port)));
    server.listen({ port: options.port, host }, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const named = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host;
  const baseUrl = `http://${named}:${port}`;
  sandbox.setBaseUrl(baseUrl);
  const stop = startTicking(sandbox, options.clock ?? { now: () => Date.now() });
  return {
    port,
    host,
    baseUrl,
    close: async () => {
      await stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      sandbox.endStreams();
      await closed;
      clearTimeout(timer);
    },
  };
};

const listenError = (error: Error, host: string, port: number): CliError => {
  const code = errorCode(error);
  const reason =
    code === "EADDRINUSE"
      ? `Port ${port} on ${host} is in use`
      : code === "EACCES"
        ? `Port ${port} is not allowed for this user`
        : `This machine has no address ${host} to listen on`;
  return new CliError("usage", `${reason}.`, { hint: "choose another with --port N; --port 0 picks a free one", cause: error });
};

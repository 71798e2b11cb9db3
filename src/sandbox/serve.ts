import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError, errorCode } from "../errors.ts";
import { isDrop, isLoopbackName, jsonReply, type Reply, type SandboxAnswer, type SandboxRequest } from "./request.ts";
import type { Sandbox } from "./sandbox.ts";
import { startTicking } from "./ticking.ts";

export type ServeOptions = { readonly port: number; readonly host?: string | undefined };
export type Listening = { readonly port: number; readonly host: string; readonly baseUrl: string; close(): Promise<void> };

/** Assumed: far above any request of the service. */
const bodyBytesMax = 1024 * 1024;
const graceMs = 2_000;

/**
 * Why a request is refused as another site's: the dashboard holds the key, so a foreign name that resolves here (DNS rebinding)
 * and a foreign Origin are turned away. Bound beyond loopback on purpose, the name cannot be known. Under /api the key alone
 * protects: a container calls this machine by another name.
 */
const foreign = (request: IncomingMessage, boundToLoopback: boolean): string | undefined => {
  if (request.url?.startsWith("/api/") === true) return undefined;
  const host = request.headers.host ?? "";
  if (boundToLoopback && !isLoopbackName(host))
    return "The header Host does not name this machine. To open the dashboard under another name, start the sandbox with --host 0.0.0.0.";
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  if (!URL.canParse(origin) || new URL(origin).host !== host)
    return "The header Origin names another site than the sandbox's own pages. To open those under another name, start the sandbox with --host 0.0.0.0.";
  return undefined;
};

/** Gives the whole body, or undefined if it is too large. Of a request that ends in the middle nothing comes: nothing is done. */
const readBody = (request: IncomingMessage, done: (body: string | undefined) => void): void => {
  const parts: Buffer[] = [];
  let size = 0;
  request.on("data", (part: Buffer) => {
    size += part.length;
    if (size <= bodyBytesMax) parts.push(part);
  });
  request.on("end", () => done(size > bodyBytesMax ? undefined : Buffer.concat(parts).toString("utf8")));
};

/** A header that came more than once is one, as a list. */
const headersOf = ({ headers }: IncomingMessage): SandboxRequest["headers"] => {
  const plain: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) plain[name] = Array.isArray(value) ? value.join(", ") : value;
  return plain;
};

const pause = async (ms: number, socket: Socket): Promise<void> => {
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  await sleep(ms, undefined, { signal: closed.signal, ref: false }).catch(() => undefined);
};

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

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>;
/** Answers with a page (the dashboard, the checkout that REDIRECT collections lead to) or with the service. */
const createAnswer = (sandbox: Sandbox): Answer => {
  let pages: ReturnType<typeof loadPages> | undefined;
  return async (request, response, body) => {
    const method = request.method ?? "GET";
    const path = request.url?.startsWith("/") === true ? request.url : "/";
    const asked = { method, path, headers: headersOf(request), body, remoteAddress: request.socket.remoteAddress };
    if (method === "GET" && /^\/_sandbox\/events(?:\?|$)/.test(path)) return await streamEvents(sandbox, asked, response);
    const isPage = !/^\/(?:api\/|_sandbox\/|openapi\.json(?:\?|$))/.test(path);
    if (isPage) pages ??= loadPages(sandbox);
    const page = isPage ? await (await pages)?.(asked) : undefined;
    await act(page ?? (await sandbox.handle(asked)), request, response);
  };
};
/** Loaded when somebody looks: programs have no use for them. */
const loadPages = async (sandbox: Sandbox) => {
  const [{ createPages, noSuchPage }, { createCheckout }] = await Promise.all([import("./dashboard/pages.ts"), import("./checkout/checkout.ts")]);
  const [dashboard, checkout] = [createPages({ apiKey: sandbox.apiKey }), createCheckout(sandbox)];
  return async (asked: SandboxRequest): Promise<Reply | undefined> => dashboard(asked) ?? (await checkout(asked)) ?? noSuchPage(asked);
};

/**
 * The service on a port. It listens on loopback unless `host` says otherwise, checks Host and Origin, and limits bodies.
 * Throws CliError usage if the port cannot be used.
 */
export const serveSandbox = async (sandbox: Sandbox, options: ServeOptions): Promise<Listening> => {
  const host = options.host ?? "127.0.0.1";
  const boundToLoopback = isLoopbackName(host);
  const answered = createAnswer(sandbox);
  const tooLarge = refuse(413, "PAYLOAD_TOO_LARGE", `A body may have at most ${bodyBytesMax} bytes.`);
  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
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
    else readBody(request, (body) => (body === undefined ? write(response, tooLarge, false) : answer(request, response, body)));
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
  const stop = startTicking(sandbox);
  const close = async (): Promise<void> => {
    await stop();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    sandbox.endStreams();
    await closed;
    clearTimeout(timer);
  };
  return { port, host, baseUrl, close };
};

/** Why it cannot listen there, by the code of the error. */
const listenError = (error: Error, host: string, port: number): CliError => {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use.`,
    EACCES: `Port ${port} is not allowed for this user.`,
  };
  const reason = reasons[errorCode(error) ?? ""];
  if (reason !== undefined) return new CliError("usage", reason, { hint: "Choose another with --port N; --port 0 picks a free one", cause: error });
  return new CliError("usage", `This machine has no address ${host} to listen on.`, { hint: "Choose another with --host, or leave --host out", cause: error });
};

const pingMs = 15_000;
/** Many changes at once are one piece of news. */
const gatherMs = 50;

/**
 * `GET /_sandbox/events`: server-sent events that say that something changed, for a dashboard that is open. While one is, prompts
 * wait for the phone simulator. The sandbox's key is checked like that of any control call.
 */
export const streamEvents = async (sandbox: Sandbox, request: SandboxRequest, response: ServerResponse): Promise<void> => {
  const allowed = await sandbox.handle({ ...request, path: "/_sandbox/settings" });
  if (isDrop(allowed) || allowed.status !== 200) {
    const reply = isDrop(allowed) ? { status: 503, headers: {}, body: "" } : allowed;
    response.writeHead(reply.status, reply.headers).end(reply.body);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" });
  response.write("retry: 1000\n\n");
  let gathering: NodeJS.Timeout | undefined;
  const tellSoon = (): void => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      response.write("event: change\ndata: {}\n\n");
    }, gatherMs);
  };
  const unsubscribe = sandbox.subscribe(
    (event) => {
      if (event.kind === "end") {
        response.end();
        return;
      }
      if (event.kind === "request" && event.request.path.startsWith("/_sandbox/")) return;
      tellSoon();
    },
    { watchesPhone: true },
  );
  const ping = setInterval(() => response.write(": ping\n\n"), pingMs);
  ping.unref();
  response.on("error", () => undefined);
  response.on("close", () => {
    clearInterval(ping);
    clearTimeout(gathering);
    unsubscribe();
  });
};

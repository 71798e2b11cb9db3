import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Way } from "../../src/host/connect.ts";
import { createTransport } from "../../src/host/transport.ts";
import { type Transport, type TransportAnswer, TransportError, type TransportFailure, type TransportRequest } from "../../src/service/transport.ts";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { jsonAnswer, type OnRequest, type RawServer, startRawServer } from "../support/raw-server.ts";

const gzipOf = async (text: string): Promise<Buffer> => (await import("node:zlib")).gzipSync(text);

const ways = [
  ["a request on a connection of its own", { bulk: false, method: "POST" }],
  ["a read among many", { bulk: true, method: "GET" }],
] as const;

/** Both ways must do the same over real sockets. Above all: `left` is never false once a byte may have left. */
describe.each(ways)("%s", (_, { bulk, method }) => {
  const closing: (() => Promise<unknown>)[] = [];
  let certificates: Certificates;
  beforeAll(() => {
    certificates = makeCertificates();
  });
  const finish = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  afterEach(finish);
  afterAll(finish);

  const serve = async (onRequest: OnRequest, options?: Parameters<typeof startRawServer>[1]): Promise<RawServer> => {
    const server = await startRawServer(onRequest, options);
    closing.push(server.close);
    return server;
  };
  const open = async (way: Partial<Way> = {}): Promise<Transport> => {
    const transport = createTransport({ env: {}, ...way }, { bulk });
    closing.push(() => transport.close());
    return transport;
  };
  const post = (url: URL, body = '{"a":1}'): TransportRequest => ({ method: "POST", url, body, headers: { "content-type": "application/json" } });
  const ask = (url: URL): TransportRequest => (method === "POST" ? post(url) : get(url));
  const get = (url: URL): TransportRequest => ({ method: "GET", url, headers: { accept: "application/json" } });
  const textOf = (answer: TransportAnswer): string => Buffer.from(answer.body).toString("utf8");
  const failure = async (sending: Promise<TransportAnswer>): Promise<TransportError> => {
    const error: unknown = await sending.then(
      (answer) => new Error(`answered ${answer.status}`),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof TransportError)) throw error;
    return error;
  };
  /** Serves one kind of fault and tells how a request against it ended. */
  const against = async (onRequest: OnRequest, options: { readonly timeoutMs?: number; readonly onConnection?: Parameters<typeof startRawServer>[1] } = {}) => {
    const server = await serve(onRequest, options.onConnection);
    const error = await failure((await open()).send(ask(server.url), { timeoutMs: options.timeoutMs ?? 5_000 }));
    expect(error.left || server.bytes() === 0, "a byte arrived, so it left").toBe(true);
    return { error, server };
  };
  /** Whether a read among many has left decides nothing, so it may be said of one that has not. */
  const expectFault = (error: TransportError, reasons: readonly TransportFailure[], left: boolean): void => {
    expect(reasons).toContain(error.reason);
    if (left || !bulk) expect(error.left).toBe(left);
  };

  describe("answers", () => {
    it("sends method, path, query, headers and the exact bytes of the body", async () => {
      const server = await serve((socket) => socket.end(jsonAnswer('{"ok":true}', "201 Created", "X-A: 1\r\nX-A: 2\r\n")));
      const url = new URL("/base/x%2Fy?q=a%20b", server.url);
      const answer = await (await open()).send(post(url, '{"name":"Ünïcödé","n":1.50}'), { timeoutMs: 5_000 });
      expect(answer.status).toBe(201);
      expect(textOf(answer)).toBe('{"ok":true}');
      expect(answer.headers["x-a"]).toBe("1, 2");
      const [request = ""] = server.requests;
      expect(request).toMatch(/^POST \/base\/x%2Fy\?q=a%20b HTTP\/1\.1\r\n/);
      expect(request.toLowerCase()).toContain(`\r\nhost: 127.0.0.1:${server.port}\r\n`);
      expect(request.endsWith('\r\n\r\n{"name":"Ünïcödé","n":1.50}')).toBe(true);
      expect(request.match(/^host:/gim)).toHaveLength(1);
    });

    const wholes: Readonly<Record<string, string>> = {
      chunked: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n',
      "without a length, ended by closing": 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"a":1}',
      "after 103 Early Hints": `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${jsonAnswer('{"a":1}')}`,
      "with more behind its length": `${jsonAnswer('{"a":1}')}and more`,
      "with odd header case": 'HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh: 7\r\n\r\n{"a":1}',
    };
    it.each(Object.entries(wholes))("reads one %s", async (_, answer) => {
      const server = await serve((socket) => socket.end(answer));
      expect(textOf(await (await open()).send(ask(server.url), { timeoutMs: 5_000 }))).toBe('{"a":1}');
    });

    it("reads one without a body (204, HEAD)", async () => {
      const server = await serve((socket, request) =>
        socket.end(request.startsWith("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" : "HTTP/1.1 204 No Content\r\n\r\n"),
      );
      const transport = await open();
      expect((await transport.send(ask(server.url), { timeoutMs: 5_000 })).status).toBe(204);
      const head = await transport.send({ method: "HEAD", url: server.url, headers: {} }, { timeoutMs: 5_000 });
      expect([head.status, head.body.byteLength]).toEqual([200, 0]);
    });

    it("hands over a compressed body as it came", async () => {
      const zipped = await gzipOf('{"a":1}');
      const server = await serve((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.byteLength}\r\n\r\n`);
        socket.end(zipped);
      });
      const answer = await (await open()).send(get(server.url), { timeoutMs: 5_000 });
      expect([Buffer.from(answer.body).equals(zipped), answer.headers["content-encoding"]]).toEqual([true, "gzip"]);
    });

    it("follows no redirect", async () => {
      const other = await serve((socket) => socket.end(jsonAnswer("{}")));
      const server = await serve((socket) => socket.end(jsonAnswer("{}", "307 Temporary Redirect", `Location: ${other.url.href}\r\n`)));
      expect((await (await open()).send(ask(server.url), { timeoutMs: 5_000 })).status).toBe(307);
      expect(other.connections()).toBe(0);
    });

    it("takes a 100 Continue nobody asked for, or says that the request may have left", async () => {
      const server = await serve((socket) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${jsonAnswer('{"a":1}')}`));
      const end = await (await open()).send(ask(server.url), { timeoutMs: 5_000 }).catch((error: unknown) => error);
      if (end instanceof TransportError) expect(end.left).toBe(true);
      else expect(end).toMatchObject({ status: 200 });
    });

    it("gives each of many requests at once its own answer", async () => {
      const server = await serve((socket, request) => {
        const body = request.slice(request.indexOf("\r\n\r\n") + 4);
        setTimeout(() => socket.write(jsonAnswer(body)), Number(body) % 7);
      });
      const transport = await open();
      const bodies = Array.from({ length: 40 }, (_, at) => String(at));
      const answers = await Promise.all(bodies.map((body) => transport.send(post(server.url, body), { timeoutMs: 5_000 })));
      expect(answers.map(textOf)).toEqual(bodies);
    });

    it.each([0, 1, 4])("never takes an answer nobody asked for (%i ms late) for a later payment's", async (lateMs) => {
      const server = await serve((socket, request) => {
        const body = request.slice(request.indexOf("\r\n\r\n") + 4);
        if (lateMs === 0) socket.write(jsonAnswer(body) + jsonAnswer("stray"));
        else {
          socket.write(jsonAnswer(body));
          setTimeout(() => socket.write(jsonAnswer("stray")), lateMs);
        }
      });
      const transport = await open();
      for (let at = 0; at < 12; at += 1) {
        expect(textOf(await transport.send(post(server.url, `payment ${at}`), { timeoutMs: 5_000 }))).toBe(`payment ${at}`);
      }
      expect(server.requests).toHaveLength(12);
    });
  });

  describe("faults before anything left", () => {
    it("refused connection", async () => {
      const server = await serve(() => undefined);
      await server.close();
      expectFault(await failure((await open()).send(ask(server.url), { timeoutMs: 5_000 })), ["refused"], false);
    });
    it("unknown host", async () => {
      expectFault(await failure((await open()).send(ask(new URL("https://no-such-host.invalid/")), { timeoutMs: 10_000 })), ["dns"], false);
    });
    it("a TLS handshake that never ends", async () => {
      const server = await serve(() => undefined, { onConnection: () => false });
      const url = new URL(`https://127.0.0.1:${server.port}/`);
      expectFault(await failure((await open()).send(post(url), { timeoutMs: 300 })), ["timeout"], false);
    });
    it("no TLS where TLS was expected", async () => {
      const server = await serve(() => undefined, {
        onConnection: (socket) => {
          socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
          return false;
        },
      });
      expectFault(await failure((await open()).send(ask(new URL(`https://127.0.0.1:${server.port}/`)), { timeoutMs: 5_000 })), ["tls", "reset"], false);
    });
    it.skipIf(bulk)("refused at the last look, when the connection stands", async () => {
      const server = await serve((socket) => socket.end(jsonAnswer('{"ok":true}')));
      const transport = await open();
      let looks = 0;
      const beforeWriting = (): void => {
        looks += 1;
        if (looks === 1) throw new TransportError("too-late", false, "It is too late.");
      };
      expectFault(await failure(transport.send(ask(server.url), { timeoutMs: 5_000, beforeWriting })), ["too-late"], false);
      expect(server.bytes()).toBe(0);
      expect(await transport.send(ask(server.url), { timeoutMs: 5_000, beforeWriting })).toMatchObject({ status: 200 });
      expect([looks, server.requests.length]).toEqual([2, 1]);
    });
    it("already given up", async () => {
      const server = await serve((socket) => socket.end(jsonAnswer("{}")));
      const error = await failure((await open()).send(ask(server.url), { timeoutMs: 5_000, signal: AbortSignal.abort() }));
      expectFault(error, ["aborted"], false);
      expect(server.bytes()).toBe(0);
    });
  });

  describe("certificates", () => {
    const tlsUrl = (server: RawServer): URL => new URL(`https://localhost:${server.port}/`);
    it("a good one is accepted", async () => {
      const server = await serve((socket) => socket.end(jsonAnswer('{"a":1}')), { tls: certificates.good });
      const transport = await open({ ca: certificates.ca });
      expect(textOf(await transport.send(ask(tlsUrl(server)), { timeoutMs: 5_000 }))).toBe('{"a":1}');
      expect(textOf(await transport.send(ask(new URL(`https://127.0.0.1:${server.port}/`)), { timeoutMs: 5_000 }))).toBe('{"a":1}');
    });
    it.each(["expired", "otherHost"] as const)("%s: nothing is sent", async (which) => {
      const server = await serve((socket) => socket.end(jsonAnswer("{}")), { tls: certificates[which] });
      expectFault(await failure((await open({ ca: certificates.ca })).send(ask(tlsUrl(server)), { timeoutMs: 5_000 })), ["tls"], false);
      expect(server.bytes()).toBe(0);
    });
    it("an unknown authority: nothing is sent", async () => {
      const server = await serve((socket) => socket.end(jsonAnswer("{}")), { tls: certificates.good });
      expectFault(await failure((await open()).send(ask(tlsUrl(server)), { timeoutMs: 5_000 })), ["tls"], false);
      expect(server.bytes()).toBe(0);
    });
    it("a connection cut after the request is a reset, and it left", async () => {
      const server = await serve((socket) => socket.destroy(), { tls: certificates.good });
      expectFault(await failure((await open({ ca: certificates.ca })).send(ask(tlsUrl(server)), { timeoutMs: 5_000 })), ["reset"], true);
    });
  });

  describe("faults after something left", () => {
    const cut: Readonly<Record<string, readonly [string, readonly TransportFailure[]]>> = {
      "closed without an answer": ["", ["reset"]],
      "half of the head": ["HTTP/1.1 200 OK\r\nContent-Le", ["reset", "truncated", "malformed"]],
      "half of the body": ['HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"transactionId":', ["truncated"]],
      "half of a chunk": ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"transactionId":', ["truncated"]],
      garbage: ["\u0000\u0001 what is this\r\n\r\n", ["malformed"]],
      "another protocol": ["SSH-2.0-OpenSSH_9.6\r\n", ["malformed"]],
      "two lengths": ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", ["malformed", "truncated"]],
      "length and chunks": ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", ["malformed", "truncated"]],
      "a bad chunk": ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ["malformed", "truncated"]],
      upgrade: ["HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", ["malformed", "reset"]],
      "a huge head": [`HTTP/1.1 200 OK\r\nX-Big: ${"x".repeat(200_000)}\r\n\r\n`, ["too-large"]],
    };
    it.each(Object.entries(cut))("%s", async (_, [answer, reasons]) => {
      const { error } = await against((socket) => socket.end(Buffer.from(answer, "latin1")));
      expectFault(error, reasons, true);
    });
    it("a reset after the request", async () => {
      expectFault((await against((socket) => socket.resetAndDestroy())).error, ["reset"], true);
    });
    it("a reset in the middle of the body", async () => {
      const { error } = await against((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", () => setTimeout(() => socket.resetAndDestroy(), 20));
      });
      expectFault(error, ["truncated"], true);
    });
    it("a reset at once", async () => {
      const server = await serve(() => undefined, {
        onConnection: (socket) => {
          socket.resetAndDestroy();
          return false;
        },
      });
      const error = await failure((await open()).send(ask(server.url), { timeoutMs: 5_000 }));
      expect(["reset", "other"]).toContain(error.reason);
    });
    it("no answer at all", async () => {
      expectFault((await against(() => undefined, { timeoutMs: 300 })).error, ["timeout"], true);
    });
    it("an answer that drips on beyond the time of the whole request", async () => {
      const timers: NodeJS.Timeout[] = [];
      const { error } = await against(
        (socket) => {
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
          timers.push(setInterval(() => socket.write("x"), 20));
        },
        { timeoutMs: 400 },
      );
      for (const timer of timers) clearInterval(timer);
      expectFault(error, ["timeout"], true);
    });
    it("an answer above 64 MiB", async () => {
      const block = Buffer.alloc(1024 * 1024, 32);
      const { error } = await against(
        (socket) => {
          socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
          const more = (left: number): void => {
            if (left > 0 && !socket.destroyed) socket.write(block, () => more(left - 1));
          };
          more(70);
        },
        { timeoutMs: 20_000 },
      );
      expectFault(error, ["too-large"], true);
    });
    it("given up in flight", async () => {
      const controller = new AbortController();
      const server = await serve(() => controller.abort());
      expectFault(await failure((await open()).send(ask(server.url), { timeoutMs: 5_000, signal: controller.signal })), ["aborted"], true);
    });
    it("works on after a fault", async () => {
      const server = await serve((socket, _, count) => (count === 1 ? socket.destroy() : socket.write(jsonAnswer('{"a":1}'))));
      const transport = await open();
      await failure(transport.send(get(server.url), { timeoutMs: 5_000 }));
      for (let at = 0; at < 3; at += 1) expect((await transport.send(get(server.url), { timeoutMs: 5_000 })).status).toBe(200);
    });
  });

  describe("proxies", () => {
    const target = (port: number): URL => new URL(`https://api.example.test:${port}/x`);
    /** A proxy that leads every tunnel to one port of this machine. */
    const proxyTo = (port: number, options?: Parameters<typeof startRawServer>[1]): Promise<RawServer> =>
      serve((socket) => {
        socket.removeAllListeners("data");
        const onward = connect(port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          onward.pipe(socket);
          socket.pipe(onward);
        });
        onward.on("error", () => socket.destroy());
      }, options);

    it.each([
      ["http://user:p%40ss@", "user:p@ss"],
      ["http://user:p%ss@", "user:p%ss"],
      ["http://user:100%@", "user:100%"],
      ["http://user:%zz%40%@", "user:%zz@%"],
      ["http://us%C3%A9r:p%C3%A4ss@", "us\u00e9r:p\u00e4ss"],
      ["http://us\u00e9r:p\u00e4ss@", "us\u00e9r:p\u00e4ss"],
      ["http://user:a:b@c@", "user:a:b@c"],
      ["user:pass@", "user:pass"],
      ["HTTP://user@", "user:"],
      ["http://:pass@", ":pass"],
    ])("a tunnel through HTTPS_PROXY, with its login: %s", async (before, login) => {
      const server = await serve((socket) => socket.end(jsonAnswer('{"a":1}')), { tls: certificates.good });
      const proxy = await proxyTo(server.port);
      const transport = await open({ env: { HTTPS_PROXY: `${before}127.0.0.1:${proxy.port}` }, ca: certificates.ca });
      expect(textOf(await transport.send(ask(target(server.port)), { timeoutMs: 5_000 }))).toBe('{"a":1}');
      expect(proxy.requests[0]).toContain(`CONNECT api.example.test:${server.port} HTTP/1.1\r\n`);
      expect(proxy.requests[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from(login).toString("base64")}\r\n`);
      expect(server.requests[0]?.toLowerCase()).not.toContain("proxy-authorization");
    });
    it("a proxy that speaks TLS itself", async () => {
      const server = await serve((socket) => socket.end(jsonAnswer('{"a":1}')), { tls: certificates.good });
      const proxy = await proxyTo(server.port, { tls: certificates.good });
      const transport = await open({ env: { https_proxy: `https://localhost:${proxy.port}` }, ca: certificates.ca });
      expect(textOf(await transport.send(ask(target(server.port)), { timeoutMs: 5_000 }))).toBe('{"a":1}');
    });
    it("NO_PROXY and loopback go around it", async () => {
      const server = await serve((socket) => socket.end(jsonAnswer("{}")));
      const proxy = await proxyTo(server.port);
      const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "api.example.test" };
      const transport = await open({ env });
      expect((await transport.send(ask(server.url), { timeoutMs: 5_000 })).status).toBe(200);
      expectFault(await failure(transport.send(ask(target(443)), { timeoutMs: 10_000 })), ["dns"], false);
      expect(proxy.connections()).toBe(0);
    });
    const refusals: Readonly<Record<string, string>> = {
      "403": "HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope",
      "407": 'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n',
      garbage: "what\r\n\r\n",
      "more than asked for": "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n",
      closing: "",
    };
    it.each(Object.entries(refusals))("one that refuses (%s): nothing left", async (_, answer) => {
      const proxy = await serve((socket) => socket.end(answer));
      const transport = await open({ env: { HTTPS_PROXY: `127.0.0.1:${proxy.port}` } });
      expectFault(await failure(transport.send(ask(target(443)), { timeoutMs: 5_000 })), ["proxy"], false);
    });
    it("one that is not there, is unknown or is no URL: nothing left", async () => {
      const gone = await serve(() => undefined);
      await gone.close();
      for (const proxy of [`http://127.0.0.1:${gone.port}`, "http://no-such-proxy.invalid:3128", "socks5://127.0.0.1:1080", "http://[x"]) {
        expectFault(await failure((await open({ env: { HTTPS_PROXY: proxy } })).send(ask(target(443)), { timeoutMs: 10_000 })), ["proxy"], false);
      }
    });
    it("one that never answers: nothing left", async () => {
      const proxy = await serve(() => undefined);
      const transport = await open({ env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });
      expectFault(await failure(transport.send(ask(target(443)), { timeoutMs: 300 })), ["timeout"], false);
    });
  });
});

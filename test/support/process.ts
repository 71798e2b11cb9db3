import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { execa, type Options } from "execa";
import { atEnd } from "./ends.ts";

/** The built binary, as a user runs it. `npm run build` comes first. */
export const binary = fileURLToPath(new URL("../../bin/payments-cli.js", import.meta.url));
/** The Node that runs it: PAYMENTS_TEST_NODE lets one suite try several. */
export const node = process.env["PAYMENTS_TEST_NODE"] ?? process.execPath;

/** Nothing of the tester's own settings reaches the program. Each test has a home of its own, so keeping compiled code would only cost time. */
export const cleanEnv = (env: Readonly<Record<string, string | undefined>>): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  NODE_DISABLE_COMPILE_CACHE: "1",
  ...Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
});

export type BinaryOptions = {
  readonly home: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** What ends it after that: a program that spins hears nothing but SIGKILL. */
  readonly kill?: "SIGKILL";
};
export type BinaryResult = {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
};

/** Runs the real binary to its end. */
export const runBinary = async (args: readonly string[], options: BinaryOptions): Promise<BinaryResult> => {
  const startedMs = performance.now();
  const result = await execa(node, [binary, ...args], {
    ...binaryOptions(options),
    input: options.stdin ?? "",
    timeout: options.timeoutMs ?? 30_000,
    killSignal: options.kill ?? "SIGTERM",
  });
  return { code: result.exitCode, signal: result.signal, stdout: String(result.stdout), stderr: String(result.stderr), ms: performance.now() - startedMs };
};

/** Starts the real binary and leaves it running. */
export const startBinary = (args: readonly string[], options: BinaryOptions) => execa(node, [binary, ...args], { ...binaryOptions(options), stdin: "ignore" });

const binaryOptions = (options: BinaryOptions) =>
  ({ env: cleanEnv({ PAYMENTS_HOME: options.home, ...options.env }), extendEnv: false, reject: false, stripFinalNewline: false }) as const satisfies Options;

export type Seen = { readonly method: string; readonly url: string; readonly headers: IncomingMessage["headers"]; readonly body: string };
export type LoopbackService = { readonly url: string; readonly seen: Seen[]; close(): Promise<void> };
type Handler = (seen: Seen, response: ServerResponse, count: number) => void;

/** A scripted service on a loopback port, closed after the file's tests. */
export const startService = async (handle: Handler): Promise<LoopbackService> => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
      seen.push(one);
      handle(one, response, seen.length);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  atEnd(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
};

export const json = (response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};

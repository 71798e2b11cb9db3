import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Host, ReaderGone, type SandboxConnection } from "../../src/cli/host.ts";
import { CliError } from "../../src/errors.ts";
import { cleanEnvironment } from "../../src/host/node-host.ts";
import { main } from "../../src/main.ts";
import type { Choice, Lines, Prompter } from "../../src/ports.ts";
import { type Transport, TransportError } from "../../src/service/transport.ts";
import { createHome } from "./ends.ts";

export { createHome };

/** A request as the service saw it. Header names in lower case. */
export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
export type ServiceAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>> /** An object becomes JSON. */;
  readonly body?: unknown;
};
/** A scripted service. Throw a TransportError for what never answers. */
export type Service = (request: SeenRequest, count: number) => ServiceAnswer | Promise<ServiceAnswer>;

export type CliOptions = {
  readonly service?: Service;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  /** Answers in the order of the questions: text, true/false, or the name of a choice. Their presence makes it a terminal. An unused or missing answer fails. */
  readonly answers?: readonly (string | boolean | { readonly choose: string } | { readonly interrupt: true })[];
  /** A terminal without any answers given. */
  readonly terminal?: boolean;
  /** Same folder over several runs; one of its own otherwise. */
  readonly home?: string;
  readonly width?: number;
  /** Milliseconds since 1970; moved on by every sleep. */
  readonly clock?: { nowMs: number };
  readonly seed?: string;
  readonly sandbox?: (dataFolder: string) => Promise<SandboxConnection>;
  readonly signal?: AbortSignal;
  /** The merchant's own endpoint; without it there is none. */
  readonly post?: Host["post"];
  /** Whatever is written to stdout fails (a full disk). */
  readonly diskFull?: true;
  /** Parts of the host that the test plays itself. */
  readonly host?: Partial<Host>;
  /** The reader of stdout goes away after this many chunks. */
  readonly readerLeavesAfter?: number;
};
export type CliResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly SeenRequest[];
  readonly prompts: readonly string[];
  readonly notes: string;
  readonly home: string;
  readonly opened: readonly string[];
};

/** A command line with these flags in place of its own of the same names: a flag given twice is refused. */
export const withFlags = (argv: readonly string[], flags: readonly string[]): readonly string[] => [
  ...argv.filter((word, index) => ![word, argv[index - 1] ?? ""].some((each) => each.startsWith("--") && flags.includes(each))),
  ...flags,
];

/** One command line, in process: no socket, no real time, never the real home. */
export const runCli = async (argv: readonly string[], options: CliOptions = {}): Promise<CliResult> => {
  const home = options.home ?? createHome();
  const requests: SeenRequest[] = [];
  const prompts: string[] = [];
  const opened: string[] = [];
  const output = { out: "", err: "", chunks: 0 };
  const answers = [...(options.answers ?? [])];
  const isTerminal = options.terminal ?? options.answers !== undefined;
  const host: Host = {
    env: cleanEnvironment(
      options.service === undefined
        ? { ...options.env }
        : { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: "http://127.0.0.1:9", ...options.env },
    ),
    version: "0.0.0-test",
    paths: { config: join(home, "config"), data: join(home, "data"), cache: join(home, "cache") },
    clock: clockOf(options.clock ?? { nowMs: Date.UTC(2026, 2, 1, 8, 0, 0) }),
    random: randomOf(options.seed ?? `${home}${argv.join(" ")}${Math.random()}`),
    stdinIsTerminal: isTerminal,
    stdoutIsTerminal: isTerminal,
    stderrIsTerminal: isTerminal,
    width: () => options.width ?? 100,
    zone: "Africa/Nairobi",
    out: async (chunk) => {
      output.chunks++;
      if (options.diskFull === true) throw new CliError("usage", "The result could not be written to standard output (ENOSPC).");
      if (options.readerLeavesAfter !== undefined && output.chunks > options.readerLeavesAfter) throw new ReaderGone();
      output.out += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    },
    err: (text) => {
      output.err += text;
    },
    signal: options.signal ?? new AbortController().signal,
    readStdin: async () => (typeof options.stdin === "string" ? new TextEncoder().encode(options.stdin) : (options.stdin ?? new Uint8Array())),
    streams: () => {
      throw new Error("No protocol in this test.");
    },
    transport: async () => serviceTransport(options.service, requests),
    sandbox: async (dataFolder) => {
      if (options.sandbox !== undefined) return await options.sandbox(dataFolder);
      const { createTransport } = await import("../../src/host/transport.ts");
      const { openSandboxConnection } = await import("../../src/sandbox/connection.ts");
      return await openSandboxConnection({
        dataFolder: join(dataFolder, "sandbox"),
        clock: { now: () => host.clock.now() },
        joinOver: async () => createTransport({ env: {} }, { bulk: false }),
      });
    },
    prompter: async () => scriptedPrompter(answers, prompts),
    progress: () => ({ update: () => undefined, end: () => undefined }),
    openUrl: async (url) => {
      // As the host does.
      if (!/^https?:/.test(url)) throw new CliError("usage", "Only http and https addresses are opened.");
      opened.push(url);
    },
    post:
      options.post ??
      (async () => {
        throw new CliError("unavailable", "No endpoint in this test.");
      }),
    listen: async () => {
      throw new CliError("usage", "No listening in this test.");
    },
    ...options.host,
  };
  const code = await main(argv, host);
  if (answers.length > 0) throw new Error(`Unused answers: ${JSON.stringify(answers)}; asked: ${prompts.join(" | ")}\n${output.err}`);
  return { code, stdout: output.out, stderr: output.err, requests, prompts, notes: output.err, home, opened };
};

const clockOf = (clock: { nowMs: number }): Host["clock"] => ({
  now: () => clock.nowMs,
  monotonic: () => clock.nowMs,
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    clock.nowMs += ms;
  },
});

const randomOf = (seed: string): Host["random"] => {
  let count = 0;
  const bytes = (wanted: number): Uint8Array => {
    const parts: Buffer[] = [];
    for (let size = 0; size < wanted; size += 32) parts.push(createHash("sha256").update(`${seed}:${count++}`).digest());
    return new Uint8Array(Buffer.concat(parts).subarray(0, wanted));
  };
  const hex = (): string => Buffer.from(bytes(16)).toString("hex");
  return {
    bytes,
    uuid: () => hex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
    fraction: () => Buffer.from(bytes(4)).readUInt32BE() / 2 ** 32,
  };
};

/** A transport over a scripted service, recording what it saw. */
export const serviceTransport = (service: Service | undefined, requests: SeenRequest[]): Transport => ({
  send: async (request, { signal }) => {
    if (signal?.aborted === true) throw new TransportError("aborted", false, "aborted");
    if (service === undefined) throw new TransportError("refused", false, "connection refused");
    const seen: SeenRequest = {
      method: request.method,
      path: request.url.pathname,
      query: request.url.searchParams,
      headers: request.headers,
      body: request.body ?? "",
    };
    requests.push(seen);
    const answer = await service(seen, requests.length);
    const text = typeof answer.body === "string" ? answer.body : answer.body === undefined ? "" : JSON.stringify(answer.body);
    const type = typeof answer.body === "string" ? {} : { "content-type": "application/json" };
    return { status: answer.status ?? 200, headers: { ...type, ...answer.headers }, body: new TextEncoder().encode(text) };
  },
  close: async () => undefined,
});

const textOf = (message: Lines): string => (typeof message === "string" ? message : message.join("\n  "));

const scriptedPrompter = (answers: (string | boolean | { readonly choose: string } | { readonly interrupt: true })[], prompts: string[]): Prompter => {
  const next = (message: string) => {
    prompts.push(message);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`Unexpected question: ${message}`);
    if (typeof answer === "object" && "interrupt" in answer) throw new CliError("interrupted", "Interrupted; nothing was sent.");
    return answer;
  };
  return {
    text: async ({ message, initial, check }) => {
      const answer = next(textOf(message));
      const text = answer === "" ? (initial ?? "") : String(answer);
      const fault = check?.(text);
      if (fault === undefined) return text;
      prompts.push(fault);
      return await scriptedPrompter(answers, prompts).text({
        message,
        ...(initial === undefined ? {} : { initial }),
        ...(check === undefined ? {} : { check }),
      });
    },
    secret: async ({ message, check }) => {
      const answer = String(next(textOf(message)));
      const fault = check?.(answer);
      if (fault === undefined) return answer;
      prompts.push(fault);
      return await scriptedPrompter(answers, prompts).secret({ message, ...(check === undefined ? {} : { check }) });
    },
    confirm: async ({ message, initial }) => {
      const answer = next(textOf(message));
      return typeof answer === "boolean" ? answer : (initial ?? false);
    },
    choose: async <T>({ message, choices }: { readonly message: string; readonly choices: readonly Choice<T>[] }): Promise<T> => {
      const answer = next(`${textOf(message)}: ${choices.map((choice) => choice.name).join(" | ")}`);
      const wanted = typeof answer === "object" && "choose" in answer ? answer.choose : String(answer);
      const choice = choices.find(({ name }) => name === wanted) ?? choices.find(({ name }) => name.includes(wanted));
      if (choice === undefined) throw new Error(`No choice ${wanted} for: ${message} (${choices.map(({ name }) => name).join(", ")})`);
      return choice.value;
    },
    unheard: (work) => work(),
  };
};

import { join } from "node:path";
import { type Host, ReaderGone } from "../cli/host.ts";
import { CliError, errorCode, usageError } from "../errors.ts";
import { lazily } from "../lazily.ts";
import { readBytes } from "../read-bytes.ts";
import { sleep } from "../timer.ts";
import { unwrap } from "../unwrap.ts";
import type { Interrupts } from "./interrupts.ts";
import { pathsOf } from "./paths.ts";
import { createProgress } from "./progress.ts";

/** The real process: streams, clock, environment. Everything heavy is loaded when it is first needed. */
export const createNodeHost = (version: string, interrupts: Interrupts): Host & { readonly letGoOfStdin: () => void } => {
  const env = cleanEnvironment(process.env);
  const { stdin, stdout, stderr, letGoOfStdin } = createStreams();
  const isFile = lazily(() => isFileDescriptor(1));
  const err = (text: string): void => void stderr().write(text);
  return {
    letGoOfStdin,
    env,
    version,
    paths: pathsOf(env),
    clock: { now: () => Date.now(), monotonic: monotonicMs, sleep },
    random,
    get stdinIsTerminal() {
      return isTerminal(0);
    },
    get stdoutIsTerminal() {
      return isTerminal(1);
    },
    get stderrIsTerminal() {
      return isTerminal(2);
    },
    width: () => stdout().columns ?? stderr().columns ?? 80,
    get zone() {
      // A TZ that is empty or unknown leaves the runtime in UTC, without a name or with one that Intl itself refuses.
      const timeZone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
      return timeZone === undefined || timeZone === "Etc/Unknown" ? "UTC" : timeZone;
    },
    out: (chunk) => (isFile() ? writeToFile(1, chunk) : write(stdout(), chunk)),
    err,
    signal: interrupts.signal,
    hurry: interrupts.hurry,
    streams: () => ({ input: stdin(), output: stdout() }),
    readStdin: (maxBytes) => readAll(stdin(), maxBytes, interrupts.signal),
    transport: async (options) => {
      if (options.bulk) keepHeapSmall();
      return (await import("./transport.ts")).createTransport({ env }, options);
    },
    sandbox: openSandbox,
    prompter: async (terminal) => (await import("./prompter.ts")).createPrompter({ terminal, input: stdin(), output: stderr(), env }),
    progress: (terminal) =>
      createProgress({
        draws: terminal.draws,
        write: err,
        columns: () => stderr().columns ?? 80,
        nowMs: monotonicMs,
        every,
      }),
    screen: createScreen(stdout),
    openUrl: async (url) => (await import("./open-url.ts")).openUrl(url),
    post: async (request) => (await import("./send-once.ts")).post(request, env),
    listen: async (options) => (await import("./callback-listener.ts")).listenForCallbacks(options),
  };
};

/**
 * For long lists: each answer's memory is free when the next arrives. By default V8 lets the heap grow fourfold before it collects,
 * and gives young objects ever more room: a million rows took 170 MB so, and take 120 MB in the same time.
 */
const keepHeapSmall = (): void => {
  for (const flag of ["--semi-space-growth-factor=1", "--heap-growing-percent=100"]) process.getBuiltinModule("node:v8").setFlagsFromString(flag);
};

const openSandbox: Host["sandbox"] = async (dataFolder) => {
  const { openSandboxConnection } = await import("../sandbox/connection.ts");
  return await openSandboxConnection({
    dataFolder: join(dataFolder, "sandbox"),
    joinOver: async () => (await import("./transport.ts")).createTransport({ env: {} }, { bulk: false }),
  });
};

/** Windows has standard streams that nobody may ask about; those are written to as streams. */
const isFileDescriptor = (descriptor: number): boolean => {
  try {
    return process.getBuiltinModule("node:fs").fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
};

/** Asking the descriptor is quicker than making its stream, and takes nothing from what is piped in. */
const isTerminal = (descriptor: 0 | 1 | 2): boolean => process.getBuiltinModule("node:tty").isatty(descriptor);

/** Milliseconds that only grow. `performance` would load a module of its own. */
const monotonicMs = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
};

/** The standard streams, each made when it is first used: together they cost a start some milliseconds. */
const createStreams = () => {
  // Without a listener a broken pipe would end the process with a stack trace.
  const listened = (stream: NodeJS.WriteStream): NodeJS.WriteStream => stream.on("error", () => undefined);
  let reads = false;
  const stdin = lazily(() => {
    reads = true;
    return process.stdin;
  });
  const letGoOfStdin = (): void => {
    if (reads) process.stdin.unref?.();
  };
  return { letGoOfStdin, stdin, stdout: lazily(() => listened(process.stdout)), stderr: lazily(() => listened(process.stderr)) };
};

/** A timer that never holds the program open. */
const every = (ms: number, onBeat: () => void): (() => void) => {
  const timer = setInterval(onBeat, ms).unref();
  return () => clearInterval(timer);
};

const write = (stream: NodeJS.WriteStream, chunk: string | Uint8Array): Promise<void> =>
  new Promise((done, fail) => {
    stream.write(chunk, (error) => {
      if (error === null || error === undefined) done();
      else fail(wasLeft(error) ? new ReaderGone() : outputFault(error));
    });
  });

/** Node's own stream for a file takes a write that was cut short, by a disk that fills up, for a whole one. */
const writeToFile = async (descriptor: number, chunk: string | Uint8Array): Promise<void> => {
  const { writeSync } = process.getBuiltinModule("node:fs");
  const bytes = typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk;
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    throw error instanceof Error ? outputFault(error) : error;
  }
};

const wasLeft = (error: Error): boolean => ["EPIPE", "ERR_STREAM_DESTROYED", "ECONNRESET"].includes(errorCode(error) ?? "");

const outputFault = (error: Error): CliError =>
  new CliError("usage", `The result could not be written to standard output${errorCode(error) === undefined ? "" : ` (${errorCode(error)})`}.`, {
    cause: error,
    hint: "Is the disk full, or the output closed?",
  });

/** A writer that stalls holds nobody: the first Ctrl-C ends the reading, and its reason is thrown. */
const readAll = async (stream: NodeJS.ReadStream, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
  signal.throwIfAborted();
  const end = (): void => {
    stream.destroy(signal.reason);
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    return await readBytes(stream, maxBytes, () => usageError(`Standard input is larger than ${maxBytes} bytes.`));
  } finally {
    signal.removeEventListener("abort", end);
  }
};

// The global one: loading node:crypto would cost every --help some milliseconds.
const randomBytes = (count: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(count));
const random: Host["random"] = {
  uuid: () => crypto.randomUUID(),
  bytes: randomBytes,
  fraction: () => new DataView(randomBytes(4).buffer).getUint32(0) / 2 ** 32,
};

const createScreen = (stdout: () => NodeJS.WriteStream): NonNullable<Host["screen"]> => ({
  size: () => ({ columns: stdout().columns ?? 80, rows: stdout().rows ?? 24 }),
  beat: (onBeat) => {
    const stop = every(1000, onBeat);
    stdout().on("resize", onBeat);
    return () => {
      stop();
      stdout().off("resize", onBeat);
    };
  },
});

/** What this program and its proxy settings read. NODE_EXTRA_CA_CERTS is not among them: Node itself has read it as it is. */
const ours = /^(?:PAYMENTS_\w+|(?:HTTPS?|NO)_PROXY|NO_COLOR|FORCE_COLOR|TERM)$/i;

/**
 * Takes white space, quotes and byte order marks from around our values, which container and secret files leave there (rules.md, Where
 * settings come from). In place, as only the real environment knows its names in any case of letters on Windows.
 */
export const cleanEnvironment = <T extends Record<string, string | undefined>>(env: T): T => {
  for (const name of Object.keys(env)) {
    const value = ours.test(name) ? env[name] : undefined;
    if (value === undefined) continue;
    // Webhook secrets are one a line, each with quotes of its own.
    const cleaned = unwrap(value).split(/\r?\n/).map(unwrap).join("\n");
    if (cleaned !== value) Object.assign(env, { [name]: cleaned });
  }
  return env;
};

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type Host, ReaderGone } from "../cli/host.ts";
import { CliError, usageError } from "../kernel/errors.ts";
import type { Interrupts } from "./interrupts.ts";
import { createProgress } from "./progress.ts";

/** The real process: streams, clock, environment. Everything heavy is loaded when it is first needed. */
export const createNodeHost = (version: string, interrupts: Interrupts): Host => {
  const { env, stdin, stdout, stderr } = process;
  stderr.on("error", () => undefined);
  // Without a listener a broken pipe would end the process with a stack trace.
  stdout.on("error", () => undefined);
  return {
    env,
    version,
    paths: pathsOf(env),
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: (ms, signal) => sleep(ms, signal),
    },
    random: {
      // The global one: loading node:crypto would cost every --help some milliseconds.
      uuid: () => crypto.randomUUID(),
      bytes: randomBytes,
      fraction: () => new DataView(randomBytes(4).buffer).getUint32(0) / 2 ** 32,
    },
    stdinIsTerminal: stdin.isTTY === true,
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
    width: () => stdout.columns ?? stderr.columns ?? 80,
    get zone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    out: (chunk) => write(stdout, chunk),
    err: (text) => {
      stderr.write(text);
    },
    signal: interrupts.signal,
    hurry: interrupts.hurry,
    readStdin: (maxBytes) => readAll(stdin, maxBytes),
    transport: async ({ bulk }) => {
      if (bulk) return (await import("./transport-undici.ts")).createUndiciTransport({ env });
      return (await import("./transport-node.ts")).createNodeTransport({ env });
    },
    sandbox: async (dataFolder) => {
      const { openSandboxConnection } = await import("../sandbox/connection.ts");
      return await openSandboxConnection({ dataFolder: join(dataFolder, "sandbox"), clock: { now: () => Date.now() } });
    },
    prompter: async (terminal) => (await import("./prompter.ts")).createPrompter({ terminal, input: stdin, output: stderr, env }),
    progress: (terminal) =>
      createProgress({
        draws: terminal.draws,
        write: (text) => {
          stderr.write(text);
        },
        columns: () => stderr.columns ?? 80,
        nowMs: () => performance.now(),
      }),
    openUrl: async (url) => (await import("./open-url.ts")).openUrl(url),
    post: async (request) => (await import("./post.ts")).post(request),
    listen: async (options) => (await import("./callback-listener.ts")).listenForCallbacks(options),
  };
};

/** `PAYMENTS_HOME` puts all in one folder; else the platform's own (XDG on Linux). */
const pathsOf = (env: NodeJS.ProcessEnv): Host["paths"] => {
  const home = env["PAYMENTS_HOME"];
  if (home !== undefined && home !== "") {
    const root = resolve(home);
    return { config: join(root, "config"), data: join(root, "data"), cache: join(root, "cache") };
  }
  const user = homedir();
  const name = "payments-cli";
  if (process.platform === "win32") {
    const roaming = env["APPDATA"] ?? join(user, "AppData", "Roaming");
    const local = env["LOCALAPPDATA"] ?? join(user, "AppData", "Local");
    return { config: join(roaming, name, "Config"), data: join(local, name, "Data"), cache: join(local, name, "Cache") };
  }
  if (process.platform === "darwin") {
    const library = join(user, "Library");
    return { config: join(library, "Preferences", name), data: join(library, "Application Support", name), cache: join(library, "Caches", name) };
  }
  const xdg = (variable: string, fallback: string): string => {
    const value = env[variable];
    return join(value?.startsWith("/") === true ? value : join(user, fallback), name);
  };
  return { config: xdg("XDG_CONFIG_HOME", ".config"), data: xdg("XDG_DATA_HOME", ".local/share"), cache: xdg("XDG_CACHE_HOME", ".cache") };
};

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    if (signal?.aborted === true) {
      fail(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", onAbort);
        done();
      },
      Math.max(0, ms),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
  });

const write = (stream: NodeJS.WriteStream, chunk: string | Uint8Array): Promise<void> =>
  new Promise((done, fail) => {
    stream.write(chunk, (error) => {
      if (error === null || error === undefined) done();
      else fail(wasLeft(error) ? new ReaderGone() : outputFault(error));
    });
  });

const wasLeft = (error: Error): boolean => "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED" || error.code === "ECONNRESET");

const outputFault = (error: Error): CliError =>
  new CliError("bug", `The result could not be written to standard output${"code" in error ? ` (${String(error.code)})` : ""}.`, {
    cause: error,
    hint: "Is the disk full, or the output closed?",
  });

const readAll = async (stream: NodeJS.ReadStream, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Buffer);
    size += bytes.length;
    if (size > maxBytes) throw usageError(`Standard input is larger than ${maxBytes} bytes.`);
    chunks.push(bytes);
  }
  return new Uint8Array(Buffer.concat(chunks));
};

const randomBytes = (count: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(count));

import { join } from "node:path";
import { CliError, usageError } from "../errors.ts";
import type { InnerOptions, InnerResult } from "../ports.ts";
import type { Host } from "./host.ts";

type Main = (argv: readonly string[], host: Host) => Promise<number>;

/** Runs another command line in this process, without a terminal: what it writes is collected instead of shown. */
export const runInner = async (argv: readonly string[], { signal, hurry, onProgress, home }: InnerOptions, host: Host, main: Main): Promise<InnerResult> => {
  const written = { stdout: "", stderr: "" };
  // A signal of its own: one that many calls share would remember each of them.
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  for (const source of [signal, host.signal]) {
    if (source.aborted) abort();
    source.addEventListener("abort", abort, { once: true });
  }
  const inner: Host = {
    ...host,
    ...(home === undefined ? {} : { env: {}, paths: { config: join(home, "config"), data: join(home, "data"), cache: join(home, "cache") } }),
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    out: async (chunk) => {
      written.stdout += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    },
    err: (text) => {
      written.stderr += text;
    },
    signal: stop.signal,
    ...(hurry === undefined ? {} : { hurry }),
    readStdin: async () => {
      throw usageError("Standard input carries the protocol here.", "Name a file instead of -");
    },
    progress: () => ({ update: (text) => onProgress(typeof text === "function" ? text() : text), end: () => undefined }),
    openUrl: async () => {
      throw new CliError("usage", "Nothing is opened without a terminal.");
    },
  };
  try {
    return { code: await main(argv, inner), ...written };
  } finally {
    for (const source of [signal, host.signal]) source.removeEventListener("abort", abort);
  }
};

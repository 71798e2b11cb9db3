import { CliError } from "../../src/errors.ts";
import type { Journal } from "../../src/journal/port.ts";
import type { Account, Clock, Context, GlobalFlags, Lines, Prompter, Random } from "../../src/ports.ts";
import { createClient } from "../../src/service/client.ts";
import type { Transport } from "../../src/service/transport.ts";

const baseUrl = "http://127.0.0.1:9";
export const apiKey = "test_key_0123456789abcdef";

/** Time that moves only when somebody sleeps. */
export const createClock = (time: { nowMs: number }): Clock => ({
  now: () => time.nowMs,
  monotonic: () => time.nowMs,
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    time.nowMs += ms;
  },
});

/** A small seeded generator (mulberry32), 0 ≤ x < 1. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};
export const randomFrom = (fraction: () => number): Random => {
  const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256));
  return {
    fraction,
    bytes,
    uuid: () =>
      Buffer.from(bytes(16))
        .toString("hex")
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  };
};

export type Asked = { readonly kind: "text" | "secret" | "confirm"; readonly message: string };
export type PaymentContextOptions = {
  readonly journal: Journal;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random?: Random;
  readonly flags?: Partial<GlobalFlags>;
  readonly account?: Partial<Account>;
  readonly apiKey?: string;
  readonly withdrawalKey?: string;
  /** Their presence makes it a terminal. */
  readonly answers?: (string | boolean)[];
  readonly asked?: Asked[];
  readonly notes?: string[];
  readonly progress?: string[];
  readonly signal?: AbortSignal;
  readonly stdin?: string;
};

/** A context over a transport and a journal, for the payment flows: the client is the real one. */
export const createPaymentContext = (options: PaymentContextOptions): Context => {
  const { clock, journal, transport } = options;
  const random = options.random ?? randomFrom(createRandom(1));
  const flags: GlobalFlags = {
    output: "json",
    sandbox: false,
    timeoutMs: 30_000,
    retries: 3,
    yes: false,
    noInput: false,
    noColor: false,
    quiet: false,
    debug: false,
    utc: false,
    ...options.flags,
  };
  const account: Account = {
    profile: "shop",
    baseUrl,
    mode: "live",
    keySource: "env",
    storage: "none",
    keyHint: "****cdef",
    hasWithdrawalKey: options.withdrawalKey !== undefined,
    ...options.account,
  };
  const interactive = options.answers !== undefined;
  const answers = options.answers ?? [];
  const next = (kind: Asked["kind"], lines: Lines): string | boolean => {
    const message = typeof lines === "string" ? lines : lines.join("\n  ");
    options.asked?.push({ kind, message });
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`Unexpected question: ${message}`);
    return answer;
  };
  const prompt: Prompter = {
    text: async ({ message }) => String(next("text", message)),
    secret: async ({ message }) => String(next("secret", message)),
    confirm: async ({ message }) => next("confirm", message) === true,
    choose: async ({ choices }) => {
      const [first] = choices;
      if (first === undefined) throw new Error("nothing to choose");
      return first.value;
    },
    unheard: (work) => work(),
  };
  const clientFor = (key: string) => createClient({ baseUrl, apiKey: key, transport, timeoutMs: flags.timeoutMs, retries: flags.retries, clock, random });
  const never = async (): Promise<never> => {
    throw new Error("not in this test");
  };
  return {
    flags,
    env: {},
    paths: { config: "/nowhere", data: "/nowhere", cache: "/nowhere" },
    clock,
    random,
    terminal: {
      interactive,
      stdoutIsTerminal: interactive,
      stderrIsTerminal: interactive,
      width: () => 80,
      colour: { stdout: false, stderr: false },
      draws: false,
    },
    prompt,
    note: (text) => {
      options.notes?.push(text);
    },
    progress: () => ({ update: (text) => void options.progress?.push(typeof text === "string" ? text : text()), end: () => undefined }),
    signal: options.signal ?? new AbortController().signal,
    readStdin: async () => new TextEncoder().encode(options.stdin ?? ""),
    account: async () => account,
    client: async (wanted) => {
      if (wanted?.key !== "withdrawal") return clientFor(options.apiKey ?? apiKey);
      if (wanted.passphrase !== "open sesame") throw new CliError("auth", "That is not the passphrase");
      return clientFor(options.withdrawalKey ?? "");
    },
    clientFor: async (_, key) => clientFor(key),
    journal: async () => journal,
    existingJournal: async () => journal,
    webhookSettings: never,
    post: never,
    listen: never,
    openUrl: never,
    version: "0.0.0-test",
  };
};

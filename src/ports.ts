import type { Readable, Writable } from "node:stream";
import type { Journal, Try } from "./journal/port.ts";
import type { Json } from "./json/exact-json.ts";
import type { Route } from "./service/contract/routes.ts";

export type OutputFormat = "table" | "json" | "jsonl" | "csv";

/** The global flags after parsing and checking (rules.md, Global flags). */
export type GlobalFlags = {
  readonly output: OutputFormat;
  readonly fields?: readonly string[];
  readonly profile?: string;
  readonly sandbox: boolean;
  readonly baseUrl?: string;
  /** A whole request, in milliseconds. */
  readonly timeoutMs: number;
  /** Tries after the first. */
  readonly retries: number;
  readonly yes: boolean;
  readonly noInput: boolean;
  readonly noColor: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly utc: boolean;
};

export type Clock = {
  /** Wall clock, ms since 1970. */
  now(): number;
  /** Never goes back, ms. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
export type Random = { uuid(): string; bytes(count: number): Uint8Array /** 0 ≤ x < 1 */; fraction(): number };

export type Terminal = {
  /** stdin and stderr are terminals, and neither --no-input nor an absent one forbids asking. */
  readonly interactive: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Columns of stdout, 80 where unknown; may change. */
  width(): number;
  /** Colour on stdout, on stderr (NO_COLOR, FORCE_COLOR, TERM=dumb, --no-color). */
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Cursor movement is allowed on stderr (a terminal, not TERM=dumb, not --quiet). */
  readonly draws: boolean;
  /** A table may be redrawn in place on stdout; absent where it may not, and lines are written. */
  readonly screen?: Screen;
};

/** The window that stdout is shown in. */
export type Screen = {
  size(): { readonly columns: number; readonly rows: number };
  /** Calls each second, and when the window has changed its size, until the function it gives is called. */
  beat(onBeat: () => void): () => void;
};

export type Choice<T> = { readonly value: T; readonly name: string };
/** One line, or several of ours: a line end inside one of them begins no line. */
export type Lines = string | readonly string[];
/** What gives the same answer on the command line. A question whose answer no flag can give (a consent, a secret) has none. */
type Typable<T> = { readonly words?: (answer: T) => readonly string[] };
/** Questions, always on stderr. Ctrl-C is CliError interrupted. Never called where `terminal.interactive` is false. */
export type Prompter = {
  /** `consent`: the answer agrees to something, as every `confirm` does: what was typed before it was asked is dropped. */
  text(
    question: Typable<string> & {
      readonly message: Lines;
      readonly initial?: string;
      readonly check?: (text: string) => string | undefined;
      readonly consent?: true;
    },
  ): Promise<string>;
  /** Asked again while `check` finds fault. What was pasted behind the first line is dropped. */
  secret(question: { readonly message: Lines; readonly check?: (text: string) => string | undefined }): Promise<string>;
  confirm(question: Typable<boolean> & { readonly message: Lines; readonly initial?: boolean }): Promise<boolean>;
  /** With search where there are many. A single choice is taken without asking. */
  choose<T>(question: Typable<T> & { readonly message: Lines; readonly choices: readonly Choice<T>[] }): Promise<T>;
  /** Runs `work`, such as the check of an answer. What is typed or pasted meanwhile is neither shown nor kept for what reads next, also not for the shell. */
  unheard<T>(work: () => Promise<T>): Promise<T>;
};

/** A line on stderr that is redrawn on a terminal and absent elsewhere. A function is asked again each second: for a countdown. */
export type Progress = { update(text: string | (() => string)): void; end(): void };

export type Answer = {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** The body as it came. */
  readonly text: string;
};
export type CallInput = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Exact bytes of a JSON body. */
  readonly body?: string;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Ends pauses, and there are no more tries: what is in flight is ended by `signal` alone. */
  readonly stop?: AbortSignal;
  /** Total budget in ms over all tries; default: timeout times tries. */
  readonly budgetMs?: number;
  /** When a resumed attempt was first sent, ms since 1970: after 24 hours its key is not sent again, whatever held the request up. */
  readonly firstSentMs?: number;
  /** Called right before each try; nothing is sent if it throws. */
  readonly beforeTry?: () => Promise<void>;
  /** Called for each try as it ends, before any wait. */
  readonly onTry?: (tried: Try) => void | Promise<void>;
};
/** What a connection to the service is like, as far as it came; nothing is sent over it. */
export type Inspection = {
  /** The address that answered, and the proxy on the way to it (host:port), where there is one. */
  readonly address?: string;
  readonly proxy?: string;
  /** The service's certificate, also one that is not trusted. Times as in the certificate, readable by `Date.parse`. */
  readonly certificate?: { readonly subject: string; readonly issuer: string; readonly validFrom: string; readonly validTo: string };
  /** Why no connection came about: a transport's closed list of reasons, and a sentence. */
  readonly failure?: { readonly reason: string; readonly message: string };
};

/** The API client for one account. Throws CliError classified by rules.md's exit codes. */
export type Client = {
  /** Salted fingerprint input: the key itself never leaves the client. */
  keyFingerprint(salt: string): string;
  /** Replaces the key in what others wrote. */
  mask(text: string): string;
  /** A read (retried) or, for creating routes, all tries of ONE attempt with the same key and bytes. */
  call(route: Route, input?: CallInput): Promise<Answer>;
  /** Any path on the same origin, one request, no classification (for `api` and `doctor`). Path starts with one `/`. */
  raw(request: {
    readonly method: string;
    readonly path: string;
    readonly body?: string;
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  }): Promise<Answer & { readonly json: boolean }>;
  /** Connects and looks, for `doctor`. Absent where no connection is made (the embedded service). */
  inspect?(signal: AbortSignal): Promise<Inspection>;
  close(): Promise<void>;
};

export type Mode = "live" | "sandbox";
/** Whose money this is: where settings came from is decided once (rules.md, Where settings come from). */
export type Account = {
  /** Profile's name, `sandbox` under --sandbox, or "environment" when key and URL come from the environment. */
  readonly profile: string;
  readonly baseUrl: string;
  readonly mode: Mode;
  readonly keySource: "env" | "keystore";
  readonly storage: "file" | "keychain" | "none";
  readonly keyHint: string;
  readonly hasWithdrawalKey: boolean;
};

/** `secrets` may be empty: then nothing can be verified or signed. `header` only matters for the hmac schemes. */
export type WebhookSettings = { readonly scheme: string; readonly header?: string; readonly secrets: readonly string[] };

/** One POST to somebody's own endpoint (a forwarded or replayed callback): never with the API key, no redirects, no retries. */
export type OutboundPost = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
};
/** Names of headers in lower case. */
export type PostAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>> };
/** A callback as it arrived. `target` is path and query as on the request line; header names in lower case. */
export type InboundRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};
export type Listener = { readonly url: string; readonly port: number; close(): Promise<void> };

/** Standard streams as a protocol uses them. */
export type ProtocolStreams = { readonly input: Readable; readonly output: Writable };
export type InnerOptions = {
  readonly signal: AbortSignal;
  /** As the context's; the person's own if it is not given. */
  readonly hurry?: AbortSignal;
  /** What the command shows while it works. */
  readonly onProgress: (text: string) => void;
  /** The folder for settings, data and cache, with an empty environment; the person's own if it is not given. */
  readonly home?: string;
};
export type InnerResult = { readonly code: number; readonly stdout: string; readonly stderr: string };
/** This program, for a command that offers the other commands to somebody else. */
export type Program = {
  /** Runs one command line as if typed, without a terminal. Never rejects for what the command line did. */
  run(argv: readonly string[], options: InnerOptions): Promise<InnerResult>;
  /** Whoever takes them has standard input and output to itself. */
  streams(): ProtocolStreams;
};

/** What a command may touch. Take a narrow Pick of it. */
export type Context = {
  readonly flags: GlobalFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute folders, made on first write with mode 0700. Reading one throws CliError usage if this machine has no place for it. */
  readonly paths: { readonly config: string; readonly data: string; readonly cache: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly terminal: Terminal;
  readonly prompt: Prompter;
  /** A note for the person on stderr: absent under --json and --quiet. Text is cleaned. */
  note(text: string): void;
  progress(): Progress;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Aborted by the second: what is in flight is not waited for any more. Who listens has something in flight. */
  readonly hurry?: AbortSignal | undefined;
  /** All of standard input, bounded. Never taken as an answer to a question. */
  readStdin(maxBytes?: number): Promise<Uint8Array>;
  /** The account as set, without a request. Throws CliError config (3) if no account is set. */
  account(): Promise<Account>;
  /** The client of that account; under --sandbox over the embedded service. `bulk` keeps connections. */
  client(options?: { readonly bulk?: boolean; readonly key?: "withdrawal"; readonly passphrase?: string }): Promise<Client>;
  /** A client for a key that no profile holds yet: `login`'s check. Throws CliError usage (2) for a URL the key may not go to. */
  clientFor(baseUrl: string, apiKey: string): Promise<Client>;
  journal(): Promise<Journal>;
  /** The journal if there is one by now: none is made. */
  existingJournal(): Promise<Journal | undefined>;
  /** How callbacks are signed for this account (profile, environment, flags; the sandbox's own under --sandbox). Secrets never leave the process. */
  webhookSettings(): Promise<WebhookSettings>;
  /** Resolves with the endpoint's answer. Rejects with CliError unavailable where no answer came. */
  post(request: OutboundPost): Promise<PostAnswer>;
  /**
   * An HTTP server for callbacks; larger bodies are answered 413, and 503 says to come again. Closing lets what is being handled
   * end, for a moment. Rejects with CliError usage where the address cannot be had.
   */
  listen(options: {
    readonly host: string;
    readonly port: number;
    readonly maxBytes: number;
    readonly handle: (request: InboundRequest) => Promise<{ readonly status: number }>;
  }): Promise<Listener>;
  /** Opens a URL in the person's browser (http and https alone). */
  openUrl(url: string): Promise<void>;
  /** The version of this program. */
  readonly version: string;
  /** Absent where a command is run by itself, without the program around it. */
  readonly program?: Program;
};

import type { Inspection } from "../ports.ts";

/** One HTTP request, as the client hands it to whatever carries it. */
export type TransportRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};
export type TransportAnswer = {
  readonly status: number;
  /** Names in lower case; repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** The largest body of an answer and, apart from it, what it may unpack to. */
export const answerBytesMax = 64 * 1024 * 1024;

/** Why no complete answer arrived. `left` is false only when certainly no byte of the request left this machine. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly left: boolean;
  /** Closed list, so that nothing is decided by message text. */
  readonly reason: TransportFailure;
  /** What to do about it, if more is known than the reason says. */
  hint: string | undefined;
  constructor(reason: TransportFailure, left: boolean, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.left = left;
  }
}
const failures = {
  dns: "the service's name was not found",
  refused: "the connection was refused",
  proxy: "the proxy did not connect",
  tls: "the service's certificate was not accepted",
  timeout: "it took too long",
  reset: "the connection was lost",
  truncated: "the connection was lost in the middle of the answer",
  "too-large": "the answer was too large",
  malformed: "the answer was not HTTP",
  aborted: "interrupted",
  "bad-request": "the request could not be sent",
  "too-late": "it was too late to send it",
  other: "the connection failed",
} as const;
export type TransportFailure = keyof typeof failures;
/** Why a try that the journal recorded had no answer, in words. */
export const failureWords = (error = "no answer"): string => new Map<string, string>(Object.entries(failures)).get(error) ?? error;

export type SendOptions = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** For what creates something: called once the connection stands, right before the first byte is written. Where it throws, nothing is written and `send` rejects with its error. */
  readonly beforeWriting?: (() => void) | undefined;
};

/** Sends exactly one request: no redirects, no retries. Rejects with TransportError, and only when no complete answer arrived. */
export type Transport = {
  send(request: TransportRequest, options: SendOptions): Promise<TransportAnswer>;
  close(): Promise<void>;
  /** What a connection is like, without a request. Absent for the embedded service, which has no connection. */
  inspect?(url: URL, options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined }): Promise<Inspection>;
};

/** Raw names and values in turn as one record: names in lower case, repeated ones joined. It has no prototype: a header may be called `__proto__`. */
export const joinHeaders = (raw: readonly string[]): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
};

/** A request as it reached the service, from a socket or in process. */
export type SandboxRequest = {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Who asks, where the listener knows. */
  readonly remoteAddress?: string | undefined;
};

/** A complete answer; `delayMs` is to be waited for before it is given (scenario `slow`). */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delayMs?: number;
};
/** What happens to the connection instead of, or in the middle of, an answer. Faults are first class (sandbox.md). */
export type Drop = {
  /** `reset-before`: nothing was done. `reset-after` and `hang`: it was done, no answer comes. `truncate`: half of `reply` comes. */
  readonly drop: "reset-before" | "reset-after" | "truncate" | "hang";
  readonly reply?: Reply;
};
export type SandboxAnswer = Reply | Drop;

export const isDrop = (answer: SandboxAnswer): answer is Drop => "drop" in answer;

export const jsonReply = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(value),
});

/** A host that is always this machine, with or without a port. */
export const isLoopbackName = (host: string): boolean => /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$|^::1$/i.test(host);

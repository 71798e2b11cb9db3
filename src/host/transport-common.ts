import { setMaxListeners } from "node:events";
import { TransportError } from "../service/transport.ts";
import { startTimer } from "../timer.ts";

/** The end of a request's time: by the clock over the whole request, or by the caller. */
export type Ending = {
  /** For what takes a signal. Made when it is asked for: a batch's requests hardly ever need one. */
  signal(): AbortSignal;
  throwIfEnded(): void;
  /** Called once when the time ends. */
  onEnd(told: (reason: Error) => void): void;
  /** Why it ended; undefined while it has not. */
  ended(): "timeout" | "aborted" | undefined;
  dispose(): void;
};

export const endingOf = (timeoutMs: number, outer: AbortSignal | undefined): Ending => {
  let ended: "timeout" | "aborted" | undefined;
  let reason: Error | undefined;
  let controller: AbortController | undefined;
  const listeners: ((reason: Error) => void)[] = [];
  const end = (why: "timeout" | "aborted"): void => {
    if (reason !== undefined) return;
    ended = why;
    reason = new Error(why);
    controller?.abort(reason);
    for (const told of listeners) told(reason);
  };
  const stop = startTimer(timeoutMs, () => end("timeout"));
  const onAbort = (): void => end("aborted");
  if (outer?.aborted === true) onAbort();
  else if (outer !== undefined) {
    // A batch has many requests under one signal, which Node would take for a leak and say so on stderr.
    setMaxListeners(0, outer);
    outer.addEventListener("abort", onAbort, { once: true });
  }
  return {
    signal: () => {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort(reason);
      return controller.signal;
    },
    throwIfEnded: () => {
      if (reason !== undefined) throw reason;
    },
    onEnd: (told) => {
      if (reason === undefined) listeners.push(told);
      else told(reason);
    },
    ended: () => ended,
    dispose: () => {
      stop();
      outer?.removeEventListener("abort", onAbort);
    },
  };
};

/** The error as the port has it: what the clock or the caller ended is told as that, whatever the socket said of it. */
export const timeoutOf = (error: unknown, ending: Ending, left: boolean, timeoutMs: number): TransportError => {
  if (ending.ended() === "timeout")
    return new TransportError("timeout", left, `No complete answer arrived within ${Number((timeoutMs / 1000).toFixed(1))} s.`, error);
  if (ending.ended() === "aborted") return new TransportError("aborted", left, "The request was interrupted.", error);
  if (error instanceof TransportError) return error;
  return new TransportError("other", left, "The request failed.", error);
};

/** Raw name-value pairs as one record: lower case, repeated ones joined. A prototype-less record, as names are foreign. */
export const joinHeaders = (raw: readonly string[]): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
};

import { setMaxListeners } from "node:events";
import { TransportError } from "../client/transport.ts";

/** The largest answer that is read. */
export const bodyBytesMax = 64 * 1024 * 1024;

/** The end of a request's time: by the clock over the whole request, or by the caller. */
export type Ending = {
  readonly signal: AbortSignal;
  /** Called once when the time ends. */
  onEnd(told: (reason: unknown) => void): void;
  timedOut(): boolean;
  dispose(): void;
};

export const endingOf = (timeoutMs: number, outer: AbortSignal | undefined): Ending => {
  const controller = new AbortController();
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      controller.abort(new Error("timeout"));
    },
    Math.min(timeoutMs, 2 ** 31 - 1),
  );
  const onAbort = (): void => controller.abort(new Error("aborted"));
  if (outer?.aborted === true) onAbort();
  else if (outer !== undefined) {
    // A batch has many requests under one signal, which Node would take for a leak and say so on stderr.
    setMaxListeners(0, outer);
    outer.addEventListener("abort", onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    onEnd: (told) => {
      if (controller.signal.aborted) told(controller.signal.reason);
      else controller.signal.addEventListener("abort", () => told(controller.signal.reason), { once: true });
    },
    timedOut: () => timedOut,
    dispose: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
};

/** The error as the port has it: what the clock or the caller ended is told as that, whatever the socket said of it. */
export const timeoutOf = (error: unknown, ending: Ending, left: boolean, timeoutMs: number): TransportError => {
  if (ending.timedOut()) return new TransportError("timeout", left, `No complete answer arrived within ${Number((timeoutMs / 1000).toFixed(1))} s.`, error);
  if (ending.signal.aborted) return new TransportError("aborted", left, "The request was interrupted.", error);
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

import { setMaxListeners } from "node:events";
import { type SendOptions, TransportError } from "../service/transport.ts";
import { startTimer } from "../timer.ts";

type RequestTime = { readonly signal: AbortSignal; failure(error: unknown, left: boolean): TransportError; stop(): void };

/** Starts the clock of one whole request, from the search for its address to the last byte of its answer. */
export const startRequestTime = ({ timeoutMs, signal: callers }: Pick<SendOptions, "timeoutMs" | "signal">): RequestTime => {
  const controller = new AbortController();
  let passed = false;
  const stopTimer = startTimer(timeoutMs, () => {
    passed = !controller.signal.aborted;
    controller.abort();
  });
  const onAbort = (): void => controller.abort();
  if (callers?.aborted === true) onAbort();
  else if (callers !== undefined) {
    // A batch has many requests under one signal. Node would take its listeners for a leak and print a warning.
    setMaxListeners(0, callers);
    callers.addEventListener("abort", onAbort, { once: true });
  }
  return {
    /** Aborted when the time of the whole request has passed, or by the caller. */
    signal: controller.signal,
    /** The error that the request ends with: the end of its time goes before whatever the socket reported because of it. */
    failure: (error, left) => {
      if (passed) return new TransportError("timeout", left, `No complete answer arrived within ${Number((timeoutMs / 1000).toFixed(1))} s.`, error);
      if (controller.signal.aborted) return new TransportError("aborted", left, "The request was interrupted.", error);
      return error instanceof TransportError ? error : new TransportError("other", left, "The request failed.", error);
    },
    stop: () => {
      stopTimer();
      callers?.removeEventListener("abort", onAbort);
    },
  };
};

import { getEventListeners, setMaxListeners } from "node:events";
import { CliError } from "../errors.ts";

export type Interrupts = { readonly signal: AbortSignal; readonly hurry: AbortSignal };

/** A command that was interrupted gets this much to say what is known, ms: the first with nothing in flight, the second with a payment. */
const idleMs = 250;
const inFlightMs = 2_000;

/**
 * The first SIGINT, SIGTERM or SIGHUP aborts what runs; the second ends it at once (issue: a second Ctrl-C ends at once), with
 * no further wait for an answer. A runner that passes signals on makes two of one Ctrl-C, so the code stays true: 9 while a
 * payment is in flight, which the listeners of `hurry` tell, and otherwise what the command itself comes to, 130 if it does not end.
 */
export const watchInterrupts = (): Interrupts => {
  const first = new AbortController();
  const second = new AbortController();
  // A batch has many payments in flight under one signal, which Node would take for a leak and say so on stderr.
  setMaxListeners(0, first.signal, second.signal);
  let times = 0;
  let forced = 130;
  const onSignal = (): void => {
    times++;
    if (times === 1) first.abort(new CliError("interrupted", "Interrupted."));
    if (times === 2) {
      const inFlight = getEventListeners(second.signal, "abort").length > 0;
      if (inFlight) forced = 9;
      second.abort(new CliError("interrupted", "Interrupted."));
      setTimeout(() => process.exit(forced), inFlight ? inFlightMs : idleMs).unref();
    }
    if (times > 2) process.exit(forced);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, onSignal);
  return { signal: first.signal, hurry: second.signal };
};

import { CliError } from "../kernel/errors.ts";

export type Interrupts = { readonly signal: AbortSignal };

/** The first SIGINT, SIGTERM or SIGHUP aborts what runs; the second ends the process at once (issue: a second Ctrl-C ends at once). */
export const watchInterrupts = (): Interrupts => {
  const controller = new AbortController();
  let times = 0;
  const onSignal = (): void => {
    times++;
    if (times > 1) process.exit(130);
    controller.abort(new CliError("interrupted", "Interrupted."));
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, onSignal);
  return { signal: controller.signal };
};

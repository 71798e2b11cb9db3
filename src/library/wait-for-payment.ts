import { CliError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { Flow } from "../service/contract/limits.ts";
import { waitPauseMs } from "../service/retry.ts";
import { classifyStatus, directionOfFlow, type StatusClass } from "../transactions/status.ts";
import { readTwiceIfUnpaid } from "../transactions/sync-details.ts";

type Read<T> = () => Promise<T>;
type Waiting = {
  /** ms in all; the last look may end a little later. */
  readonly timeoutMs: number;
  readonly flow: Exclude<Flow, "all"> | undefined;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
};
export type WaitResult<T> = { readonly outcome: StatusClass /** As last read; absent if it could not be read. */; readonly transaction?: T };

/** Not seen yet, or not readable at this moment: the next look may succeed. */
const isPassing = (error: unknown): boolean => error instanceof CliError && (error.kind === "not-found" || error.kind === "unavailable");

/**
 * Looks after 1, 2, 3 and 5 s, then every 5 s, until the transaction is paid or ended unpaid, or time is up ("open"). What ended
 * unpaid is read again 3 s later to be sure. Rejects with what a look cannot recover from, such as a refused key.
 */
export const waitForEnd = async <T extends { readonly status: string }>(read: Read<T>, waiting: Waiting): Promise<WaitResult<T>> => {
  const { timeoutMs, flow, signal, clock } = waiting;
  const endsAt = clock.monotonic() + timeoutMs;
  let last: T | undefined;
  const look = async (): Promise<StatusClass> => {
    try {
      last = await read();
      return classifyStatus(last.status, flow === undefined ? "unknown" : directionOfFlow[flow]);
    } catch (error) {
      if (isPassing(error)) return "open";
      throw error;
    }
  };
  for (let poll = 0; ; poll += 1) {
    await clock.sleep(Math.max(0, Math.min(waitPauseMs(poll), endsAt - clock.monotonic())), signal);
    const outcome = await readTwiceIfUnpaid(look, (seen) => seen === "unpaid", { clock, signal });
    if (outcome !== "open" || clock.monotonic() >= endsAt) return last === undefined ? { outcome } : { outcome, transaction: last };
  }
};

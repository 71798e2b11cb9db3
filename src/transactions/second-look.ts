import type { Clock } from "../ports.ts";
import { secondLookMs } from "../service/retry.ts";

type Deps = { readonly clock: Pick<Clock, "sleep">; readonly signal: AbortSignal };

/**
 * What `read` finds; once more 3 s later if that is an end without payment, as a service may say so for a moment (rules.md, Exit codes,
 * 7). Then the second reading counts. Throws what `read` throws, and the signal's reason.
 */
export const readTwiceIfUnpaid = async <T>(read: () => Promise<T>, isUnpaid: (seen: T) => boolean, { clock, signal }: Deps): Promise<T> => {
  const first = await read();
  if (!isUnpaid(first)) return first;
  await clock.sleep(secondLookMs, signal);
  return await read();
};

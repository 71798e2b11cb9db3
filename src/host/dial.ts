import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { connect, Socket } from "node:net";
import { sleep } from "../timer.ts";

/** The socket once it is ready; otherwise it is destroyed. Rejects with its error or the signal's reason. */
export const ready = async <T extends Socket>(socket: T, event: string, signal: AbortSignal): Promise<T> => {
  // An error that comes after the first one must not end the program.
  const ignore = (): void => undefined;
  socket.on("error", ignore);
  try {
    await once(socket, event, { signal });
    socket.off("error", ignore);
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
};

/** The addresses of a host, both families in turn. Rejects with the resolver's error or the signal's reason. */
export const addressesOf = async (host: string, signal: AbortSignal): Promise<readonly string[]> => {
  signal.throwIfAborted();
  const { ADDRCONFIG, promises } = process.getBuiltinModule("node:dns");
  // Without the flag an address of a family that this machine has no network for would be tried. Windows always does so by itself.
  const hints = process.platform === "win32" ? 0 : ADDRCONFIG;
  return inTurn(await Promise.race([promises.lookup(host, { all: true, hints }), whenAborted(signal)]));
};

/** Rejects with the signal's reason when it is aborted. */
export const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

const inTurn = (found: readonly LookupAddress[]): readonly string[] => {
  const first = found.filter(({ family }) => family === found[0]?.family);
  const other = found.filter(({ family }) => family !== found[0]?.family);
  return found.flatMap((_, at) => [first[at], other[at]]).flatMap((one) => one?.address ?? []);
};

/** After this long without a connection the next address is tried beside those before (RFC 8305). */
const besideMs = 250;

/**
 * A TCP connection to the address that answers first. Node's own search gives an address up after 250 ms; here each has all the time
 * that `signal` leaves. Rejects with the first address's error once all have failed, or with the signal's reason.
 */
export const dialAny = async (addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> => {
  const [only] = addresses;
  if (only !== undefined && addresses.length === 1) return await ready(connect({ host: only, port, noDelay: true }), "connect", signal);
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const attempts: Promise<Socket>[] = [];
  let winner: Socket | undefined;
  try {
    for (const host of addresses) {
      const attempt = ready(connect({ host, port, noDelay: true }), "connect", either);
      attempts.push(attempt);
      if (attempts.length === addresses.length) break;
      const found = await Promise.race([Promise.any(attempts), attempt, sleep(besideMs, either)]).catch(() => undefined);
      if (found instanceof Socket) break;
    }
    winner = await Promise.any(attempts);
    return winner;
  } catch (error) {
    throw error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  } finally {
    over.abort();
    for (const attempt of attempts) attempt.then((socket) => socket === winner || socket.destroy()).catch(() => undefined);
  }
};

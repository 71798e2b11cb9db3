import { constants, openSync } from "node:fs";
import { Socket } from "node:net";

/**
 * What comes through a shell's pipe. As a socket and not as a file: a read of a pipe whose writer stalls holds a thread that
 * nothing can end, not even `process.exit`, while this one ends with the signal (its reason is thrown).
 */
export const pipePieces = async function* (path: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const socket = new Socket({ fd: openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)), readable: true, writable: false });
  const end = (): void => {
    socket.destroy(signal?.reason);
  };
  signal?.addEventListener("abort", end, { once: true });
  try {
    for await (const piece of socket) yield piece;
  } finally {
    signal?.removeEventListener("abort", end);
  }
};

import type { Socket } from "node:net";
import type { SendOptions, TransportAnswer } from "../service/transport.ts";
import { openConnection, type Way } from "./connect.ts";
import { exchange, type OutgoingRequest, type Reading } from "./exchange.ts";
import { startRequestTime } from "./request-time.ts";

/**
 * One request on a fresh connection, which is closed after it: whatever else arrives on it can be taken for no other request's
 * answer. The connection stands, its certificate checked, before anything of the request is written: `left` follows from that alone.
 */
export const sendOnce = async (request: OutgoingRequest, way: Way, options: SendOptions, reading: Reading): Promise<TransportAnswer> => {
  const time = startRequestTime(options);
  let left = false;
  let socket: Socket | undefined;
  try {
    socket = await openConnection(request.url, way, time.signal);
    time.signal.throwIfAborted();
    options.beforeWriting?.();
    left = true;
    return await exchange(request, socket, time.signal, reading);
  } catch (error) {
    throw time.failure(error, left);
  } finally {
    time.stop();
    socket?.destroy();
  }
};

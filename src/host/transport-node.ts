import type { Socket } from "node:net";
import type { Transport } from "../service/transport.ts";
import { openConnection, type Way } from "./connect.ts";
import { exchange } from "./exchange.ts";
import { endingOf, timeoutOf } from "./transport-common.ts";

/**
 * One request on a fresh connection that is closed after it: for commands that ask once.
 * The connection stands, certificate checked, before the request is begun: `left` follows from that alone.
 */
export const createNodeTransport = (way: Way): Transport => ({
  send: async (request, { timeoutMs, signal, beforeWriting }) => {
    const ending = endingOf(timeoutMs, signal);
    let left = false;
    let socket: Socket | undefined;
    try {
      socket = await openConnection(request.url, way, ending.signal());
      ending.throwIfEnded();
      beforeWriting?.();
      left = true;
      return await exchange(request, socket, ending);
    } catch (error) {
      throw timeoutOf(error, ending, left, timeoutMs);
    } finally {
      ending.dispose();
      socket?.destroy();
    }
  },
  inspect: async (url, options) => (await import("./inspect.ts")).inspect(url, way, options),
  close: async () => undefined,
});

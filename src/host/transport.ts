import type { Transport } from "../service/transport.ts";
import type { BulkReads } from "./bulk-reads.ts";
import type { Way } from "./connect.ts";
import { sendOnce, wholeAnswer } from "./send-once.ts";

/**
 * What carries requests to the service. Each has a fresh connection, but for the reads of a command that makes many of them
 * (`bulk`): those share kept-alive connections. A payment's connection is never used for anything else.
 */
export const createTransport = (way: Way, { bulk }: { readonly bulk: boolean }): Transport => {
  let reads: Promise<BulkReads> | undefined;
  return {
    send: async (request, options) => {
      if (!bulk || request.method !== "GET") return await sendOnce(request, way, options, wholeAnswer);
      reads ??= import("./bulk-reads.ts").then(({ createBulkReads }) => createBulkReads(way));
      return await (await reads).send(request, options);
    },
    inspect: async (url, options) => (await import("./inspect.ts")).inspect(url, way, options),
    close: async () => {
      await (await reads)?.close();
    },
  };
};

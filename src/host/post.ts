import { CliError } from "../errors.ts";
import type { OutboundPost, PostAnswer } from "../ports.ts";
import { TransportError } from "../service/transport.ts";
import type { Env } from "./proxy.ts";
import { sendOnce } from "./send-once.ts";

/**
 * One POST of exact bytes to an endpoint that is not the service: no key, no redirects, no retries. Rejects with CliError
 * unavailable if no answer came, interrupted if the signal was aborted.
 */
export const post = async (request: OutboundPost, env: Env): Promise<PostAnswer> => {
  try {
    const { status, headers } = await sendOnce({ ...request, method: "POST" }, { env }, request, { bytesMax: 1024 * 1024, statusIsEnough: true });
    return { status, headers };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    if (error.reason === "aborted") throw new CliError("interrupted", "Interrupted.", { cause: error });
    throw new CliError("unavailable", `${request.url.host} did not take the delivery: ${error.message}`, {
      hint: error.hint,
      cause: error,
      retryable: true,
    });
  }
};

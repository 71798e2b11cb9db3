import { type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { startTimer } from "../timer.ts";
import { isDrop, type SandboxAnswer, type SandboxRequest } from "./request.ts";

const lower = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Rejects when the time is over or the caller gives up: by then the request is with the service. */
const ending = (timeoutMs: number, signal: AbortSignal | undefined): { readonly over: Promise<never>; readonly dispose: () => void } => {
  let dispose = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(new TransportError("aborted", true, "The request was interrupted."));
    const stop = startTimer(timeoutMs, () =>
      reject(new TransportError("timeout", true, `No complete answer arrived within ${Math.round(timeoutMs / 100) / 10} s.`)),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
    dispose = () => {
      stop();
      signal?.removeEventListener("abort", onAbort);
    };
  });
  over.catch(() => undefined);
  return { over, dispose: () => dispose() };
};

const bytesOf = (body: string | Uint8Array): Uint8Array => (typeof body === "string" ? new TextEncoder().encode(body) : body);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

const acted = async (answer: SandboxAnswer): Promise<TransportAnswer> => {
  if (isDrop(answer)) {
    if (answer.drop === "hang") return await new Promise<never>(() => undefined);
    if (answer.drop === "truncate") throw new TransportError("truncated", true, "The answer ended in the middle.");
    throw new TransportError("reset", true, "The connection was cut before an answer came.");
  }
  if (answer.delayMs !== undefined) await pause(answer.delayMs);
  return { status: answer.status, headers: lower(answer.headers), body: bytesOf(answer.body) };
};

/** The service without a port: the same answers, and the same ways to get none. Closing it leaves the sandbox open. */
export const createSandboxTransport = (sandbox: { handle(request: SandboxRequest): Promise<SandboxAnswer> }): Transport => ({
  send: async (request: TransportRequest, { timeoutMs, signal, beforeWriting }) => {
    if (signal?.aborted === true) throw new TransportError("aborted", false, "The request was interrupted.");
    beforeWriting?.();
    const { over, dispose } = ending(timeoutMs, signal);
    try {
      const asked = { method: request.method, path: `${request.url.pathname}${request.url.search}`, headers: lower(request.headers), body: request.body ?? "" };
      return await Promise.race([sandbox.handle(asked).then(acted), over]);
    } finally {
      dispose();
    }
  },
  close: async () => undefined,
});

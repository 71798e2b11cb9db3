import type { Client, Clock } from "../../src/ports.ts";
import { type ClientOptions, createClient } from "../../src/service/client.ts";
import { type Transport, TransportError, type TransportFailure, type TransportRequest } from "../../src/service/transport.ts";

/** What one request meets. A list's last one is met for ever. */
export type Met =
  | { readonly status: number; readonly body?: string | Uint8Array; readonly headers?: Readonly<Record<string, string>>; readonly afterMs?: number }
  | { readonly fails: TransportFailure; readonly left: boolean; readonly afterMs?: number };

export type FakeWire = {
  readonly client: Client;
  readonly sent: (TransportRequest & { readonly atMs: number; readonly timeoutMs: number })[];
  readonly clock: Clock & { nowMs: number };
  readonly lines: string[];
};

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Met => ({ status, body: JSON.stringify(body), headers });

/** The real client over a scripted transport, on a clock that only sleeping and waiting move. */
export const fakeWire = (script: readonly Met[], options: Partial<ClientOptions> = {}): FakeWire => {
  const sent: FakeWire["sent"] = [];
  const lines: string[] = [];
  const clock: FakeWire["clock"] = {
    nowMs: Date.UTC(2026, 10, 28),
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      clock.nowMs += ms;
    },
  };
  const transport: Transport = {
    send: async (request, { timeoutMs, signal }) => {
      const met = script[Math.min(sent.length, script.length - 1)];
      sent.push({ ...request, atMs: clock.nowMs, timeoutMs });
      if (met === undefined) throw new Error("nothing scripted");
      clock.nowMs += Math.min(met.afterMs ?? 0, timeoutMs);
      if (signal?.aborted === true) throw new TransportError("aborted", true, "The request was interrupted.");
      if ("fails" in met) throw new TransportError(met.fails, met.left, `It failed: ${met.fails}.`);
      const body = met.body ?? "";
      return { status: met.status, headers: met.headers ?? {}, body: typeof body === "string" ? new TextEncoder().encode(body) : body };
    },
    close: async () => undefined,
  };
  const client = createClient({
    baseUrl: "https://api.example.test/base/",
    apiKey: "sk_test_1234567890",
    transport,
    timeoutMs: 10_000,
    retries: 3,
    clock,
    random: { uuid: () => "uuid", bytes: (count) => new Uint8Array(count), fraction: () => 0.5 },
    debug: (line) => lines.push(line),
    ...options,
  });
  return { client, sent, clock, lines };
};

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Run } from "../../../src/command.ts";
import { webhookListenSpec } from "../../../src/commands/webhook/spec.ts";
import { CliError } from "../../../src/errors.ts";
import { listenForCallbacks } from "../../../src/host/callback-listener.ts";
import { post } from "../../../src/host/send-once.ts";
import { type Json, parseExact } from "../../../src/json/exact-json.ts";
import type { Outcome } from "../../../src/outcome.ts";
import type { Answer, Client, Context, WebhookSettings } from "../../../src/ports.ts";
import { createHome } from "../../support/cli.ts";

import { type TypedFlags, typedInput } from "../../support/typed-input.ts";

/** What arrived at an endpoint, to the byte. */
export type Arrived = { readonly target: string; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

type Given = number | { readonly status: number; readonly headers: Readonly<Record<string, string>> };
const givenOf = (answer: Given) => (typeof answer === "number" ? { status: answer, headers: {} } : answer);

/** An endpoint of the merchant's on a loopback port; it gives the answers in order, the last one for good. */
export const startEndpoint = async (...answers: readonly Given[]): Promise<{ readonly url: string; readonly arrived: Arrived[] }> => {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      arrived.push({ target: request.url ?? "", headers: request.headers as Record<string, string>, body: Buffer.concat(chunks) });
      const { status, headers } = givenOf(answers[Math.min(arrived.length, answers.length) - 1] ?? 200);
      response.writeHead(status, { location: "http://127.0.0.1:1/", ...headers }).end("thanks");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
};

/** A port on which nothing answers. */
export const deadUrl = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
};

export type Bench = {
  readonly context: Context;
  readonly clock: { nowMs: number };
  readonly slept: number[];
  readonly notes: string[];
  readonly calls: string[];
  readonly interrupt: () => void;
};
export type BenchOptions = {
  readonly settings?: WebhookSettings;
  readonly retries?: number;
  readonly stdin?: string;
  readonly env?: Context["env"];
  /** JSON text of a transaction by id. */
  readonly transactions?: Readonly<Record<string, string>>;
};

export const apiKey = "test_key_0123456789abcdef";
export const secret = "whsec_YSBkZW1vIHNlY3JldCBvZiAzMiBieXRlcywgZmFrZSE=";

/** What the webhook commands touch: real sockets on loopback, everything else by hand. */
export const createBench = (options: BenchOptions = {}): Bench => {
  const controller = new AbortController();
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8, 0, 0) };
  const slept: number[] = [];
  const notes: string[] = [];
  const calls: string[] = [];
  const client: Pick<Client, "call" | "mask"> = {
    mask: (text) => text.replaceAll(apiKey, "****"),
    call: async (route, input) => {
      const id = input?.params?.["transactionId"] ?? "";
      calls.push(`${route.id} ${id}`);
      const text = options.transactions?.[id];
      if (text === undefined) throw new CliError("not-found", `There is no transaction ${id}.`, { status: 404 });
      return { status: 200, headers: {}, body: parseExact(text), text } satisfies Answer;
    },
  };
  const context = {
    terminal: { interactive: false },
    flags: { retries: options.retries ?? 3, timeoutMs: 5000, output: "json" },
    env: options.env ?? {},
    paths: { data: join(createHome(), "data") },
    account: async () => ({ baseUrl: "http://127.0.0.1:9", keyHint: "****cdef" }),
    clock: {
      now: () => clock.nowMs,
      monotonic: () => clock.nowMs,
      sleep: async (ms: number) => {
        slept.push(ms);
        clock.nowMs += ms;
      },
    },
    random: { fraction: () => 0.5 },
    signal: controller.signal,
    note: (text: string) => notes.push(text),
    readStdin: async () => Buffer.from(options.stdin ?? ""),
    client: async () => client,
    webhookSettings: async () => options.settings ?? { scheme: "standard-webhooks", secrets: [secret] },
    post: (request: Parameters<typeof post>[0]) => post(request, {}),
    listen: listenForCallbacks,
  };
  // The commands take a few of a context's members, and TypeScript cannot see which.
  return { context: context as unknown as Context, clock, slept, notes, calls, interrupt: () => controller.abort() };
};

export const onlyRow = (outcome: Outcome): Json => {
  if (!Array.isArray(outcome.rows)) throw new Error("rows are streamed");
  return outcome.rows[0];
};

/** A listener as it runs: `next` gives one row after the other. */
export const startListening = async (
  run: Run<typeof webhookListenSpec>,
  bench: Bench,
  flags: TypedFlags,
): Promise<{ readonly outcome: Outcome; readonly url: string; next: () => Promise<Json | undefined> }> => {
  const outcome = await run(typedInput(webhookListenSpec, { port: "0", ...flags }), bench.context);
  if (Array.isArray(outcome.rows)) throw new Error("rows are not streamed");
  const iterator = (outcome.rows as AsyncIterable<readonly Json[]>)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await iterator.return?.();
  });
  const next = async (): Promise<Json | undefined> => {
    const result = await iterator.next();
    return result.done === true ? undefined : result.value[0];
  };
  const first = await next();
  return { outcome, url: String((first as Record<string, Json>)["url"]), next };
};

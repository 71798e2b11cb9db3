import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import type { Post } from "../../src/sandbox/callback-sender.ts";
import { createRouter } from "../../src/sandbox/parse-request.ts";
import { isDrop, type Reply, type SandboxRequest } from "../../src/sandbox/request.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { schemas } from "../../src/service/contract/schemas.ts";
import { openApiProblems } from "../support/openapi.ts";

export const local = "/api/v1/merchants/payments";
export const global = "/api/v1/global";

export type Got = { readonly status: number; readonly body: Body; readonly text: string; readonly headers: Readonly<Record<string, string>> };
/** A reply as JSON.parse gives it: a test says itself what it expects in it. */
export type Body = ReturnType<typeof JSON.parse>;
export type AskOptions = { readonly key?: string; readonly idempotencyKey?: string; readonly headers?: Record<string, string>; readonly text?: string };
export type Posted = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };

export type Bench = {
  readonly sandbox: Sandbox;
  readonly clock: { nowMs: number };
  readonly posted: Posted[];
  ask(method: string, path: string, body?: unknown, options?: AskOptions): Promise<Got>;
  /** As `ask`, where the connection is cut. */
  drop(method: string, path: string, body?: unknown, options?: AskOptions): Promise<string>;
  control(method: string, path: string, body?: unknown): Promise<Got>;
  /** Moves the real clock and does what is due. */
  wait(ms: number): Promise<void>;
  push(more?: object, options?: AskOptions): Promise<Got>;
  payout(more?: object, options?: AskOptions): Promise<Got>;
  transaction(id: string): Promise<Body>;
  wallet(): Promise<Body>;
};

const matchRoute = createRouter();
/** Every reply of the service is as the contract has it, and every error has the one shape. */
const checkReply = ({ method, path }: SandboxRequest, { status, headers, body }: Reply): void => {
  const matched = matchRoute(method, path.split("?")[0] ?? "");
  if (matched === undefined || "allow" in matched || headers["content-type"]?.startsWith("application/json") !== true) return;
  expect(openApiProblems(matched.route, status, JSON.parse(body))).toEqual([]);
  if (status === 200) schemas[matched.route.id].reply.parse(JSON.parse(body));
  else
    z.strictObject({ success: z.literal(false), code: z.string(), message: z.string(), field: z.string().optional(), requestId: z.string() }).parse(
      JSON.parse(body),
    );
};

/** A sandbox with a clock that stands still, and callbacks that are caught. */
export const bench = async (
  options: { readonly data?: string; readonly seed?: number; readonly answer?: (posted: Posted, count: number) => number } = {},
): Promise<Bench> => {
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const posted: Posted[] = [];
  const post: Post = async (url, headers, body) => {
    const one = { url: url.href, headers, body };
    posted.push(one);
    const status = options.answer?.(one, posted.length) ?? 200;
    if (status === 0) throw new Error("connection refused");
    return { status };
  };
  const opened = await createSandbox({ data: options.data ?? "ephemeral", seed: options.seed ?? 1, clock: { now: () => clock.nowMs }, post });
  onTestFinished(() => opened.close());
  const sandbox: Sandbox = {
    ...opened,
    handle: async (request) => {
      const answer = await opened.handle(request);
      if (!isDrop(answer)) checkReply(request, answer);
      return answer;
    },
  };
  const send = (method: string, path: string, body: unknown, { key, idempotencyKey, headers, text }: AskOptions = {}) =>
    sandbox.handle({
      method,
      path,
      headers: {
        authorization: `Bearer ${key ?? sandbox.apiKey}`,
        ...(body === undefined && text === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...headers,
      },
      body: text ?? (body === undefined ? "" : JSON.stringify(body)),
    });
  const ask: Bench["ask"] = async (method, path, body, asked) => {
    const answer = await send(method, path, body, asked);
    if ("drop" in answer) throw new Error(`dropped: ${answer.drop}`);
    const found = String(answer.body);
    return { status: answer.status, text: found, headers: answer.headers, body: found.startsWith("{") ? JSON.parse(found) : found };
  };
  const made: Bench = {
    sandbox,
    clock,
    posted,
    ask,
    drop: async (method, path, body, asked) => {
      const answer = await send(method, path, body, asked);
      return "drop" in answer ? answer.drop : `answered ${answer.status}`;
    },
    control: (method, path, body) => ask(method, `/_sandbox/${path}`, body),
    wait: async (ms) => {
      clock.nowMs += ms;
      await sandbox.tick();
    },
    push: (more = {}, asked = {}) => ask("POST", `${local}/stk-push`, { phone: "254712345678", amount: 150, reference: "INV-1", ...more }, asked),
    payout: (more = {}, asked = {}) => ask("POST", `${local}/b2c`, { phone: "254712345678", amount: 1000, reference: "PAY-1", ...more }, asked),
    transaction: async (id) => (await ask("GET", `${local}/transactions/${id}`)).body,
    wallet: async () => (await ask("GET", `${local}/wallet`)).body.wallet,
  };
  return made;
};

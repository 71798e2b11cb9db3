import type { DeliveryTry, Fault, FaultKind, LoggedRequest, PromptAction } from "./engine/entities.ts";
import type { ScenarioName } from "./engine/scenarios.ts";
import { isDrop } from "./request.ts";
import { createSandbox as openSandbox } from "./sandbox.ts";
import { serveSandbox } from "./serve.ts";

export type SandboxOptions = {
  /** 0 (default) takes a free one, on 127.0.0.1. */
  readonly port?: number;
  /** The same seed and calls give the same ids, receipts and key; random where absent. */
  readonly seed?: number;
  /** How soon a prompt approves itself, ms (3000); null: it waits for `answerPrompt`. */
  readonly autoApproveAfterMs?: number | null;
  /**
   * What time it is, in ms since 1970; the machine's time where absent. With a seed and a clock that stands still the same calls
   * give the same answers to the last digit. `advance` moves on from it, and callbacks are signed at its time.
   */
  readonly clock?: { now(): number };
};

export type WalletName = "balance" | "b2c" | "global";
export type { Fault, FaultKind, PromptAction, ScenarioName };
/** A prompt that waits on a phone: of a push, or of a collection over a PUSH rail, whose `transactionId` is its reference (GC-…). */
export type Prompt = {
  readonly transactionId: string;
  readonly kind: "stk" | "collection";
  readonly phone: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  readonly description?: string;
  readonly status: string;
  readonly createdAt: string;
};
/** A callback, with every try and its answer. */
export type Delivery = {
  readonly id: string;
  readonly type: string;
  readonly transactionId: string;
  readonly url: string;
  readonly state: "due" | "delivered" | "failed" | "lost";
  readonly createdAt: string;
  readonly nextTryAt?: string;
  readonly tries: readonly DeliveryTry[];
  /** Exactly what is posted. */
  readonly body: string;
};
/** A posting, newest first. Amounts in KES, debits negative. */
export type LedgerEntry = {
  readonly _id: string;
  readonly type: string;
  readonly amount: number;
  readonly balanceAfter: number;
  readonly status: string;
  readonly reference: string;
  readonly description: string;
  readonly createdAt: string;
  readonly transactionId?: string;
};
/** A request as it was seen, newest first; `status` is absent where the connection was cut. */
export type SeenRequest = LoggedRequest;

/** A sandbox of your own test. Every method rejects with an Error in words where the sandbox refuses. */
export type Sandbox = {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  /** The dashboard, to look at while a test is stopped. */
  readonly dashboardUrl: string;
  /** May do all, control included. */
  readonly apiKey: string;
  /** Callbacks are signed with it (Standard Webhooks). */
  readonly webhookSecret: string;
  /** Everything as at the start; key, secret and clock stay. */
  reset(): Promise<void>;
  /** What time it is in the sandbox, in ms since 1970. */
  now(): Promise<number>;
  /** Moves the sandbox's clock on by whole milliseconds; what falls due on the way happens, callbacks included. */
  advance(ms: number): Promise<void>;
  /** Sets the clock back to the machine's time, or to that of `clock`. */
  backToNow(): Promise<void>;
  /** Adds KES; a negative amount takes away, so that 402 can be tried. */
  topup(wallet: WalletName, amount: number): Promise<void>;
  prompts(): Promise<readonly Prompt[]>;
  answerPrompt(transactionId: string, action: PromptAction): Promise<void>;
  setAutoApprove(ms: number | null): Promise<void>;
  /** What the provider says of a collection (GC-…). */
  settleCollection(reference: string, action: "confirm" | "fail"): Promise<void>;
  /** What the provider says of a withdrawal (GD-…). */
  settleDisbursement(reference: string, action: "complete" | "fail"): Promise<void>;
  deliveries(): Promise<readonly Delivery[]>;
  resend(deliveryId: string): Promise<void>;
  /** The next creations meet this scenario (`no-funds`, `callback-lost`, …), whatever phone they name: the next one, or the next `times`. */
  arm(scenario: ScenarioName, times?: number): Promise<void>;
  /** Replaces the faults that stand; `[]` ends them. */
  setFaults(faults: readonly Fault[]): Promise<void>;
  requests(): Promise<readonly SeenRequest[]>;
  ledger(wallet: WalletName | "b2cHeld" | "globalHeld"): Promise<readonly LedgerEntry[]>;
  /** A key that may do less: `wallet:read`, `payments:read`, `payments:write`, `global:read`, `global:write`. */
  createKey(scopes: readonly string[]): Promise<string>;
  /** Any control request under `/_sandbox/`, for what has no name here: `control("POST", "crypto", { asset: "USDT", amount: 25 })`. */
  control(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
};

/**
 * Starts the whole service on a port of 127.0.0.1, in memory: nothing is written to disk.
 * Rejects where the port is in use.
 */
export const createSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const sandbox = await openSandbox({ data: "ephemeral", seed: options.seed, clock: options.clock });
  const listening = await serveSandbox(sandbox, { port: options.port ?? 0, clock: options.clock });
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await sandbox.handle({
      method,
      path: `/_sandbox/${path}`,
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
      body: body === undefined ? "" : JSON.stringify(body),
    });
    return resultOf(answer, `${method} /_sandbox/${path}`);
  };
  const segment = encodeURIComponent;
  const api: Sandbox = {
    url: listening.baseUrl,
    dashboardUrl: `${listening.baseUrl}/`,
    apiKey: sandbox.apiKey,
    webhookSecret: sandbox.webhookSecret,
    reset: async () => void (await control("POST", "reset")),
    now: async () => Date.parse(textIn(await control("GET", "clock"), "now")),
    advance: async (ms) => {
      await control("POST", "clock", { advanceMs: ms });
      await sandbox.tick();
    },
    backToNow: async () => void (await control("POST", "clock", { toNow: true })),
    topup: async (wallet, amount) => void (await control("POST", "topup", { wallet, amount })),
    prompts: async () => listIn<Prompt>(await control("GET", "prompts"), "prompts"),
    answerPrompt: async (id, action) => void (await control("POST", `prompts/${segment(id)}`, { action })),
    setAutoApprove: async (ms) => void (await control("PUT", "settings", { autoApproveAfterMs: ms })),
    settleCollection: async (reference, action) => void (await control("POST", `collections/${segment(reference)}`, { action })),
    settleDisbursement: async (reference, action) => void (await control("POST", `disbursements/${segment(reference)}`, { action })),
    deliveries: async () => listIn<Delivery>(await control("GET", "deliveries"), "deliveries"),
    resend: async (id) => {
      await control("POST", `deliveries/${segment(id)}/resend`);
      await sandbox.tick();
    },
    arm: async (scenario, times = 1) => void (await control("POST", "arm", { scenario, times })),
    setFaults: async (faults) => void (await control("PUT", "faults", faults)),
    requests: async () => listIn<SeenRequest>(await control("GET", "requests"), "requests"),
    ledger: async (wallet) => listIn<LedgerEntry>(await control("GET", `ledger?wallet=${wallet}`), "entries"),
    createKey: async (scopes) => textIn(await control("POST", "keys", { scopes }), "apiKey"),
    control,
    close: async () => {
      await listening.close();
      await sandbox.close();
    },
  };
  if (options.autoApproveAfterMs !== undefined) await api.setAutoApprove(options.autoApproveAfterMs);
  return api;
};

const resultOf = (answer: Awaited<ReturnType<Awaited<ReturnType<typeof openSandbox>>["handle"]>>, what: string): unknown => {
  if (isDrop(answer)) throw new Error(`${what} was cut off by a fault.`);
  const text = typeof answer.body === "string" ? answer.body : new TextDecoder().decode(answer.body);
  const isJson = (answer.headers["content-type"] ?? "").startsWith("application/json");
  const value: unknown = isJson ? JSON.parse(text) : text;
  if (answer.status < 300) return value;
  throw new Error(`${what} was answered ${answer.status}: ${isJson ? textIn(value, "message") : text}`);
};

const fieldIn = (value: unknown, name: string): unknown => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined);
const textIn = (value: unknown, name: string): string => String(fieldIn(value, name) ?? "");
const listIn = <T>(value: unknown, name: string): readonly T[] => {
  const list = fieldIn(value, name);
  return Array.isArray(list) ? list : [];
};

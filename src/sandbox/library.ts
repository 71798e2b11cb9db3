import type { waitingPrompts } from "./control.ts";
import type { Fault, FaultKind, LoggedRequest, PromptAction } from "./engine/entities.ts";
import type { ScenarioName } from "./engine/scenarios.ts";
import type { deliveryView, entryDetail } from "./engine/views.ts";
import { isDrop, type SandboxAnswer } from "./request.ts";
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
export type Prompt = ReturnType<typeof waitingPrompts>[number];
/** A callback, with every try and its answer; `body` is exactly what is posted. */
export type Delivery = ReturnType<typeof deliveryView>;
/** A posting, newest first. Amounts in KES, debits negative. */
export type LedgerEntry = ReturnType<typeof entryDetail>;
/** A request as it was seen, newest first; `status` is absent where the connection was cut. */
export type SeenRequest = LoggedRequest;
/** A sandbox of your own test. Every method rejects with an Error in words where the sandbox refuses. */
export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

/**
 * Starts the whole service on a port of 127.0.0.1, in memory: nothing is written to disk.
 * Rejects where the port is in use.
 */
export const createSandbox = async (options: SandboxOptions = {}) => {
  const sandbox = await openSandbox({ data: "ephemeral", seed: options.seed, clock: options.clock });
  const listening = await serveSandbox(sandbox, { port: options.port ?? 0 });
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await sandbox.handle({
      method,
      path: `/_sandbox/${path}`,
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
      body: body === undefined ? "" : JSON.stringify(body),
    });
    return resultOf(answer, `${method} /_sandbox/${path}`);
  };
  const change = async (method: "POST" | "PUT", path: string, body?: unknown): Promise<void> => void (await ask(method, path, body));
  const one = encodeURIComponent;
  const setAutoApprove = (ms: number | null): Promise<void> => change("PUT", "settings", { autoApproveAfterMs: ms });
  if (options.autoApproveAfterMs !== undefined) await setAutoApprove(options.autoApproveAfterMs);
  return {
    /** The base URL, without a slash at its end. */
    url: listening.baseUrl,
    /** The dashboard, to look at while a test is stopped. */
    dashboardUrl: `${listening.baseUrl}/`,
    /** May do all, control included. */
    apiKey: sandbox.apiKey,
    /** Callbacks are signed with it (Standard Webhooks). */
    webhookSecret: sandbox.webhookSecret,
    /** Everything as at the start; key, secret and clock stay. */
    reset: () => change("POST", "reset"),
    /** What time it is in the sandbox, in ms since 1970. */
    now: async (): Promise<number> => Date.parse((await ask<{ readonly now: string }>("GET", "clock")).now),
    /** Moves the sandbox's clock on by whole milliseconds; what falls due on the way happens, callbacks included. */
    advance: async (ms: number): Promise<void> => {
      await ask("POST", "clock", { advanceMs: ms });
      await sandbox.tick();
    },
    /** Sets the clock back to the machine's time, or to that of `clock`. */
    backToNow: () => change("POST", "clock", { toNow: true }),
    /** Adds KES; a negative amount takes away, so that 402 can be tried. */
    topup: (wallet: WalletName, amount: number) => change("POST", "topup", { wallet, amount }),
    prompts: async () => (await ask<{ readonly prompts: readonly Prompt[] }>("GET", "prompts")).prompts,
    answerPrompt: (transactionId: string, action: PromptAction) => change("POST", `prompts/${one(transactionId)}`, { action }),
    setAutoApprove,
    /** What the provider says of a collection (GC-…). */
    settleCollection: (reference: string, action: "confirm" | "fail") => change("POST", `collections/${one(reference)}`, { action }),
    /** What the provider says of a withdrawal (GD-…). */
    settleDisbursement: (reference: string, action: "complete" | "fail") => change("POST", `disbursements/${one(reference)}`, { action }),
    deliveries: async () => (await ask<{ readonly deliveries: readonly Delivery[] }>("GET", "deliveries")).deliveries,
    resend: async (deliveryId: string): Promise<void> => {
      await ask("POST", `deliveries/${one(deliveryId)}/resend`);
      await sandbox.tick();
    },
    /** The next creations meet this scenario (`no-funds`, `callback-lost`, …), whatever phone they name: the next one, or the next `times`. */
    arm: (scenario: ScenarioName, times = 1) => change("POST", "arm", { scenario, times }),
    /** Replaces the faults that stand; `[]` ends them. */
    setFaults: (faults: readonly Fault[]) => change("PUT", "faults", faults),
    requests: async () => (await ask<{ readonly requests: readonly SeenRequest[] }>("GET", "requests")).requests,
    ledger: async (wallet: WalletName | "b2cHeld" | "globalHeld") =>
      (await ask<{ readonly entries: readonly LedgerEntry[] }>("GET", `ledger?wallet=${wallet}`)).entries,
    /** A key that may do less: `wallet:read`, `payments:read`, `payments:write`, `global:read`, `global:write`. */
    createKey: async (scopes: readonly string[]) => (await ask<{ readonly apiKey: string }>("POST", "keys", { scopes })).apiKey,
    /** Any control request under `/_sandbox/`, for what has no name here: `control("POST", "crypto", { asset: "USDT", amount: 25 })`. */
    control: (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => ask<unknown>(method, path, body),
    close: async (): Promise<void> => {
      await listening.close();
      await sandbox.close();
    },
  };
};

/** The answer's JSON, or its text. */
const resultOf = (answer: SandboxAnswer, what: string) => {
  if (isDrop(answer)) throw new Error(`${what} was cut off by a fault.`);
  const isJson = (answer.headers["content-type"] ?? "").startsWith("application/json");
  const value = isJson ? JSON.parse(answer.body) : answer.body;
  if (answer.status < 300) return value;
  throw new Error(`${what} was answered ${answer.status}: ${isJson ? value.message : value}`);
};

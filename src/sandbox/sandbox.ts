import { join } from "node:path";
import { CliError } from "../errors.ts";
import { type Database, databaseFault, openDatabase } from "../storage/sqlite.ts";
import { type App, createApp, type Handled, replyToFault } from "./app.ts";
import { type CallbackSender, createCallbackSender, type Post } from "./callback-sender.ts";
import { checkoutToken } from "./endpoints.ts";
import type { DeliveryTry, LoggedRequest, Transaction } from "./engine/entities.ts";
import { seedMerchant } from "./engine/merchant.ts";
import { decide, find } from "./engine/payments.ts";
import { lettersOf, type Unit } from "./engine/unit.ts";
import type { SandboxAnswer, SandboxRequest } from "./request.ts";
import { createRequestLog, type RequestLog } from "./request-log.ts";
import { createStateQueue, type StateDependencies, type StateQueue } from "./state-queue.ts";

export type SandboxEvent =
  | { readonly kind: "request"; readonly request: LoggedRequest }
  | { readonly kind: "delivery"; readonly id: string; readonly type: string; readonly url: string; readonly tried: DeliveryTry }
  | { readonly kind: "change" }
  /** The sandbox is about to close. */
  | { readonly kind: "end" };

export type SandboxOptions = {
  /** A folder, or `ephemeral`: kept in memory alone. */
  readonly data: string;
  /** Only for a new one; random if absent. */
  readonly seed?: number | undefined;
  readonly clock?: { now(): number } | undefined;
  /** How callbacks are posted; over node:http unless given. */
  readonly post?: Post | undefined;
  readonly baseUrl?: string | undefined;
};

export type Sandbox = {
  handle(request: SandboxRequest): Promise<SandboxAnswer>;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Does what is due by now, callbacks included; resolves when they were tried. */
  tick(): Promise<void>;
  /** The same, but waits for no callback's answer. */
  look(): Promise<void>;
  /** When the next thing is due, by the real clock, ms; undefined while nothing is. */
  nextDueMs(): Promise<number | undefined>;
  /** Calls `listener` for requests, deliveries and changes. `watchesPhone`: prompts wait while it listens. */
  subscribe(listener: (event: SandboxEvent) => void, options?: { readonly watchesPhone?: boolean }): () => void;
  /** Tells listeners that it is about to close. */
  endStreams(): void;
  /** Where checkout links lead. */
  setBaseUrl(baseUrl: string): void;
  /** The collection of a checkout link; undefined if reference and token do not belong together. */
  findCheckout(reference: string, token: string): Promise<Transaction | undefined>;
  settleCollection(reference: string, action: "confirm" | "fail"): Promise<Transaction>;
  close(): Promise<void>;
};

/** A folder that can't be written, a full disk, a file that is no database: the user can repair it, so it is exit code 2 (rules.md, Exit codes). */
const openState = async (data: string, dependencies: Omit<StateDependencies, "database">): Promise<StateQueue> => {
  const path = data === "ephemeral" ? ":memory:" : join(data, "sandbox.db");
  let database: Database | undefined;
  try {
    database = await openDatabase(path);
    return createStateQueue({ ...dependencies, database });
  } catch (cause) {
    database?.close();
    if (cause instanceof CliError) throw cause;
    const { reason, hint } = databaseFault(path, cause, "move that file away, or choose another folder with --data DIR");
    throw new CliError("usage", `The sandbox cannot keep its data in ${path}: ${reason}.`, { cause, hint });
  }
};

const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;

/** The whole service on a folder, or in memory. Throws CliError usage if no SQLite can be loaded or the folder cannot be used. */
export const createSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const clock = options.clock ?? { now: () => Date.now() };
  const listeners = new Map<(event: SandboxEvent) => void, boolean>();
  const emit = (event: SandboxEvent): void => {
    for (const listener of listeners.keys()) listener(event);
  };
  const phoneIsWatched = (): boolean => [...listeners.values()].includes(true);
  const queue = await openState(options.data, { now: () => clock.now(), phoneIsWatched, onChange: () => emit({ kind: "change" }) });
  const core = await queue.run((unit) => {
    if (unit.core.keys.length === 0) seedMerchant(unit, { seed: options.seed ?? randomSeed() });
    return { ...unit.core };
  });
  let baseUrl = options.baseUrl ?? "http://sandbox.localhost";
  let requestCount = 0;
  const requestId = (): string => {
    requestCount += 1;
    return `req_${lettersOf(core.seed + 3, requestCount, 16)}`;
  };
  const app = createApp({ baseUrl: () => baseUrl, requestId });
  const callbacks = createCallbackSender({
    queue,
    clock,
    post: options.post,
    onTried: (delivery, tried) => emit({ kind: "delivery", id: delivery.id, type: delivery.type, url: delivery.url, tried }),
  });

  const log = createRequestLog({ queue, clock, onRequest: (request) => emit({ kind: "request", request }) });

  const handle = createHandler({ queue, callbacks, log, clock, app, requestId });
  const look = async (): Promise<number> => {
    await queue.run(() => undefined, "read");
    await log.saveIfDue();
    return await callbacks.sendDue();
  };

  return {
    handle,
    apiKey: core.keys[0]?.apiKey ?? "",
    webhookSecret: core.webhookSecret,
    tick: async () => {
      for (let sent = 1; sent > 0; ) {
        sent = await look();
        await callbacks.allTried();
      }
    },
    look: async () => void (await look()),
    nextDueMs: () => queue.run(nextDueMs, "read"),
    subscribe: (listener, { watchesPhone = false } = {}) => {
      listeners.set(listener, watchesPhone);
      return () => listeners.delete(listener);
    },
    endStreams: () => emit({ kind: "end" }),
    setBaseUrl: (url) => {
      baseUrl = url;
    },
    findCheckout: (reference, token) => queue.run((unit) => findCheckout(unit, reference, token), "read"),
    settleCollection: (reference, action) => queue.run((unit) => decide(unit, find(unit, reference, "The collection", "collection"), action === "confirm")),
    close: async () => {
      await callbacks.settle();
      await log.save().catch(() => undefined);
      queue.close();
    },
  };
};

type HandlerDependencies = {
  readonly queue: StateQueue;
  readonly callbacks: CallbackSender;
  readonly log: RequestLog;
  readonly clock: { now(): number };
  readonly app: App;
  readonly requestId: () => string;
};
const createHandler = ({ queue, callbacks, log, clock, app, requestId }: HandlerDependencies): Sandbox["handle"] => {
  /** Some of what is looked at or moved by hand has to be up to date first. */
  const prepare = async ({ method, path }: SandboxRequest): Promise<void> => {
    if (path.startsWith("/_sandbox/requests")) await log.save();
    if (method === "POST" && path === "/_sandbox/clock") await callbacks.catchUp();
  };
  const answer = async (request: SandboxRequest): Promise<Handled> => {
    try {
      const isRead = request.method === "GET" || request.method === "HEAD";
      return await queue.run((unit) => app(unit, request), isRead ? "read" : "write");
    } catch (error) {
      return { answer: replyToFault(error, requestId()) };
    }
  };
  return async (request) => {
    const startedMs = clock.now();
    await prepare(request);
    const handled = await answer(request);
    if (handled.callbacksFirst !== undefined) await callbacks.deliver(handled.callbacksFirst);
    log.add(request, handled, startedMs);
    return handled.answer;
  };
};

const nextDueMs = (unit: Unit): number | undefined => {
  const due = (["tx", "delivery"] as const).flatMap((kind) => unit.nextDueMs(kind) ?? []);
  return due.length === 0 ? undefined : Math.min(...due) - unit.core.clockOffsetMs;
};

const findCheckout = (unit: Unit, reference: string, token: string): Transaction | undefined => {
  const found = unit.get("tx", reference);
  return found?.metadata["flow"] === "REDIRECT" && checkoutToken(unit.core.seed, reference) === token ? found : undefined;
};

import { join } from "node:path";
import { CliError } from "../errors.ts";
import { type Database, databaseFault, openDatabase } from "../storage/sqlite.ts";
import type { Handled } from "./app.ts";
import { createCallbackSender, type Post } from "./callback-sender.ts";
import { checkoutToken } from "./endpoints.ts";
import type { Delivery, DeliveryTry, LoggedRequest, Transaction } from "./engine/entities.ts";
import { seedMerchant } from "./engine/merchant.ts";
import { decide, find } from "./engine/payments.ts";
import { lettersOf, type Unit } from "./engine/unit.ts";
import type { SandboxAnswer, SandboxRequest } from "./request.ts";
import { createRequestLog } from "./request-log.ts";
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

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

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

const createEvents = () => {
  const listeners = new Map<(event: SandboxEvent) => void, boolean>();
  return {
    emit: (event: SandboxEvent): void => {
      for (const listener of listeners.keys()) listener(event);
    },
    phoneIsWatched: (): boolean => [...listeners.values()].includes(true),
    /** Calls `listener` for requests, deliveries and changes. `watchesPhone`: prompts wait while it listens. */
    subscribe: (listener: (event: SandboxEvent) => void, { watchesPhone = false } = {}): (() => void) => {
      listeners.set(listener, watchesPhone);
      return () => void listeners.delete(listener);
    },
  };
};

/** The whole service on a folder, or in memory. Throws CliError usage if no SQLite can be loaded or the folder cannot be used. */
export const createSandbox = async (options: SandboxOptions) => {
  const clock = options.clock ?? { now: () => Date.now() };
  const { emit, phoneIsWatched, subscribe } = createEvents();
  const queue = await openState(options.data, { now: () => clock.now(), phoneIsWatched, onChange: () => emit({ kind: "change" }) });
  const { seed, keys, webhookSecret } = await queue.run((unit) => {
    if (unit.core.keys.length === 0) seedMerchant(unit, { seed: options.seed ?? randomSeed() });
    return { ...unit.core };
  });
  let baseUrl = options.baseUrl ?? "http://sandbox.localhost";
  let requestCount = 0;
  const requestId = (): string => {
    requestCount += 1;
    return `req_${lettersOf(seed + 3, requestCount, 16)}`;
  };
  let loading: ReturnType<typeof loadApp> | undefined;
  const onTried = ({ id, type, url }: Delivery, tried: DeliveryTry): void => emit({ kind: "delivery", id, type, url, tried });
  const callbacks = createCallbackSender({ queue, clock, post: options.post, onTried });
  const log = createRequestLog({ queue, clock, onRequest: (request) => emit({ kind: "request", request }) });
  const answer = async (request: SandboxRequest): Promise<Handled> => {
    // Some of what is looked at or moved by hand has to be up to date first.
    if (request.path.startsWith("/_sandbox/requests")) await log.save();
    if (request.method === "POST" && request.path === "/_sandbox/clock") await callbacks.catchUp();
    loading ??= loadApp(queue, { baseUrl: () => baseUrl, requestId });
    return await (await loading)(request);
  };
  const look = async (): Promise<number> => {
    await queue.run(() => undefined, "read");
    await log.saveIfDue();
    return await callbacks.sendDue();
  };

  return {
    apiKey: keys[0]?.apiKey ?? "",
    webhookSecret,
    handle: async (request: SandboxRequest): Promise<SandboxAnswer> => {
      const startedMs = clock.now();
      const handled = await answer(request);
      if (handled.callbacksFirst !== undefined) await callbacks.deliver(handled.callbacksFirst);
      log.add(request, handled, startedMs);
      return handled.answer;
    },
    /** Does what is due by now, callbacks included; resolves when they were tried. */
    tick: async (): Promise<void> => {
      while ((await look()) > 0) await callbacks.allTried();
      await callbacks.allTried();
    },
    /** The same, but waits for no callback's answer. */
    look: async (): Promise<void> => void (await look()),
    subscribe,
    /** Tells listeners that it is about to close. */
    endStreams: () => emit({ kind: "end" }),
    /** Where checkout links lead. */
    setBaseUrl: (url: string): void => {
      baseUrl = url;
    },
    /** The collection of a checkout link; undefined if reference and token do not belong together. */
    findCheckout: (reference: string, token: string) => queue.run((unit) => findCheckout(unit, reference, token), "read"),
    settleCollection: (reference: string, action: "confirm" | "fail") =>
      queue.run((unit) => decide(unit, find(unit, reference, "The collection", "collection"), action === "confirm")),
    close: async (): Promise<void> => {
      await callbacks.settle();
      await log.save().catch(() => undefined);
      queue.close();
    },
  };
};

/** What checks and answers requests takes longer to load than all before it: it is loaded with the first one. */
const loadApp = async (queue: StateQueue, options: { readonly baseUrl: () => string; readonly requestId: () => string }) => {
  const { createApp, replyToFault } = await import("./app.ts");
  const app = createApp(options);
  return (request: SandboxRequest): Promise<Handled> => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    return queue.run((unit) => app(unit, request), isRead ? "read" : "write").catch((error: unknown) => ({ answer: replyToFault(error, options.requestId()) }));
  };
};

const findCheckout = (unit: Unit, reference: string, token: string): Transaction | undefined => {
  const found = unit.get("tx", reference);
  return found?.metadata["flow"] === "REDIRECT" && checkoutToken(unit.core.seed, reference) === token ? found : undefined;
};

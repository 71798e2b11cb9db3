import { signDelivery } from "../webhooks/webhook-signature.ts";
import { claimDeliveries, recordTry, type TryResult } from "./engine/callbacks.ts";
import type { Delivery, DeliveryTry } from "./engine/entities.ts";
import { isoOf } from "./engine/unit.ts";
import type { StateQueue } from "./state-queue.ts";

/** Posts one callback; rejects if no answer came or `signal` aborted. */
export type Post = (url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) => Promise<{ readonly status: number }>;
export type CallbackSender = {
  /** Sends what is due now, and waits for no answer: an endpoint that hangs holds nobody else up. Resolves with how many were sent. */
  sendDue(): Promise<number>;
  /** Waits until all that is on its way was tried, whoever sent it. */
  allTried(): Promise<void>;
  /** Sends what is due now, and waits until that of this transaction was tried, whoever sent it. */
  deliver(transactionId: string): Promise<void>;
  /** Sends what is due and waits a moment for the answers: before the clock is moved, so that its tries say when they were made. */
  catchUp(): Promise<void>;
  /** Waits a moment for what is on its way, then gives it up; it is sent again when its lease has run out. Nothing is sent after. */
  settle(): Promise<void>;
};

type Sending = { readonly secret: string; readonly sentMs: number };

const batch = 25;
/** So many hang at once before the others wait for one of them. */
const underWayMax = 200;
const patienceMs = 1_000;

/** Waits for it, but for a moment at most. */
const patiently = async (work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
};

const defaultPost: Post = async (url, headers, body, signal) => {
  const { postCallback } = await import("./post-callback.ts");
  return await postCallback(url, headers, body, signal);
};

const wrongSecret = `whsec_${Buffer.from("not the secret of this merchant").toString("base64")}`;
const headersOf = ({ eventId, body, badSignature }: Delivery, secret: string, signedAtMs: number): Readonly<Record<string, string>> => ({
  "content-type": "application/json",
  "user-agent": "payments-sandbox",
  ...signDelivery({
    scheme: "standard-webhooks",
    secrets: [badSignature === true ? wrongSecret : secret],
    id: eventId,
    timestampSeconds: Math.floor(signedAtMs / 1000),
    body: Buffer.from(body, "utf8"),
  }),
});

const outcomeOf = async (send: () => ReturnType<Post>): Promise<Pick<TryResult, "status" | "error">> => {
  try {
    return { status: (await send()).status };
  } catch (error) {
    return { error: error instanceof Error ? error.message : "No answer came." };
  }
};

/** Sends callbacks (service 6). Delivery never depends on the recording: a try that cannot be recorded was still made. */
export const createCallbackSender = (dependencies: {
  readonly queue: StateQueue;
  readonly clock: { now(): number };
  readonly post: Post | undefined;
  readonly onTried: (delivery: Delivery, tried: DeliveryTry) => void;
}): CallbackSender => {
  const { queue, clock } = dependencies;
  const post = dependencies.post ?? defaultPost;
  const underWay = new Map<Promise<void>, { readonly stop: AbortController; readonly transactionId: string }>();
  let ended = false;

  /** `sentMs` is the sandbox's own time. The clock may be moved while the answer is on its way: the try is dated by when it was made. */
  const tryOnce = async (delivery: Delivery, { secret, sentMs }: Sending, signal: AbortSignal): Promise<void> => {
    const startedMs = clock.now();
    // The signature's time is the real one: a moved clock must not make good callbacks look old.
    const headers = headersOf(delivery, secret, startedMs);
    const answer = await outcomeOf(async () => await post(new URL(delivery.url), headers, delivery.body, signal));
    if (ended) return;
    const result: TryResult = { ...answer, durationMs: Math.max(0, Math.round(clock.now() - startedMs)) };
    dependencies.onTried(delivery, { at: isoOf(startedMs), ...result });
    await queue.run((unit) => recordTry({ ...unit, nowMs: sentMs + result.durationMs }, delivery, result)).catch(() => undefined);
  };
  const send = (delivery: Delivery, sending: Sending): Promise<void> => {
    const stop = new AbortController();
    const work = tryOnce(delivery, sending, stop.signal).finally(() => underWay.delete(work));
    underWay.set(work, { stop, transactionId: delivery.transactionId });
    return work;
  };

  const sendSome = async (limit: number): Promise<number> => {
    if (limit <= 0 || ended) return 0;
    const claimed = await queue.run((unit) => ({ deliveries: claimDeliveries(unit, limit), secret: unit.core.webhookSecret, sentMs: unit.nowMs }));
    for (const delivery of claimed.deliveries) void send(delivery, claimed);
    return claimed.deliveries.length;
  };
  const sendDue = async (): Promise<number> => {
    let count = 0;
    for (let sent = batch; sent === batch; count += sent) sent = await sendSome(Math.min(batch, underWayMax - underWay.size));
    return count;
  };
  const allTried = async (): Promise<void> => void (await Promise.all(underWay.keys()));

  return {
    sendDue,
    allTried,
    deliver: async (transactionId) => {
      await sendDue();
      await Promise.all([...underWay].flatMap(([work, one]) => (one.transactionId === transactionId ? [work] : [])));
    },
    catchUp: () =>
      patiently(
        sendDue()
          .then(allTried)
          .catch(() => undefined),
      ),
    settle: async () => {
      await patiently(Promise.allSettled(underWay.keys()));
      ended = true;
      for (const { stop } of underWay.values()) stop.abort();
    },
  };
};

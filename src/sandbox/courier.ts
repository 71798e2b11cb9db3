import { signDelivery } from "../domain/webhook-signature.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { claimDeliveries, recordTry, type TryResult } from "./engine/callbacks.ts";
import type { Delivery, DeliveryTry } from "./engine/entities.ts";
import { isoOf } from "./engine/unit.ts";

/** Posts one callback; rejects where no answer came. */
export type Post = (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<{ readonly status: number }>;
export type Courier = {
  /** Sends what is due now and waits until each was tried once. */
  deliverDue(): Promise<void>;
  /** Removes kept answers that are a day old. */
  forgetOld(): Promise<void>;
  /** Waits a moment for what is on its way. */
  settle(): Promise<void>;
};

const batch = 25;
const settleMs = 1_000;

const defaultPost: Post = async (url, headers, body) => {
  const { postCallback } = await import("./post-callback.ts");
  return await postCallback(url, headers, body);
};

/** Carries callbacks (service 6). Delivering never depends on recording: where a try cannot be recorded it was still made. */
export const createCourier = (dependencies: {
  readonly queue: CommitQueue;
  readonly clock: { now(): number };
  readonly post: Post | undefined;
  readonly onTried: (delivery: Delivery, tried: DeliveryTry) => void;
}): Courier => {
  const { queue, clock } = dependencies;
  const post = dependencies.post ?? defaultPost;
  const underWay = new Set<Promise<void>>();

  const tryOnce = async (delivery: Delivery, secret: string): Promise<void> => {
    const startedMs = clock.now();
    let result: Omit<TryResult, "durationMs">;
    try {
      // The signature's time is the real one: a moved clock must not make good callbacks look old.
      const signed = signDelivery({
        scheme: "standard-webhooks",
        secrets: [delivery.badSignature === true ? `whsec_${Buffer.from("not the secret of this merchant").toString("base64")}` : secret],
        id: delivery.eventId,
        timestampSeconds: Math.floor(clock.now() / 1000),
        body: Buffer.from(delivery.body, "utf8"),
      });
      const answer = await post(new URL(delivery.url), { "content-type": "application/json", "user-agent": "payments-sandbox", ...signed }, delivery.body);
      result = { status: answer.status };
    } catch (error) {
      result = { error: error instanceof Error ? error.message : "No answer came." };
    }
    const full = { ...result, durationMs: Math.max(0, Math.round(clock.now() - startedMs)) };
    dependencies.onTried(delivery, { at: isoOf(startedMs), ...full });
    await queue.run("write", ({ unit, at }) => recordTry(unit, at, delivery.id, full)).catch(() => undefined);
  };
  const send = (delivery: Delivery, secret: string): Promise<void> => {
    const work = tryOnce(delivery, secret).finally(() => underWay.delete(work));
    underWay.add(work);
    return work;
  };

  return {
    deliverDue: async () => {
      for (;;) {
        const waiting = await queue.run("read", ({ unit, at }) => (unit.tables.nextDueMs("delivery") ?? Number.POSITIVE_INFINITY) <= at.nowMs);
        if (!waiting) return;
        const claimed = await queue.run("write", ({ unit, at }) => ({ deliveries: claimDeliveries(unit, at, batch), secret: unit.core().webhookSecret }));
        await Promise.all(claimed.deliveries.map((delivery) => send(delivery, claimed.secret)));
        if (claimed.deliveries.length < batch) return;
      }
    },
    forgetOld: async () => {
      const isOld = await queue.run("read", ({ unit, at }) => (unit.tables.nextDueMs("kept") ?? Number.POSITIVE_INFINITY) <= at.nowMs);
      if (isOld) await queue.run("write", ({ unit, at }) => unit.tables.forgetKept(at.nowMs));
    },
    settle: async () => {
      if (underWay.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, settleMs);
      });
      await Promise.race([Promise.allSettled([...underWay]), patience]);
      clearTimeout(timer);
    },
  };
};

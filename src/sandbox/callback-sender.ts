import { setTimeout as pause } from "node:timers/promises";
import { signDelivery } from "../webhooks/webhook-signature.ts";
import { claimDeliveries, recordTry } from "./engine/callbacks.ts";
import type { Delivery, DeliveryTry } from "./engine/entities.ts";
import { isoOf } from "./engine/unit.ts";
import type { StateQueue } from "./state-queue.ts";

/** Posts one callback; rejects if no answer came or `signal` aborted. */
export type Post = (url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) => Promise<{ readonly status: number }>;

const batch = 25;
/** So many hang at once before the others wait for one of them. */
const underWayMax = 200;
const patienceMs = 1_000;
const answerMs = 10_000;

/** No redirects, and the answer's body is not read. */
const postOverHttp: Post = async (url, headers, body, signal) => {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("Only http and https URLs are posted to.");
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const tooLong = AbortSignal.timeout(answerMs);
  const length = String(Buffer.byteLength(body));
  const options = { method: "POST", agent: false, signal: AbortSignal.any([signal, tooLong]), headers: { ...headers, "content-length": length } };
  return await new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      answer.on("error", () => undefined).resume();
      resolve({ status: answer.statusCode ?? 0 });
    });
    sent.on("error", (error) => reject(tooLong.aborted ? new Error(`No answer came within ${answerMs / 1000} s.`) : error));
    sent.end(body);
  });
};

const wrongSecret = `whsec_${Buffer.from("not the secret of this merchant").toString("base64")}`;
const headersOf = ({ eventId, body, badSignature }: Delivery, secret: string, signedAtMs: number): Readonly<Record<string, string>> => ({
  "content-type": "application/json",
  "user-agent": "payments-sandbox",
  ...signDelivery({
    scheme: "standard-webhooks",
    secrets: [badSignature ? wrongSecret : secret],
    id: eventId,
    timestampSeconds: Math.floor(signedAtMs / 1000),
    body: Buffer.from(body, "utf8"),
  }),
});

type Dependencies = {
  readonly queue: StateQueue;
  readonly clock: { now(): number };
  readonly post: Post | undefined;
  readonly onTried: (delivery: Delivery, tried: DeliveryTry) => void;
};
/** Sends callbacks (service 6). Delivery never depends on the recording: a try that cannot be recorded was still made. */
export const createCallbackSender = ({ queue, clock, post = postOverHttp, onTried }: Dependencies) => {
  const underWay = new Map<Promise<void>, { readonly stop: AbortController; readonly transactionId: string }>();
  let ended = false;

  /** `sentMs` is the sandbox's own time. The clock may be moved while the answer is on its way: the try is dated by when it was made. */
  const tryOnce = async (delivery: Delivery, secret: string, sentMs: number, signal: AbortSignal): Promise<void> => {
    const startedMs = clock.now();
    // The signature's time is the real one: a moved clock must not make good callbacks look old.
    const headers = headersOf(delivery, secret, startedMs);
    const posted = async (): Promise<{ readonly status: number }> => await post(new URL(delivery.url), headers, delivery.body, signal);
    const answer = await posted().then(
      ({ status }) => ({ status }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : "No answer came." }),
    );
    if (ended) return;
    const result = { ...answer, durationMs: Math.max(0, Math.round(clock.now() - startedMs)) };
    onTried(delivery, { at: isoOf(startedMs), ...result });
    await queue.run((unit) => recordTry({ ...unit, nowMs: sentMs + result.durationMs }, delivery, result)).catch(() => undefined);
  };
  const sendSome = async (limit: number): Promise<number> => {
    if (limit <= 0 || ended) return 0;
    const claim = await queue.run((unit) => ({ deliveries: claimDeliveries(unit, limit), secret: unit.core.webhookSecret, sentMs: unit.nowMs }));
    for (const delivery of claim.deliveries) {
      const stop = new AbortController();
      const work = tryOnce(delivery, claim.secret, claim.sentMs, stop.signal).finally(() => underWay.delete(work));
      underWay.set(work, { stop, transactionId: delivery.transactionId });
    }
    return claim.deliveries.length;
  };
  /** Sends what is due now, and waits for no answer: an endpoint that hangs holds nobody else up. Resolves with how many were sent. */
  const sendDue = async (): Promise<number> => {
    let count = 0;
    for (let sent = batch; sent === batch; count += sent) sent = await sendSome(Math.min(batch, underWayMax - underWay.size));
    return count;
  };
  /** Waits until all that is on its way was tried, whoever sent it; a moment at most, where somebody waits for it. */
  const allTried = async (): Promise<void> => void (await Promise.all(underWay.keys()));
  const patiently = async (work: Promise<unknown>): Promise<void> => {
    const answered = new AbortController();
    await Promise.race([work, pause(patienceMs, undefined, { signal: answered.signal })]);
    answered.abort();
  };

  return {
    sendDue,
    allTried,
    /** Sends what is due now, and waits until that of this transaction was tried, whoever sent it. */
    deliver: async (transactionId: string): Promise<void> => {
      await sendDue();
      await Promise.all([...underWay].flatMap(([work, one]) => (one.transactionId === transactionId ? [work] : [])));
    },
    /** Sends what is due and waits a moment for the answers: before the clock is moved, so that its tries say when they were made. */
    catchUp: () => patiently(sendDue().then(allTried, () => undefined)),
    /** Waits a moment for what is on its way, then gives it up; it is sent again when its lease has run out. Nothing is sent after. */
    settle: async (): Promise<void> => {
      await patiently(allTried());
      ended = true;
      for (const { stop } of underWay.values()) stop.abort();
    },
  };
};

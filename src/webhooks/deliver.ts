import { createHash } from "node:crypto";
import { CliError, usageError } from "../errors.ts";
import { stringifyExact } from "../json/exact-json.ts";
import type { Client, Context } from "../ports.ts";
import { isLoopback } from "../service/base-url.ts";
import type { Verdict } from "../service/judge.ts";
import { retryAfterMs } from "../service/retry.ts";
import { runTries, type Tried } from "../service/tries.ts";
import { type MirrorPlace, paidBefore } from "../transactions/paid-before.ts";
import type { Direction } from "../transactions/status.ts";
import { readTransaction } from "../transactions/sync-details.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { findDirection } from "../transactions/watch-scope.ts";
import type { SignatureSettings } from "./forward-settings.ts";
import { eventType } from "./webhook-event.ts";
import { signDelivery } from "./webhook-signature.ts";

export type DeliveryContext = Pick<Context, "clock" | "random" | "flags" | "signal" | "post">;
export type Delivery = {
  readonly transactionId: string;
  readonly status: string;
  readonly type: string;
  /** The same for the same change, always: a receiver drops what it has seen. */
  readonly webhookId: string;
  readonly httpStatus: number;
};

/**
 * Where deliveries may go: https, or http on this machine (rules.md, Money safety). The query stays as typed.
 * `flag` is named in the error. Throws CliError usage.
 */
export const parseTarget = (text: string, flag: string, env: Context["env"]): URL => {
  const example = "for example https://shop.example/webhooks, or http://127.0.0.1:3000/webhooks on this machine";
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw usageError(`${flag} is not a URL.`, example);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") throw usageError(`${flag} has to be an https URL.`, example);
  if (url.username !== "" || url.password !== "") throw usageError(`${flag} must not hold a user name or password.`, example);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw usageError(`${flag}: plain http would send customers' payments readable by others to ${url.hostname}.`, `Use https; ${example}`);
  }
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" && !isLoopback(url.hostname)) {
    throw usageError(`NODE_TLS_REJECT_UNAUTHORIZED=0 would send customers' payments to whoever answers for ${url.hostname}.`, "Unset it");
  }
  url.hash = "";
  return url;
};

/** The id of a change: made of the transaction and its status alone, so that it is the same after a restart and from another machine. */
export const changeId = (transactionId: string, status: string): string =>
  `chg_${createHash("sha256").update(`${transactionId}\n${status.toUpperCase()}`).digest("hex").slice(0, 32)}`;

/**
 * Posts one transaction, as just read, to the merchant's endpoint, signed. Tries again as requests to the service
 * do, if the endpoint is down or answers 408, 429 or 5xx. Throws CliError rejected (6) where it refuses, unavailable (10) where it
 * cannot be reached, usage (2) where nothing can be signed, interrupted.
 */
export const deliverTransaction = async (
  input: { readonly transaction: Transaction; readonly to: URL; readonly settings: SignatureSettings; readonly direction?: Direction },
  context: DeliveryContext,
): Promise<Delivery> => {
  const { id: transactionId, status, body: data } = input.transaction;
  if (transactionId === undefined || status === undefined)
    throw new CliError("unavailable", "The transaction has no id or no status, so it cannot be delivered.");
  const webhookId = changeId(transactionId, status);
  const type = eventType(status, input.direction ?? "unknown");
  // Assumed: the envelope is ours, after the sandbox's own callbacks; `data` is the transaction as the service gave it, digit for digit.
  const createdAt = new Date(context.clock.now()).toISOString();
  const body = Buffer.from(stringifyExact({ type, id: webhookId, createdAt, data }), "utf8");
  const httpStatus = await postUntilTaken({ ...input, webhookId, body }, context);
  return { transactionId, status, type, webhookId, httpStatus };
};

type Parcel = { readonly to: URL; readonly settings: SignatureSettings; readonly webhookId: string; readonly body: Uint8Array };

const postUntilTaken = ({ to, settings, webhookId, body }: Parcel, { clock, random, signal, flags, post }: DeliveryContext): Promise<number> => {
  const send = async (timeoutMs: number): Promise<Tried<number>> => {
    const atMs = clock.now();
    // Signed anew each time: a receiver refuses a timestamp older than five minutes.
    const signed = signDelivery({ ...settings, id: webhookId, timestampSeconds: Math.floor(atMs / 1000), body });
    if (signed === undefined) throw usageError("The webhook secret cannot be used with this signature scheme.");
    const headers = { "content-type": "application/json", "user-agent": "payments-cli", "x-payments-replay": "1", ...signed };
    try {
      const answer = await post({ url: to, headers, body, timeoutMs, signal });
      return { verdict: judgeTaken(to, answer.status), tried: { atMs, httpStatus: answer.status }, retryAfterMs: retryAfterMs(answer.headers, clock) };
    } catch (error) {
      if (!(error instanceof CliError) || error.kind !== "unavailable") throw error;
      return { verdict: { outcome: "unanswered", next: "retry", error }, tried: { atMs, error: error.message } };
    }
  };
  return runTries({ send, creates: false, timeoutMs: flags.timeoutMs, retries: flags.retries, clock, random, stop: signal });
};

const judgeTaken = (to: URL, status: number): Verdict<number> => {
  if (status >= 200 && status < 300) return { outcome: "answered", value: status };
  const moved = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  const error = new CliError("rejected", `${to.host} answered the delivery with ${status}${moved}.`, { status });
  return { outcome: "refused", next: status === 408 || status === 429 || status >= 500 ? "retry" : "stop", error };
};

/**
 * Reads the transaction again, then delivers what the service says now (service 6.2: querying is the way to reconcile), unless the mirror saw it
 * paid and that says it is not: then CliError rejected.
 */
export const readAndDeliver = async (
  input: { readonly transactionId: string; readonly to: URL; readonly settings: SignatureSettings },
  context: DeliveryContext & MirrorPlace,
  client: Pick<Client, "call">,
): Promise<Delivery> => {
  const id = input.transactionId;
  const transaction = await readTransaction(client, id, context.signal);
  const { status } = transaction;
  const stands = status === undefined ? undefined : await paidBefore(id, status, context);
  if (stands !== undefined)
    throw new CliError(
      "rejected",
      `${id} is not delivered: the service says ${status} now, but it was ${stands} before, and paid is not undone by that. Ask the service.`,
    );
  const direction = await findDirection(client, id, status ?? "", context.signal);
  return await deliverTransaction({ ...input, transaction, direction }, context);
};

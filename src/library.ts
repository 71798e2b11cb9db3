import { randomBytes, randomUUID } from "node:crypto";
import { env } from "node:process";
import { CliError, usageError } from "./errors.ts";
import { pathsOf } from "./host/paths.ts";
import { createTransport } from "./host/transport.ts";
import { type Json, parseExact, stringifyExact } from "./json/exact-json.ts";
import { checkWebhook, type WebhookInput, type WebhookVerdict } from "./library/verify-webhook.ts";
import { type WaitResult, waitForEnd } from "./library/wait-for-payment.ts";
import { checkLocal, creationFields, type Given, type Names } from "./payments/creation.ts";
import type { Draft } from "./payments/draft.ts";
import { checkCollection, checkWithdrawal } from "./payments/global-creation.ts";
import type { CallInput } from "./ports.ts";
import { parseBaseUrl, refuseUnverifiedTls } from "./service/base-url.ts";
import { createClient as createServiceClient } from "./service/client.ts";
import { type EndpointName, type Operation, routes } from "./service/contract/routes.ts";
import type { Bodies, Queries, Replies } from "./service/contract/types.ts";
import { sleep } from "./timer.ts";
import { findReceipt as findReceiptIn } from "./transactions/fields.ts";
import { listAll } from "./transactions/list-transactions.ts";

export { CliError as PaymentsError, type ErrorKind, type Sent } from "./errors.ts";
export type { SignatureScheme, WebhookInput, WebhookVerdict } from "./library/verify-webhook.ts";
/** `classifyStatus("COMPLETED", "in")` is "paid"; also "unpaid" or "open", which every status is that nobody knows. */
export { classifyStatus, type Direction, isPaid, type StatusClass } from "./transactions/status.ts";

/** Amounts are in major units (shillings, dollars); a decimal string keeps every digit. */
export type AmountInput = number | string;
type WithAmount<Body> = { readonly [Field in keyof Body]: Field extends "amount" ? AmountInput : Body[Field] };
/** The phone may be in any usual Kenyan spelling: it is sent as `2547…` digits. Whole shillings. */
export type StkPushInput = WithAmount<Bodies["stkPush"]>;
export type B2cInput = WithAmount<Bodies["b2c"]>;
export type CollectInput = WithAmount<Bodies["collect"]>;
export type WithdrawInput = WithAmount<Bodies["withdraw"]>;
export type ListInput = Readonly<Queries["listTransactions"]>;
export type FxRatesInput = Readonly<Queries["fxRates"]>;

/** A reply keeps the fields that the contract does not name: read them with a type of your own. */
export type StkPushReply = Replies["stkPush"];
export type B2cReply = Replies["b2c"];
export type Transaction = Replies["getTransaction"];
export type TransactionPage = Replies["listTransactions"];
export type TransactionSummary = TransactionPage["transactions"][number];
export type WalletReply = Replies["wallet"];
export type Hold = WalletReply["wallet"]["b2cHolds"][number];
export type LedgerEntry = WalletReply["transactions"][number];
export type B2cStatsReply = Replies["b2cStats"];
export type PayoutStats = B2cStatsReply["stats"];
export type ProvidersReply = Replies["providers"];
export type Rail = ProvidersReply["providers"][number];
export type CollectReply = Replies["collect"];
export type WithdrawReply = Replies["withdraw"];
/** There is no look-up for its reference. */
export type GlobalRecord = CollectReply["collection"];
export type GlobalWalletReply = Replies["globalWallet"];
export type FxRatesReply = Replies["fxRates"];

export type PaymentsOptions = {
  /** https, or http on this machine. May have a path. */
  readonly baseUrl: string;
  /** A missing one, such as an environment variable that is not set, is a PaymentsError config. */
  readonly apiKey: string | undefined;
  /** A whole request, in ms (30000). */
  readonly timeoutMs?: number;
  /** Tries after the first (3). A creation's tries all carry one key and the same bytes. */
  readonly retries?: number;
};
/** The program's own AbortSignal, where it has types for one (Node's or the DOM's): these types must need no other package. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Own } } ? Own : BareSignal;
type BareSignal = { readonly aborted: boolean; addEventListener(type: "abort", listener: () => void): void };
export type ReadOptions = { readonly signal?: Signal };
export type CreateOptions = {
  /**
   * 1 to 255 visible ASCII characters; made where it is not given. Store your own before calling: after a crash the same
   * key with the same input finds out what became of the payment, and never pays twice.
   */
  readonly idempotencyKey?: string;
  /** Aborted in flight, the outcome is unknown: see PaymentsError. */
  readonly signal?: Signal;
};

export type { WaitResult };
export type WaitOptions = ReadOptions & {
  /** ms in all (120000). */
  readonly timeoutMs?: number;
  /** What it is: `standard` for a push, `b2c` for a payout. Without it a status that ends pushes alone, such as EXPIRED, counts as open. */
  readonly flow?: "standard" | "b2c";
};

/** The endpoints that take nothing, such as `wallet`: one request each. */
export type PlainReads = { readonly [Name in PlainRead]: (options?: ReadOptions) => Promise<Replies[Name]> };
type PlainRead = {
  [Name in EndpointName]: [(typeof routes)[Name]["effect"], Bodies[Name], Queries[Name]] extends ["read", undefined, undefined]
    ? (typeof routes)[Name]["path"] extends `${string}:${string}`
      ? never
      : Name
    : never;
}[EndpointName];

/**
 * The service's endpoints. Every method rejects with a `PaymentsError`; its `kind` says what happened and its `sent` whether
 * a payment may exist: after `outcome-unknown` call again with the error's `idempotencyKey` and the very same input.
 */
export type Payments = PlainReads & {
  /** Push prompt to a customer's phone. */
  stkPush(input: StkPushInput, options?: CreateOptions): Promise<StkPushReply>;
  /**
   * Payout to a phone. There is no question and no duplicate guard here: those are the command line's. A policy of its journal on this
   * machine holds: such a payout is `approval-required`, and is proposed and approved there.
   */
  b2c(input: B2cInput, options?: CreateOptions): Promise<B2cReply>;
  /** Collection over a rail. Check it against `providers` first. */
  collect(input: CollectInput, options?: CreateOptions): Promise<CollectReply>;
  /** Withdrawal from the Global Wallet, with the key given here: no profile and no withdrawal key is read. Check it against `providers` first. */
  withdraw(input: WithdrawInput, options?: CreateOptions): Promise<WithdrawReply>;
  getTransaction(id: string, options?: ReadOptions): Promise<Transaction>;
  /** One page. The end of a list is what `total` and an empty page say: pages may be capped. */
  listTransactions(input?: ListInput, options?: ReadOptions): Promise<TransactionPage>;
  /** Every transaction once, page after page, however pages are capped: `for await (const one of client.transactions())`. */
  transactions(input?: Pick<ListInput, "flow">, options?: ReadOptions): AsyncIterable<TransactionSummary>;
  /** Looks until a payment is `paid` or `unpaid`, or time is up (`open`: it may still be paid, so do not pay again). */
  waitForPayment(transactionId: string, options?: WaitOptions): Promise<WaitResult<Transaction>>;
  fxRates(input?: FxRatesInput, options?: ReadOptions): Promise<FxRatesReply>;
  /** Closes idle connections. They keep no program alive. */
  close(): Promise<void>;
};

/**
 * A client of the service for other programs: its retries, keys and errors are those of the command line.
 * Throws PaymentsError usage for a base URL the key must not be sent to, or a key that cannot be a header.
 */
export const createClient = (options: PaymentsOptions): Payments => {
  const { apiKey = "" } = options;
  if (apiKey.trim() === "")
    throw new CliError("config", "apiKey is missing: give createClient the service's key. Is the environment variable that holds it set?");
  refuseUnverifiedTls(parseBaseUrl(options.baseUrl), env);
  const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep };
  const client = createServiceClient({
    baseUrl: options.baseUrl,
    apiKey,
    transport: createTransport({ env }, { bulk: true }),
    timeoutMs: milliseconds(options.timeoutMs ?? 30_000),
    retries: count(options.retries ?? 3),
    clock,
    random: { uuid: () => randomUUID(), bytes: (size) => new Uint8Array(randomBytes(size)), fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32 },
  });
  const read = async <Name extends EndpointName>(name: Name, input: CallInput, { signal }: ReadOptions = {}): Promise<Replies[Name]> =>
    JSON.parse((await client.call(routes[name], { ...input, ...(signal === undefined ? {} : { signal }) })).text.replace(/^\uFEFF/, ""));
  const create = async <Name extends EndpointName>(name: Name, body: () => string | Promise<string>, options: CreateOptions = {}): Promise<Replies[Name]> => {
    const idempotencyKey = options.idempotencyKey ?? randomUUID();
    try {
      return await read(name, { body: await body(), idempotencyKey }, options);
    } catch (error) {
      throw error instanceof CliError ? withKey(error, idempotencyKey) : error;
    }
  };
  const endpoints = {
    stkPush: (input, own) => create("stkPush", () => checkLocal("stk", givenIn(input, "stk"), names).body, own),
    b2c: (input, own) => create("b2c", async () => (await refuseUnapproved(checkLocal("b2c", givenIn(input, "b2c"), names))).body, own),
    collect: (input, own) => create("collect", async () => (await checkCollection(givenIn(input, "collect"), undefined, names)).body, own),
    withdraw: (input, own) =>
      create("withdraw", async () => (await refuseUnapproved(await checkWithdrawal(givenIn(input, "withdraw"), undefined, names))).body, own),
    getTransaction: (id, own) => read("getTransaction", { params: { transactionId: id } }, own),
    listTransactions: ({ limit, offset, flow } = {}, own) => read("listTransactions", { query: { limit: text(limit), offset: text(offset), flow } }, own),
    fxRates: ({ base } = {}, own) => read("fxRates", { query: { base } }, own),
  } satisfies { readonly [Name in Exclude<EndpointName, PlainRead>]: Payments[Name] };
  // The types say which endpoints take nothing; those that do not are written out above.
  const plain = Object.fromEntries(Object.values(routes).map(({ id }) => [id, (own?: ReadOptions) => read(id, {}, own)])) as PlainReads;
  return {
    ...plain,
    ...endpoints,
    transactions: async function* ({ flow } = {}, { signal } = {}) {
      for await (const row of listAll(client, { flow, signal })) yield plainOf<TransactionSummary>(row.body);
    },
    waitForPayment: async (id, { timeoutMs = 120_000, flow, signal } = {}) =>
      await waitForEnd(() => endpoints.getTransaction(id, signal === undefined ? {} : { signal }), {
        timeoutMs: milliseconds(timeoutMs),
        flow,
        signal: signal ?? new AbortController().signal,
        clock,
      }),
    close: () => client.close(),
  };
};

/** Whether a callback was signed with your secret within the last five minutes. Never throws: without a secret nothing is valid. */
export const verifyWebhook = (input: WebhookInput): WebhookVerdict => checkWebhook(input, input.nowMs ?? Date.now());

/** The receipt of a transaction, whichever field of its `metadata` holds it (the one with "receipt" in its name). */
export const findReceipt = (transaction: Pick<Transaction, "metadata">): string | undefined => findReceiptIn(parseExact(JSON.stringify(transaction)))?.text;

/** Numbers as JavaScript has them, like every reply of the library. */
const plainOf = <T>(row: Json): T => JSON.parse(stringifyExact(row));

/** A policy of the command line's journal on this machine holds here too. Throws PaymentsError approval-required. */
const refuseUnapproved = async <D extends Draft>(draft: D): Promise<D> => {
  const [{ readPolicies }, { requireApproval }] = await Promise.all([import("./journal/read-policies.ts"), import("./payments/approvals/require-approval.ts")]);
  const policies = await readPolicies(pathsOf(env), env);
  await requireApproval(draft, { approvals: { policies: async () => policies } });
  return draft;
};

const withKey = (error: CliError, idempotencyKey: string): CliError =>
  error.kind === "outcome-unknown"
    ? error.with({ idempotencyKey, hint: "Call again with this idempotencyKey and the very same input: it then tells what became of the payment." })
    : error.with({ idempotencyKey });

const milliseconds = (ms: number): number => {
  if (!(ms > 0)) throw usageError("timeoutMs is a number of milliseconds above 0.");
  return ms;
};
const count = (retries: number): number => {
  if (!Number.isInteger(retries) || retries < 0) throw usageError("retries is a whole number from 0.");
  return retries;
};
const text = (value: number | undefined): string | undefined => (value === undefined ? undefined : String(value));

const names: Names = { of: (field) => field };

/** The fields as text: a number is written out in digits, as JavaScript would write it (`1e21` is then refused). */
const givenIn = (input: object | null | undefined, operation: Operation): Given => {
  const known: readonly string[] = creationFields[operation];
  const given: Record<string, string> = {};
  for (const [field, value] of Object.entries(input ?? {})) {
    if (!known.includes(field)) throw usageError(`There is no field ${field}: the fields are ${known.join(", ")}.`);
    if (value === undefined) continue;
    if (typeof value !== "string" && (field !== "amount" || typeof value !== "number")) throw usageError(`${field} is not a string.`);
    given[field] = String(value);
  }
  return given;
};

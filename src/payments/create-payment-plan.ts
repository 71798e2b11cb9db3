import { accountWords } from "../command.ts";
import { fieldOf, type Json, parseExact, textOf } from "../json/exact-json.ts";
import type { Answer } from "../ports.ts";
import { type Operation, operationRoutes } from "../service/contract/routes.ts";
import { nodeCrypto } from "../storage/node-crypto.ts";
import { toGuardText } from "./guard-key.ts";

/** A payment that was checked and is ready to be sent. */
export type PaymentPlan = {
  readonly operation: Operation;
  /** Exact JSON bytes. */
  readonly body: string;
  readonly reference: string;
  /** Digits of a phone, an email, or rail/channel/account of a withdrawal. */
  readonly payee: string;
  /** Decimal string as sent. */
  readonly amount: string;
  readonly currency: string;
  /** The person's own key: the same key and body resume the attempt. */
  readonly idempotencyKey?: string | undefined;
  readonly allowDuplicate: boolean;
  readonly dryRun: boolean;
  readonly passphraseStdin?: boolean | undefined;
  /** Lines that say what, and to whom. */
  readonly question?: readonly string[] | undefined;
  /** The amount has to be typed; always so for a withdrawal from a live profile. */
  readonly typedAmount?: true | undefined;
  /** A row of a batch: the batch has asked already, so nothing is asked here. */
  readonly batch?: { readonly run: BatchRun; readonly row: number } | undefined;
};

/** What all rows of one run of a batch share. */
export type BatchRun = {
  readonly id: string;
  /** Of the API key's fingerprint. */
  readonly keySalt: string;
  /** Earlier runs of the same file that are to be paid once more. */
  readonly replaced?: ReadonlySet<string> | undefined;
  /** Ends what is in flight: the run's signal, with the grace of interrupt.ts. */
  readonly inFlight: AbortSignal;
};

/** What the guard compares, hashed, as it holds the payee and outlives pruning. */
export const guardKeyOf = (plan: Pick<PaymentPlan, "operation" | "body" | "payee" | "reference" | "amount" | "currency">): string => {
  // A push or payout has neither rail nor email, and a batch has many.
  const body = plan.operation === "stk" || plan.operation === "b2c" ? null : parseExact(plan.body);
  const payee = plan.payee === "" ? (textOf(fieldOf(body, "customerEmail")) ?? "") : plan.payee;
  const text = toGuardText({
    operation: plan.operation,
    payee,
    reference: plan.reference,
    amount: plan.amount,
    currency: plan.currency,
    rail: textOf(fieldOf(body, "rail")),
  });
  return nodeCrypto().hash("sha256", text);
};

/** Where the answer of a creation has its id and status (service 4). */
export const recordOf = (operation: Operation, body: Json): { readonly id: string | undefined; readonly status: string | undefined } => {
  if (operation === "stk" || operation === "b2c") return { id: textOf(fieldOf(body, "transactionId")), status: textOf(fieldOf(body, "status")) };
  const record = fieldOf(body, operation === "collect" ? "collection" : "disbursement");
  return { id: textOf(fieldOf(record, "reference")), status: textOf(fieldOf(record, "status")) };
};

/** A stored answer as if it had just come. */
export const storedAnswer = (text: string): Answer => ({ status: 200, headers: {}, body: parseExact(text), text });

export const pathOf = (operation: Operation): string => operationRoutes[operation].path;

/** The command that settles an attempt, for the same account. */
export const resumeCommand = (id: string, flags: Parameters<typeof accountWords>[0]): readonly string[] => ["journal", "resume", id, ...accountWords(flags)];

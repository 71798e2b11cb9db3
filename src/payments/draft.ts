import type { Operation } from "../service/contract/routes.ts";

/** A payment that has passed every check (creation.ts). It may be stored, and created later. */
export type Draft<O extends Operation = Operation> = {
  readonly operation: O;
  /** Exact JSON bytes. */
  readonly body: string;
  readonly reference: string;
  /** Digits of a phone, an email address, or rail/channel/account of a withdrawal. */
  readonly payee: string;
  /** Decimal string as sent. */
  readonly amount: string;
  readonly currency: string;
  /** The rail of a collection or withdrawal. */
  readonly rail?: string | undefined;
  /** Lines that say what, and to whom. */
  readonly question?: readonly string[] | undefined;
};

/** How a draft is to be created. */
export type CreateOptions = {
  /** The person's own key: the same key and body resume the attempt. */
  readonly idempotencyKey?: string | undefined;
  readonly allowDuplicate: boolean;
  readonly dryRun: boolean;
  readonly passphraseStdin?: boolean | undefined;
  /** The proposal that it is sent for. */
  readonly approvalId?: string | undefined;
  /** A row of a batch: the batch has asked already, so nothing is asked here. */
  readonly batch?: { readonly run: BatchRun; readonly row: number } | undefined;
};
export type PaymentPlan = Draft & CreateOptions;

/** What all rows of one run of a batch share. */
export type BatchRun = {
  readonly id: string;
  /** Of the API key's fingerprint. */
  readonly keySalt: string;
  /** Earlier runs of the same file that are to be paid once more. */
  readonly replaced?: ReadonlySet<string> | undefined;
  readonly approvalId?: string | undefined;
  /** Ends what is in flight: the run's signal, with the grace of interrupt.ts. */
  readonly inFlight: AbortSignal;
};

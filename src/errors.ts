/** Every way a command can end other than plainly well, with its exit code (rules.md, JSON and CSV). */
export const exitCodes = {
  bug: 1,
  usage: 2,
  config: 3,
  auth: 3,
  "not-found": 4,
  "payment-required": 5,
  rejected: 6,
  "payment-failed": 7,
  pending: 8,
  "outcome-unknown": 9,
  unavailable: 10,
  duplicate: 11,
  differences: 12,
  "batch-incomplete": 13,
  "approval-required": 14,
  interrupted: 130,
} as const;
export type ErrorKind = keyof typeof exitCodes;

/** May a payment exist because of this command? */
export type Sent = "no" | "yes" | "unknown";

export type ErrorDetails = {
  readonly hint?: string | undefined;
  /** The one command that is the remedy: the words that follow `payments-cli`. It is shown with the hint. */
  readonly command?: readonly string[] | undefined;
  readonly cause?: unknown;
  /** HTTP status of the answer that decided, if one arrived. */
  readonly status?: number | undefined;
  /** The service's own error code. */
  readonly code?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly sent?: Sent | undefined;
  /** How long the service asks to be left alone, ms from the moment it answered. */
  readonly retryAfterMs?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly journalId?: string | undefined;
  /** The parts of a message that ends in a list, `; ` between them: a person gets each on a line of its own. */
  readonly lines?: readonly string[] | undefined;
};

const sentByKind: Partial<Record<ErrorKind, Sent>> = { "payment-failed": "yes", pending: "yes", "outcome-unknown": "unknown" };

/** A failure that one sentence describes. Its kind alone decides the exit code. */
export class CliError extends Error {
  /** As the library exports it. */
  override readonly name = "PaymentsError";
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly command: readonly string[] | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryable: boolean;
  readonly sent: Sent;
  readonly retryAfterMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly journalId: string | undefined;
  readonly lines: readonly string[] | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    const { cause: _, ...known } = details;
    Object.assign(this, known);
    this.kind = kind;
    this.retryable = details.retryable ?? (kind === "unavailable" || kind === "pending" || kind === "outcome-unknown");
    this.sent = details.sent ?? sentByKind[kind] ?? "no";
  }

  /**
   * The same failure with more known. Another kind decides `sent` and `retryable` anew, another hint needs a command of its own;
   * nothing else is lost.
   */
  with({ kind = this.kind, message = this.message, ...details }: ErrorDetails & { readonly kind?: ErrorKind; readonly message?: string }): CliError {
    const ofKind = kind === this.kind ? {} : { sent: undefined, retryable: undefined };
    const ofHint = details.hint === undefined ? {} : { command: undefined };
    return new CliError(kind, message, { ...this, cause: this.cause, ...ofKind, ...ofHint, ...details });
  }
}

/** Bad usage or input: exit 2, nothing was created. */
export const usageError = (message: string, hint?: string): CliError => new CliError("usage", message, { hint });

/** The code that Node and the operating system give an error (`ENOENT`, `ECONNRESET`); undefined if it has none. */
export const errorCode = (error: unknown): string | undefined => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  // Several addresses were tried: they failed alike, or the first one says why.
  return error instanceof AggregateError && error.errors.length > 0 ? errorCode(error.errors[0]) : undefined;
};

/** What every command says of a payment of which nobody knows whether it was made. */
export const notKnownYet = (payment = "the payment"): string => `We don't know yet if ${payment} was made`;
/** A sentence that goes on in another one. */
export const withoutStop = (sentence: string): string => sentence.replace(/[.\s]+$/, "");
/** The reason alone, where more is said than that one payment was not sent. */
export const withoutNotSent = (reason: string): string => reason.replace(/; nothing was sent\.?$/, "");
export const dontPayAgain = "Don't pay again.";
/** The hint of a question that was answered by a slip. Its command, what was typed with the answers, is added where both are known. */
export const tryAgain = "To try again";

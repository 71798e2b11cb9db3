/** An answer of the service that is not a success. What is refused has written nothing. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    message: string,
    more: { readonly field?: string | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = more.field;
    this.headers = more.headers ?? {};
  }
}

export const invalid = (field: string, message: string): Refusal => new Refusal(400, "VALIDATION", message, { field });
/** Throws Refusal VALIDATION unless it holds. */
export const must: (holds: boolean, field: string, message: string) => asserts holds = (holds, field, message) => {
  if (!holds) throw invalid(field, message);
};
export const notFound = (what: string): Refusal => new Refusal(404, "NOT_FOUND", `${what} was not found.`);
export const paymentRequired = (message: string): Refusal => new Refusal(402, "PAYMENT_REQUIRED", message);

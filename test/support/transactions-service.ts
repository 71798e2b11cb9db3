import type { SeenRequest, Service, ServiceAnswer } from "./cli.ts";

export type Held = {
  readonly flow: "standard" | "b2c";
  readonly id: string;
  readonly reference: string;
  readonly amount: number | string;
  status: string;
  [field: string]: unknown;
};

const heldIn =
  (flow: Held["flow"]) =>
  (id: string, reference: string, amount: number | string, more: Readonly<Record<string, unknown>> = {}): Held => ({
    flow,
    id,
    reference,
    amount,
    status: "COMPLETED",
    ...more,
  });
/** A payment in that is paid, unless `more` says otherwise; the same for a payout. */
export const payment = heldIn("standard");
export const payout = heldIn("b2c");

const listPath = "/api/v1/merchants/payments/transactions";

/** A service that holds these transactions, newest first, pages capped at `cap`; the list shows what the document says it shows. */
export const serviceOf = (
  held: Held[],
  options: { readonly cap?: number; readonly before?: (request: SeenRequest, count: number) => ServiceAnswer | undefined } = {},
): Service => {
  return (request, count) => {
    const forced = options.before?.(request, count);
    if (forced !== undefined) return forced;
    if (request.path === listPath) {
      const flow = request.query.get("flow") ?? "standard";
      const rows = held.filter((row) => flow === "all" || row.flow === flow);
      const limit = Math.min(Number(request.query.get("limit") ?? 20), options.cap ?? 100);
      const offset = Number(request.query.get("offset") ?? 0);
      const transactions = rows.slice(offset, offset + limit).map(({ id, reference, amount, status }) => ({ id, reference, amount, status }));
      return { body: { transactions, total: rows.length } };
    }
    const id = decodeURIComponent(request.path.slice(listPath.length + 1));
    const found = held.find((row) => row.id === id);
    if (found === undefined) return { status: 404, body: { success: false, code: "NOT_FOUND", message: "No such transaction" } };
    const { flow: _, ...body } = found;
    return { body };
  };
};

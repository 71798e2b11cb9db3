import { type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../../src/service/transport.ts";

/** How one request goes wrong. `before`: nothing was done; `after`: the service acted, the answer is lost or useless. */
export const faults = [
  ...(["refused-connection", "reset-before", "reset-after", "timeout-after", "500-before", "500-after", "truncated-after", "html-502-after"] as const),
  ...(["redirect-after", "without-id-after", "408-after", "429", "400", "401", "402", "says-false"] as const),
];
export type Fault = (typeof faults)[number];

export type ModelPayment = {
  readonly id: string;
  readonly key: string;
  readonly path: string;
  /** The request's body as it came. */
  readonly body: string;
  readonly reference: string;
  readonly amount: number;
  readonly flow: "standard" | "b2c" | "global";
  status: string;
};
type Kept = { readonly body: string; readonly text: string; readonly atMs: number };
export type ModelOptions = {
  /** Asked for each request; undefined: it goes well. */
  readonly fault?: (request: TransportRequest) => Fault | undefined;
  /** The service's own time, ms: keys are forgotten after 24 hours of it. */
  readonly now?: () => number;
  readonly pageSizeMax?: number;
};
export type ModelService = {
  readonly payments: ModelPayment[];
  readonly requests: TransportRequest[];
  readonly transport: Transport;
};

const dayMs = 24 * 60 * 60 * 1000;
const encoder = new TextEncoder();
const answer = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): TransportAnswer => ({
  status,
  headers: { "content-type": typeof body === "string" ? "text/html" : "application/json", ...headers },
  body: encoder.encode(typeof body === "string" ? body : JSON.stringify(body)),
});

/**
 * A small model of the service: it keeps payments by idempotency key (scoped by path), forgets keys after a day, and fails as
 * it is told to. A 4xx may strike a request whose payment was made by an earlier one, as real gateways do.
 */
export const createModelService = (options: ModelOptions = {}): ModelService => {
  const payments: ModelPayment[] = [];
  const requests: TransportRequest[] = [];
  const kept = new Map<string, Kept>();
  const now = options.now ?? (() => 0);

  const create = (request: TransportRequest): TransportAnswer => {
    const key = request.headers["idempotency-key"] ?? `none-${requests.length}`;
    const path = request.url.pathname;
    const scope = `${path} ${key}`;
    const text = request.body ?? "";
    const earlier = kept.get(scope);
    if (earlier !== undefined && now() - earlier.atMs < dayMs) {
      return earlier.body === text
        ? answer(200, JSON.parse(earlier.text))
        : answer(422, { success: false, code: "IDEMPOTENCY_KEY_REUSED", message: "Other body" });
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    const flow = path.endsWith("b2c") ? "b2c" : path.endsWith("stk-push") ? "standard" : "global";
    const id = `${flow === "global" ? "G" : "T"}-${payments.length + 1}`;
    const status = { b2c: "QUEUED", standard: "SENT", global: "PROCESSING" }[flow];
    payments.push({ id, key, path, body: text, reference: String(body["reference"] ?? ""), amount: Number(body["amount"]), flow, status });
    const record = { reference: id, status, amount: body["amount"], fee: 0 };
    const reply =
      flow === "global"
        ? { success: true, message: "ok", [path.endsWith("collections") ? "collection" : "disbursement"]: record }
        : { transactionId: id, status };
    kept.set(scope, { body: text, text: JSON.stringify(reply), atMs: now() });
    return answer(200, reply);
  };

  const read = (request: TransportRequest): TransportAnswer => {
    const { pathname, searchParams } = request.url;
    if (pathname.endsWith("/global/wallet")) return answer(200, { success: true, wallet: { currency: "KES", availableBalance: 100 } });
    if (pathname.endsWith("/transactions")) {
      const flow = searchParams.get("flow") ?? "standard";
      const rows = payments.filter((payment) => payment.flow === flow);
      const offset = Number(searchParams.get("offset") ?? "0");
      const limit = Math.min(Number(searchParams.get("limit") ?? "20"), options.pageSizeMax ?? 3);
      const page = [...rows].reverse().slice(offset, offset + limit);
      return answer(200, { transactions: page.map(({ id, reference, amount, status }) => ({ id, reference, amount, status })), total: rows.length });
    }
    const payment = payments.find(({ id }) => pathname.endsWith(`/transactions/${id}`));
    if (payment === undefined) return answer(404, { success: false, code: "NOT_FOUND", message: "No such transaction" });
    const { id, reference, amount, status } = payment;
    return answer(200, { id, reference, amount, status });
  };

  const send = async (request: TransportRequest): Promise<TransportAnswer> => {
    const fault = options.fault?.(request);
    if (fault === "refused-connection") throw new TransportError("refused", false, "connection refused");
    requests.push(request);
    if (fault === "reset-before") throw new TransportError("reset", true, "reset");
    if (fault === "500-before") return answer(500, { message: "down" });
    if (fault === "429") return answer(429, { code: "RATE_LIMITED", message: "slow down" }, { "retry-after": "1" });
    if (fault === "400" || fault === "401" || fault === "402") return answer(Number(fault), { success: false, code: "NO", message: "no" });
    if (fault === "says-false") return answer(200, { success: false, message: "closed" });
    const good = request.method === "POST" ? create(request) : read(request);
    if (fault === undefined) return good;
    if (fault === "reset-after") throw new TransportError("reset", true, "reset");
    if (fault === "timeout-after") throw new TransportError("timeout", true, "timeout");
    if (fault === "truncated-after") throw new TransportError("truncated", true, "truncated");
    if (fault === "500-after") return answer(500, { message: "broken" });
    if (fault === "html-502-after") return answer(502, "<h1>Bad Gateway</h1>");
    if (fault === "redirect-after") return answer(302, {}, { location: "https://elsewhere.example/" });
    if (fault === "408-after") return answer(408, { message: "too slow" });
    return answer(200, { success: true });
  };
  return { payments, requests, transport: { send, close: async () => undefined } };
};

import { isDrop, type SandboxAnswer } from "../../src/sandbox/request.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { type TransportAnswer, TransportError, type TransportRequest } from "../../src/service/transport.ts";
import type { ModelPayment } from "../support/model-service.ts";
import type { Serve } from "./world.ts";

/** The sandbox's own faults (sandbox.md, Control), and two that strike before it: no connection, and a key that is not taken. */
const faults = ["reset-before", "reset-after", "500-after", "503", "429", "truncate", "html-502", "hang", "refused-connection", "401"] as const;

const places = {
  "stk-push": { path: "/api/v1/merchants/payments/transactions?flow=standard&limit=1", list: "transactions", flow: "standard" },
  b2c: { path: "/api/v1/merchants/payments/transactions?flow=b2c&limit=1", list: "transactions", flow: "b2c" },
  collections: { path: "/_sandbox/collections?limit=1", list: "collections", flow: "global" },
  disbursements: { path: "/_sandbox/disbursements?limit=1", list: "disbursements", flow: "global" },
} as const;
type Place = (typeof places)[keyof typeof places];
const placeOf = (path: string): Place | undefined => Object.entries(places).find(([name]) => path.endsWith(name))?.[1];

const headersOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

type Shown = Readonly<Record<string, unknown>>;
const rowsOf = (body: Shown, name: string): readonly Shown[] => {
  const rows = body[name];
  return Array.isArray(rows) ? (rows as Shown[]) : [];
};

const controlOf =
  (sandbox: Sandbox) =>
  async (method: string, path: string, body?: unknown): Promise<Shown> => {
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
    const answer = await sandbox.handle({ method, path, headers, body: body === undefined ? "" : JSON.stringify(body) });
    if (isDrop(answer) || answer.status !== 200) throw new Error(`${method} ${path}: ${isDrop(answer) ? answer.drop : String(answer.body)}`);
    return JSON.parse(String(answer.body)) as Shown;
  };
type Control = ReturnType<typeof controlOf>;

/** Balances are the sums of their ledgers, nothing stays held that is over, and nothing was charged twice. */
const bookFaults = async (control: Control): Promise<readonly string[]> => {
  const found: string[] = [];
  const local = (await control("GET", "/api/v1/merchants/payments/wallet"))["wallet"] as Shown;
  const global = (await control("GET", "/api/v1/global/wallet"))["wallet"] as Shown;
  const shown = { balance: local["balance"], b2c: local["b2cBalance"], b2cHeld: local["b2cHeldBalance"], global: global["balance"] };
  for (const [wallet, balance] of Object.entries(shown)) {
    if (balance === undefined) continue;
    const entries = rowsOf(await control("GET", `/_sandbox/ledger?wallet=${wallet}`), "entries");
    // What is set aside is shown as a debit of what is free.
    const sign = wallet === "b2cHeld" ? -1 : 1;
    const cents = sign * entries.reduce((sum, entry) => sum + Math.round(Number(entry["amount"]) * 100), 0);
    if (cents !== Math.round(Number(balance) * 100)) found.push(`${wallet}: ${String(balance)} is shown, its ledger has ${cents / 100}`);
    const charged = entries.flatMap((entry) => (entry["transactionId"] === undefined ? [] : [`${String(entry["type"])} ${String(entry["transactionId"])}`]));
    if (wallet !== "b2cHeld" && new Set(charged).size !== charged.length) found.push(`${wallet}: posted twice for one payment`);
  }
  return found;
};

/** The real embedded service as the worlds' service: in memory, with the worlds' time, and what it made by which key. */
export const serveSandbox: Serve = async ({ seed, now, sleep, strikes, pick }) => {
  const sandbox = await createSandbox({ data: "ephemeral", seed, clock: { now }, post: async () => ({ status: 200 }) });
  const control = controlOf(sandbox);
  const payments: ModelPayment[] = [];
  for (const wallet of ["balance", "b2c", "global"]) await control("POST", "/_sandbox/topup", { wallet, amount: 100_000 });
  const newest = async ({ path, list }: Place): Promise<string | undefined> => {
    const [row] = rowsOf(await control("GET", path), list);
    return row === undefined ? undefined : String(row["id"] ?? row["reference"]);
  };
  /** The worlds' processes work one at a time, so what appears meanwhile is this request's. */
  const handle = async (request: TransportRequest, fault: (typeof faults)[number] | undefined): Promise<SandboxAnswer> => {
    const { pathname, search } = request.url;
    const headers = headersOf(request.headers);
    const kind = fault === "401" || fault === "refused-connection" ? undefined : fault;
    await control("PUT", "/_sandbox/faults", kind === undefined ? [] : [{ kind, method: request.method, path: pathname, times: 1 }]);
    const place = request.method === "POST" ? placeOf(pathname) : undefined;
    const before = place === undefined ? undefined : await newest(place);
    const authorization = `Bearer ${fault === "401" ? "sk_sandbox_nobody" : sandbox.apiKey}`;
    const answer = await sandbox.handle({
      method: request.method,
      path: `${pathname}${search}`,
      headers: { ...headers, authorization },
      body: request.body ?? "",
    });
    await control("PUT", "/_sandbox/faults", []);
    const after = place === undefined ? undefined : await newest(place);
    if (place !== undefined && after !== undefined && after !== before) {
      const body = request.body ?? "";
      const { reference, amount } = JSON.parse(body) as { reference?: string; amount: number };
      const key = headers["idempotency-key"] ?? "";
      payments.push({ id: after, key, path: pathname, body, reference: reference ?? "", amount, flow: place.flow, status: "" });
    }
    return answer;
  };
  const send = async (request: TransportRequest, { timeoutMs }: { readonly timeoutMs: number }): Promise<TransportAnswer> => {
    const fault = strikes() ? pick(faults) : undefined;
    if (fault === "refused-connection") throw new TransportError("refused", false, "connection refused");
    const answer = await handle(request, fault);
    if (!isDrop(answer)) return { status: answer.status, headers: headersOf(answer.headers), body: new TextEncoder().encode(String(answer.body)) };
    if (answer.drop === "hang") await sleep(timeoutMs);
    throw new TransportError(answer.drop === "hang" ? "timeout" : answer.drop === "truncate" ? "truncated" : "reset", true, answer.drop);
  };
  return {
    payments,
    transport: { send, close: async () => undefined },
    faults: () => bookFaults(control),
    close: () => sandbox.close(),
  };
};

import * as z from "zod";
import { checkoutToken, findLocal, localFlows } from "./endpoints.ts";
import { resendDelivery } from "./engine/callbacks.ts";
import { confirmCrypto } from "./engine/create-local.ts";
import { faultKinds, promptActions, type Transaction, type WalletName } from "./engine/entities.ts";
import { addCredits, controlScope, newKey, scopes, seedMerchant } from "./engine/merchant.ts";
import { toUnits } from "./engine/money.ts";
import { advance, answerPrompt, decide, find, rings } from "./engine/payments.ts";
import { rails, servedRails } from "./engine/rails.ts";
import { invalid, notFound } from "./engine/refusal.ts";
import { scenarios } from "./engine/scenarios.ts";
import { isoOf, nextCount, type Unit } from "./engine/unit.ts";
import { deliveryView, entryDetail, globalRecordDetail, globalWalletView, localWalletView, statusShown, transactionDetail } from "./engine/views.ts";
import { checked, decodeSegment, parseJson } from "./parse-request.ts";
import { jsonReply, type Reply, type SandboxRequest } from "./request.ts";
import { defectsIn, parseDefects, statementOf } from "./statement.ts";

type Control = {
  readonly unit: Unit;
  /** The record that the path names. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The JSON body, checked; an empty one is `{}`. */
  readonly body: <T>(schema: z.ZodType<T>) => T;
};

const milliseconds = z
  .int()
  .min(0)
  .max(366 * 86_400_000);
const armedMax = 1_000;
const scenario = z.enum([...scenarios.keys()]);
const armed = z.object({ scenario, times: z.int().min(1).max(armedMax).default(1) });
const fault = z.object({
  kind: z.enum(faultKinds),
  method: z.string().exactOptional(),
  path: z.string().exactOptional(),
  times: z.int().min(1).nullish(),
});
const faults = z.array(fault).max(100);
const settings = z.object({ autoApproveAfterMs: milliseconds.nullable() });
const action = <const Names extends readonly string[]>(names: Names) => z.object({ action: z.enum(names) });

const limitIn = (query: URLSearchParams): number => numberIn(query, "limit", 200, 1_000) || 200;
type Controls = Readonly<Record<string, (call: Control) => unknown>>;
/** What is looked up of collections or withdrawals, and what a provider says of one. */
const globalControls = (flow: "collection" | "disbursement", paid: string): Controls => {
  const found = ({ unit, id }: Control): Transaction => find(unit, id, `The ${flow}`, flow);
  const detail = ({ unit }: Control, one: Transaction) =>
    flow === "collection" ? { ...globalRecordDetail(one), checkoutToken: checkoutToken(unit.core.seed, one.id) } : globalRecordDetail(one);
  return {
    [`GET ${flow}s`]: (call) => ({ [`${flow}s`]: call.unit.page("tx", { where: { flow }, limit: limitIn(call.query) }).map((one) => detail(call, one)) }),
    [`GET ${flow}s/:id`]: (call) => detail(call, found(call)),
    [`POST ${flow}s/:id`]: (call) => globalRecordDetail(decide(call.unit, found(call), call.body(action([paid, "fail"])).action === paid)),
  };
};

const reset = ({ unit }: Control): unknown => {
  const { seed, keys, webhookSecret, clockOffsetMs } = unit.core;
  unit.clear();
  // Key, secret and clock stay, so that what is set up goes on working.
  seedMerchant(unit, { seed, apiKey: keys[0]?.apiKey, webhookSecret });
  unit.change({ clockOffsetMs });
  return { success: true };
};

const moveClock = ({ unit, body }: Control): unknown => {
  const wanted = body(z.union([z.object({ advanceMs: milliseconds }), z.object({ toNow: z.literal(true) })]));
  if ("toNow" in wanted) {
    const nowMs = unit.nowMs - unit.core.clockOffsetMs;
    unit.change({ clockOffsetMs: 0 });
    return { now: isoOf(nowMs) };
  }
  const { advanceMs } = wanted;
  unit.change({ clockOffsetMs: unit.core.clockOffsetMs + advanceMs });
  const later = { ...unit, nowMs: unit.nowMs + advanceMs };
  // What falls due on the way happens in the same step as the move.
  advance(later);
  return { now: isoOf(later.nowMs) };
};

const createKey = ({ unit, body }: Control): unknown => {
  const wanted = body(z.object({ scopes: z.array(z.enum([...scopes, controlScope])) }));
  const apiKey = newKey(unit.core.seed, nextCount(unit, "sequence"));
  unit.change({ keys: [...unit.core.keys, { apiKey, ...wanted }] });
  return { apiKey, ...wanted };
};

const answerRinging = ({ unit, id, body }: Control): unknown => {
  const answered = answerPrompt(unit, id, body(action(promptActions)).action);
  return answered.flow === "collection" ? globalRecordDetail(answered) : transactionDetail(answered);
};

const replaceFaults = ({ unit, body }: Control): unknown => {
  const given = body(z.union([faults, z.object({ faults })]));
  const list = Array.isArray(given) ? given : given.faults;
  unit.change({ faults: list.map(({ times, ...one }) => (typeof times === "number" ? { ...one, times } : one)) });
  return { faults: unit.core.faults };
};

const setArmed = ({ unit }: Control, names: readonly string[]): unknown => {
  unit.change({ armed: names.slice(0, armedMax) });
  return { armed: unit.core.armed };
};

const deliveriesOf = ({ unit, query }: Control): unknown => {
  const transactionId = query.get("transaction");
  const page = transactionId === null ? { limit: limitIn(query) } : { where: { transactionId }, limit: 20_000 };
  return { deliveries: unit.page("delivery", page).map(deliveryView) };
};

/** The control API under `/_sandbox/`: what a dashboard, a phone or a provider would do, and things going wrong on purpose. */
const controls: Controls = {
  "POST reset": reset,
  "POST topup": ({ unit, body }) => {
    addCredits(unit, body(z.object({ wallet: z.enum(["balance", "b2c", "global"]), amount: z.number() })));
    return { success: true };
  },
  "POST crypto": ({ unit, body }) => transactionDetail(confirmCrypto(unit, body(z.object({ asset: z.string(), amount: z.number() })))),
  "POST keys": createKey,
  "GET clock": ({ unit }) => ({ now: isoOf(unit.nowMs) }),
  "POST clock": moveClock,
  "GET settings": ({ unit }) => unit.core.settings,
  "PUT settings": ({ unit, body }) => {
    unit.change({ settings: body(settings) });
    return unit.core.settings;
  },
  "GET webhook-secret": ({ unit }) => ({ webhookSecret: unit.core.webhookSecret }),
  "GET faults": ({ unit }) => ({ faults: unit.core.faults }),
  "PUT faults": replaceFaults,
  "GET arm": ({ unit }) => ({ armed: unit.core.armed }),
  "POST arm": (call) => {
    const { scenario: name, times } = call.body(armed);
    return setArmed(call, [...call.unit.core.armed, ...Array.from({ length: times }, () => name)]);
  },
  "PUT arm": (call) => setArmed(call, call.body(z.array(scenario).max(armedMax))),
  "GET scenarios": () => ({ scenarios: [...scenarios.values()] }),
  "GET prompts": ({ unit }) => ({ prompts: waitingPrompts(unit), heldByDashboard: unit.phoneIsWatched }),
  "POST prompts/:id": answerRinging,
  "GET transactions": ({ unit, query }) => searchTransactions(unit, query),
  "GET transactions/:id": ({ unit, id }) => transactionDetail(findLocal(unit, id)),
  ...globalControls("collection", "confirm"),
  ...globalControls("disbursement", "complete"),
  "GET deliveries": deliveriesOf,
  "POST deliveries/:id/resend": ({ unit, id }) => deliveryView(resendDelivery(unit, id)),
  "GET requests": ({ unit, query }) => ({ requests: unit.page("request", { limit: limitIn(query) }) }),
  "GET ledger": ({ unit, query }) => ledgerOf(unit, query),
  // As the merchant's endpoints give them, but past any fault: a person who looks meets none and uses none up.
  "GET wallet": ({ unit }) => localWalletView(unit),
  "GET global-wallet": ({ unit }) => globalWalletView(unit),
  "GET providers": () => ({ success: true, providers: servedRails() }),
  /** Operators and bank codes, which are checked, but no endpoint of the service gives them. */
  "GET payees": () => ({ payees: Object.fromEntries(rails.map(({ rail, x: { operators, bankCodes } }) => [rail, { operators, bankCodes }])) }),
  "GET health": () => ({ status: "ok", pid: process.pid }),
  "GET statement-defects": ({ unit, query }) => ({ defects: defectsIn(unit, { defects: parseDefects(query.get("defects") ?? "1"), day: query.get("day") }) }),
};

const statementReply = (unit: Unit, query: URLSearchParams): Reply => ({
  status: 200,
  headers: { "content-type": "text/csv; charset=utf-8", "content-disposition": 'attachment; filename="statement.csv"' },
  body: statementOf(unit, { defects: parseDefects(query.get("defects")), day: query.get("day") }),
});

/** Answers one control call. Throws Refusal 404 for an unknown one. */
export const callControl = (unit: Unit, request: SandboxRequest, path: string, query: URLSearchParams): Reply => {
  const [name = "", id = "", ...verb] = path.split("/");
  const method = request.method === "HEAD" ? "GET" : request.method;
  const key = `${method} ${[name, ...(id === "" ? [] : [":id"]), ...verb].join("/")}`;
  if (key === "GET statement.csv") return statementReply(unit, query);
  const control = Object.hasOwn(controls, key) ? controls[key] : undefined;
  if (control === undefined) throw notFound("This control call");
  const body = <T>(schema: z.ZodType<T>): T => checked(schema, request.body.trim() === "" ? {} : parseJson(request.body));
  return jsonReply(200, control({ unit, id: decodeSegment(id), query, body }));
};

/** A phone is looked at, not a history: the newest alone. */
const lookedAt = 1_000;
/** A search reads no more than this, however long the list is. */
const searchedMax = 5_000;

/** Prompts that ring, newest first: pushes, and collections over PUSH rails (service 1.2 and 1.5). Assumed: a collection goes by its reference. */
export const waitingPrompts = (unit: Unit) =>
  unit
    .page("tx", { where: { flow: ["standard", "collection"], status: ["SENT", "PENDING"] }, limit: lookedAt })
    .filter(rings)
    .map((one) => ({
      transactionId: one.id,
      kind: one.flow === "collection" ? ("collection" as const) : ("stk" as const),
      phone: one.party,
      amount: toUnits(one.amount),
      currency: one.currency,
      reference: one.reference,
      rail: one.flow === "collection" ? one.provider : undefined,
      description: one.description,
      status: one.status,
      createdAt: isoOf(one.createdMs),
    }));

const numberIn = (query: URLSearchParams, name: string, otherwise: number, max: number): number =>
  Math.min(max, Math.max(0, Math.trunc(Number(query.get(name) ?? otherwise)) || 0));
const offsetIn = (query: URLSearchParams): number => numberIn(query, "offset", 0, Number.MAX_SAFE_INTEGER);

/** A phone as people write it (0712 345 678) is found by its digits; other text in any letter case. */
const asSearched = (text: string): string => {
  const trimmed = text.trim().toLowerCase();
  if (!/^[\d\s()+.-]+$/.test(trimmed)) return trimmed;
  return trimmed.replace(/\D/g, "").replace(/^0(?=[17]\d)/, "254");
};

/** Transactions with whom they are for and when, for a person who looks: by flow, status and a part of reference, id, phone or receipt. */
const searchTransactions = (unit: Unit, query: URLSearchParams) => {
  const where = { flow: localFlows.find((flow) => flow === query.get("flow")) ?? localFlows };
  const status = query.get("status") ?? "";
  const text = asSearched(query.get("text") ?? "");
  const [limit, offset] = [numberIn(query, "limit", 25, 200) || 25, offsetIn(query)];
  if (status === "" && text === "") return { transactions: unit.page("tx", { where, limit, offset }).map(transactionDetail), total: unit.count("tx", where) };
  const fits = (one: Transaction): boolean =>
    (status === "" || statusShown(one) === status) &&
    (text === "" || `${one.reference} ${one.id} ${one.party} ${one.metadata["mobileMoneyReceipt"] ?? ""}`.toLowerCase().includes(text));
  const found = unit.page("tx", { where, limit: searchedMax }).filter(fits);
  return { transactions: found.slice(offset, offset + limit).map(transactionDetail), total: found.length };
};

const wallets: readonly WalletName[] = ["balance", "b2c", "global", "b2cHeld", "globalHeld"];
/** The entries of a wallet, newest first; with `transaction`, those of one payment. */
const ledgerOf = (unit: Unit, query: URLSearchParams) => {
  const name = query.get("wallet") ?? "balance";
  const wallet = wallets.find((one) => one === name);
  if (wallet === undefined) throw invalid("wallet", `wallet must be one of ${wallets.join(", ")}.`);
  const transactionId = query.get("transaction");
  const where = { wallet, ...(transactionId === null ? {} : { transactionId }) };
  const entries = unit.page("entry", { where, limit: numberIn(query, "limit", 10_000, 10_000) || 10_000, offset: offsetIn(query) });
  return { wallet, entries: entries.map(entryDetail), total: unit.count("entry", where) };
};

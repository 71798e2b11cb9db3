import { routes } from "../service/contract/routes.ts";
import { checkoutToken, read } from "./api.ts";
import { numberOf, oneOf, searchTransactions, waitingPrompts } from "./control-lists.ts";
import { resendDelivery } from "./engine/callbacks.ts";
import { type Fault, faultKinds, type WalletName } from "./engine/entities.ts";
import { rails } from "./engine/rails.ts";
import { invalid, notFound, Refusal } from "./engine/refusal.ts";
import { scenarios } from "./engine/scenarios.ts";
import { advance, controlScope, found, scopes, step } from "./engine/step.ts";
import { isoOf, lettersOf, nextSequence } from "./engine/unit.ts";
import { deliveryView, entryDetail, globalRecordDetail, transactionDetail } from "./engine/views.ts";
import { jsonReply, type Reply, type SandboxRequest } from "./request.ts";
import type { Desk } from "./state-queue.ts";
import { defectsAsked, statementDefects, statementOf } from "./statement.ts";

type Body = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value);
const jsonOf = (request: SandboxRequest): unknown => {
  if (request.body.trim() === "") return {};
  try {
    return JSON.parse(request.body);
  } catch {
    throw new Refusal(400, "VALIDATION", "The body is not JSON.");
  }
};
const bodyOf = (request: SandboxRequest): Body => {
  const value = jsonOf(request);
  if (!isRecord(value)) throw new Refusal(400, "VALIDATION", "The body must be a JSON object.");
  return value;
};

const wholeMs = (value: unknown, name: string): number => {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 366 * 86_400_000)
    throw invalid(name, `${name} must be whole milliseconds, at most a year.`);
  return value;
};

const faultOf = (value: unknown): Fault => {
  const kind = isRecord(value) ? faultKinds.find((one) => one === value["kind"]) : undefined;
  if (!isRecord(value) || kind === undefined) throw invalid("kind", `kind must be one of ${faultKinds.join(", ")}.`);
  const { method, path, times } = value;
  if (method !== undefined && typeof method !== "string") throw invalid("method", "method must be text.");
  if (path !== undefined && typeof path !== "string") throw invalid("path", "path must be text.");
  if (times !== undefined && times !== null && (typeof times !== "number" || !Number.isInteger(times) || times < 1))
    throw invalid("times", "times must be a whole number from 1.");
  return { kind, ...(method === undefined ? {} : { method }), ...(path === undefined ? {} : { path }), ...(typeof times === "number" ? { times } : {}) };
};

const reset = (desk: Desk): unknown => {
  const { seed, keys, webhookSecret, clockOffsetMs } = desk.unit.core();
  desk.unit.tables.clear();
  // Key, secret and clock stay, so that what is set up goes on working.
  found(desk.unit, desk.at, { seed, apiKey: keys[0]?.apiKey, webhookSecret });
  desk.unit.change({ clockOffsetMs });
  return { success: true };
};

const makeKey = (desk: Desk, body: Body): unknown => {
  const wanted = body["scopes"];
  const allowed: readonly string[] = [...scopes, controlScope];
  if (!Array.isArray(wanted) || !wanted.every((one) => typeof one === "string" && allowed.includes(one)))
    throw invalid("scopes", `scopes must be a list of ${allowed.join(", ")}.`);
  const { seed } = desk.unit.core();
  const apiKey = `sk_sandbox_${lettersOf(seed + 13, nextSequence(desk.unit), 32).toLowerCase()}`;
  desk.unit.change({ keys: [...desk.unit.core().keys, { apiKey, scopes: wanted.map(String) }] });
  return { apiKey, scopes: wanted };
};

/** What belongs to one payment is sought among this many, newest first. */
const lookedThrough = 20_000;
const wallets: Readonly<Record<string, WalletName>> = { balance: "balance", b2c: "b2c", global: "global", b2cHeld: "b2cHeld", globalHeld: "globalHeld" };
const ledger = (desk: Desk, query: URLSearchParams): unknown => {
  const name = query.get("wallet") ?? "balance";
  const wallet = Object.hasOwn(wallets, name) ? wallets[name] : undefined;
  if (wallet === undefined) throw invalid("wallet", `wallet must be one of ${Object.keys(wallets).join(", ")}.`);
  const of = query.get("transaction");
  if (of !== null) {
    const entries = desk.unit.tables.page("entry", { group: wallet, limit: lookedThrough }).filter((one) => one.transactionId === of);
    return { wallet: name, entries: entries.map(entryDetail), total: entries.length };
  }
  const limit = numberOf(query, "limit", 10_000, 10_000) || 10_000;
  const entries = desk.unit.tables.page("entry", { group: wallet, limit, offset: numberOf(query, "offset", 0, Number.MAX_SAFE_INTEGER) });
  return { wallet: name, entries: entries.map(entryDetail), total: desk.unit.tables.count("entry", wallet) };
};

const settings = (desk: Desk, body: Body): unknown => {
  if (body["autoApproveAfterMs"] === undefined) throw invalid("autoApproveAfterMs", "autoApproveAfterMs must be milliseconds or null.");
  const wanted = body["autoApproveAfterMs"] === null ? null : wholeMs(body["autoApproveAfterMs"], "autoApproveAfterMs");
  desk.unit.change({ settings: { autoApproveAfterMs: wanted } });
  return desk.unit.core().settings;
};

const moveClock = (desk: Desk, body: Body): unknown => {
  const advanceMs = wholeMs(body["advanceMs"], "advanceMs");
  const core = desk.unit.core();
  desk.unit.change({ clockOffsetMs: core.clockOffsetMs + advanceMs });
  const at = { ...desk.at, nowMs: desk.at.nowMs + advanceMs };
  // What falls due on the way happens in the same step as the move.
  advance(desk.unit, at);
  return { now: isoOf(at.nowMs) };
};

const knownScenario = (name: unknown): string => {
  if (typeof name !== "string" || !scenarios.has(name)) throw invalid("scenario", `scenario must be one of ${[...scenarios.keys()].join(", ")}.`);
  return name;
};
const armedMax = 1_000;
const arm = (desk: Desk, body: Body): unknown => {
  const name = knownScenario(body["scenario"]);
  const times = body["times"] ?? 1;
  if (typeof times !== "number" || !Number.isInteger(times) || times < 1 || times > armedMax)
    throw invalid("times", "times must be a whole number from 1 to 1000.");
  desk.unit.change({ armed: [...desk.unit.core().armed, ...Array.from({ length: times }, () => name)].slice(0, armedMax) });
  return { armed: desk.unit.core().armed };
};
/** Replaces what is armed, as PUT faults does with faults. */
const replaceArmed = (desk: Desk, request: SandboxRequest): unknown => {
  const list = jsonOf(request);
  if (!Array.isArray(list) || list.length > armedMax) throw new Refusal(400, "VALIDATION", `The body must be a list of at most ${armedMax} scenarios.`);
  desk.unit.change({ armed: list.map(knownScenario) });
  return { armed: desk.unit.core().armed };
};

const replaceFaults = (desk: Desk, request: SandboxRequest): unknown => {
  const value = jsonOf(request);
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value["faults"]) ? value["faults"] : undefined;
  if (list === undefined || list.length > 100) throw new Refusal(400, "VALIDATION", "The body must be a list of at most 100 faults.");
  desk.unit.change({ faults: list.map(faultOf) });
  return { faults: desk.unit.core().faults };
};

/** As the merchant's endpoints give it, but past any fault: a person who looks is struck by none and uses none up. */
const mirrored = { wallet: routes.wallet, "global-wallet": routes.globalWallet, providers: routes.providers } as const;
const isMirrored = (name: string): name is keyof typeof mirrored => Object.hasOwn(mirrored, name);

/** Operators and bank codes are checked, and no endpoint of the service tells them (sandbox.md, Rails). */
const payees = () => Object.fromEntries(rails.map(({ rail, x: { operators, bankCodes } }) => [rail, { operators, bankCodes }]));

const reads = ({ method }: SandboxRequest): boolean => method === "GET" || method === "HEAD";
/** What only reads; undefined where there is none of the name. */
const lookUp = (desk: Desk, name: string, id: string | undefined, query: URLSearchParams): unknown => {
  const { unit, at } = desk;
  const list = { limit: Math.min(1_000, Math.max(1, Math.trunc(Number(query.get("limit") ?? 200)) || 200)) };
  if (id !== undefined) return name === "transactions" || name === "collections" || name === "disbursements" ? oneOf(desk, name, id) : undefined;
  if (isMirrored(name)) return read(desk, { route: mirrored[name], params: {} }, query);
  if (name === "payees") return { payees: payees() };
  if (name === "health") return { status: "ok", pid: process.pid };
  if (name === "prompts") return { prompts: waitingPrompts(unit) };
  if (name === "transactions") return searchTransactions(desk, query);
  if (name === "deliveries") {
    const of = query.get("transaction");
    const found =
      of === null ? unit.tables.page("delivery", list) : unit.tables.page("delivery", { limit: lookedThrough }).filter((one) => one.transactionId === of);
    return { deliveries: found.map(deliveryView) };
  }
  if (name === "requests") return { requests: unit.tables.page("request", list) };
  if (name === "collections")
    return {
      collections: unit.tables.page("collection", list).map((one) => ({ ...globalRecordDetail(one), checkoutToken: checkoutToken(unit.core().seed, one.id) })),
    };
  if (name === "disbursements") return { disbursements: unit.tables.page("disbursement", list).map(globalRecordDetail) };
  if (name === "faults") return { faults: unit.core().faults };
  if (name === "arm") return { armed: unit.core().armed };
  if (name === "settings") return unit.core().settings;
  if (name === "clock") return { now: isoOf(at.nowMs) };
  if (name === "scenarios") return { scenarios: [...scenarios.values()] };
  if (name === "ledger") return ledger(desk, query);
  if (name === "statement-defects") return { defects: statementDefects(unit, at, defectsAsked(query.get("defects") ?? "1"), query.get("day")) };
  return undefined;
};

/** What a POST does to one record; undefined where there is none of the name. */
const actOn = ({ unit, at }: Desk, name: string, id: string, body: Body): unknown => {
  const action = body["action"];
  if (name === "prompts") {
    const answered = step<"prompt">(unit, { kind: "prompt", id, action }, at);
    return "flow" in answered ? globalRecordDetail(answered) : transactionDetail(answered, at);
  }
  if (name === "collections") return globalRecordDetail(step<"settleCollection">(unit, { kind: "settleCollection", reference: id, action }, at));
  if (name === "disbursements") return globalRecordDetail(step<"settleDisbursement">(unit, { kind: "settleDisbursement", reference: id, action }, at));
  return undefined;
};

/** One control call; undefined where there is none of the method and name. */
const call = (desk: Desk, request: SandboxRequest, name: string, id: string | undefined, query: URLSearchParams): unknown => {
  const { unit, at } = desk;
  if (reads(request)) return lookUp(desk, name, id, query);
  if (request.method === "PUT") {
    if (id !== undefined) return undefined;
    if (name === "faults") return replaceFaults(desk, request);
    if (name === "arm") return replaceArmed(desk, request);
    if (name === "settings") return settings(desk, bodyOf(request));
    return undefined;
  }
  const body = bodyOf(request);
  if (id !== undefined) return actOn(desk, name, id, body);
  if (name === "reset") return reset(desk);
  if (name === "topup") {
    step<"topup">(unit, { kind: "topup", wallet: body["wallet"], amount: body["amount"] }, at);
    return { success: true };
  }
  if (name === "clock") return moveClock(desk, body);
  if (name === "keys") return makeKey(desk, body);
  if (name === "crypto") return transactionDetail(step<"crypto">(unit, { kind: "crypto", asset: body["asset"], amount: body["amount"] }, at), at);
  if (name === "arm") return arm(desk, body);
  return undefined;
};

const decoded = (text: string | undefined): string | undefined => {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The control API under `/_sandbox/` (sandbox.md): what a dashboard, a phone or a provider would do, and things going wrong on purpose. */
export const control = (desk: Desk, request: SandboxRequest, path: string, query: URLSearchParams): Reply => {
  const [name = "", rawId, verb, ...more] = path.split("/");
  const id = decoded(rawId);
  if (more.length > 0) throw notFound("This control call");
  if (name === "statement.csv" && id === undefined && reads(request)) {
    const text = statementOf(desk.unit, desk.at, { defects: defectsAsked(query.get("defects")), day: query.get("day") });
    return { status: 200, headers: { "content-type": "text/csv; charset=utf-8", "content-disposition": 'attachment; filename="statement.csv"' }, body: text };
  }
  if (name === "deliveries" && id !== undefined && verb === "resend" && request.method === "POST") {
    const delivery = resendDelivery(desk.unit, desk.at, id);
    if (delivery === undefined) throw notFound("The delivery");
    return jsonReply(200, deliveryView(delivery));
  }
  const answer = verb === undefined ? call(desk, request, name, id === "" ? undefined : id, query) : undefined;
  if (answer === undefined) throw notFound("This control call");
  return jsonReply(200, answer);
};

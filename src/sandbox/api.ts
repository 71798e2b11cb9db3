import { hash } from "node:crypto";
import { isIdempotencyKey } from "../service/contract/limits.ts";
import { routes } from "../service/contract/routes.ts";
import type { schemas as Schemas } from "../service/contract/schemas.ts";
import type { Transaction } from "./engine/entities.ts";
import { ratesFrom, toMinor, toUnits } from "./engine/money.ts";
import { rails } from "./engine/rails.ts";
import { invalid, Refusal } from "./engine/refusal.ts";
import { scenarioOfPhone, scenarios } from "./engine/scenarios.ts";
import { step } from "./engine/step.ts";
import { isoOf, lettersOf } from "./engine/unit.ts";
import { globalRecordView, globalWalletView, localWalletView, transactionSummary, transactionView } from "./engine/views.ts";
import type { SandboxRequest } from "./request.ts";
import type { Desk } from "./state-queue.ts";

export type Contract = typeof Schemas;
export type ApiRoute = (typeof routes)[keyof typeof routes];
/** The endpoints that create. */
export type Creating = Extract<ApiRoute, { readonly effect: "creates-payment" }>;
/** What is to be created, as the contract has it. */
export type Asked = { [K in Creating["id"]]: { readonly id: K; readonly body: ReturnType<Contract[K]["body"]["parse"]> } }[Creating["id"]];
export type Matched = { readonly route: ApiRoute; readonly params: Readonly<Record<string, string>> };

const byPath = new Map<string, ApiRoute[]>();
const fill = (): void => {
  for (const route of Object.values(routes)) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
};

const transactionPath = routes.getTransaction.path.slice(0, routes.getTransaction.path.indexOf(":"));

/** The endpoint of a request by the contract's routes; `allow` where the path is known and the method is another. */
export const matchRoute = (method: string, pathname: string): Matched | { readonly allow: string } | undefined => {
  if (byPath.size === 0) fill();
  const found = byPath.get(pathname);
  const asked = method === "HEAD" ? "GET" : method;
  if (found !== undefined) {
    const route = found.find((one) => one.method === asked);
    return route === undefined ? { allow: found.map((one) => one.method).join(", ") } : { route, params: {} };
  }
  if (!pathname.startsWith(transactionPath)) return undefined;
  const rest = pathname.slice(transactionPath.length);
  if (rest === "" || rest.includes("/")) return undefined;
  if (asked !== "GET") return { allow: "GET" };
  return { route: routes.getTransaction, params: { transactionId: decode(rest) } };
};
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Scopes that the document does not show (service 5.3). Assumed, as sandbox.md has it. */
export const scopeOf = (route: ApiRoute): string => {
  if ("scope" in route) return route.scope;
  if (route.path.startsWith("/api/v1/global")) return route.effect === "read" ? "global:read" : "global:write";
  return route.effect === "read" ? "payments:read" : "payments:write";
};

/** A JSON body checked against the contract: 400 names the field. */
export const parseBody = (contract: Contract, { id }: Creating, request: SandboxRequest): Asked => {
  const type = request.headers["content-type"];
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type))
    throw invalid("Content-Type", "A body is sent as Content-Type: application/json.");
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch {
    throw new Refusal(400, "VALIDATION", "The body is not JSON.");
  }
  const parsed = contract[id].body.safeParse(value);
  if (parsed.success) return { id, body: parsed.data } as Asked;
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String).join(".") ?? "";
  if (issue?.code === "unrecognized_keys") throw unknownFields(path, issue.keys);
  if (path === "") throw new Refusal(400, "VALIDATION", "The body must be a JSON object.");
  throw invalid(path, `${path}: ${issue?.message ?? "not valid"}.`);
};
const namedMax = 3;
const nameMax = 40;
/** Names the first few, and of each a part: a body of a megabyte must not come back as its own error. */
const unknownFields = (path: string, keys: readonly string[]): Refusal => {
  const names = keys.slice(0, namedMax).map((key) => `${path === "" ? "" : `${path}.`}${key.length > nameMax ? `${key.slice(0, nameMax)}…` : key}`);
  const more = keys.length > namedMax ? ` and ${keys.length - namedMax} more` : "";
  return invalid(names[0] ?? path, `${names.join(", ")}${more}: there is no such field.`);
};

/** Two checked bodies mean the same where their values are equal, whatever their spacing or way to write a number; checking puts their keys in the contract's order. */
export const meaningOf = (checked: unknown): string => hash("sha256", JSON.stringify(checked), "base64");

/** Bare or quoted, 1 to 255 visible ASCII characters (sandbox.md). */
export const idempotencyKeyOf = (request: SandboxRequest): string | undefined => {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = /^".*"$/.test(header) && header.length > 1 ? header.slice(1, -1) : header;
  if (!isIdempotencyKey(key)) throw invalid("Idempotency-Key", "Idempotency-Key must have 1 to 255 visible ASCII characters.");
  return key;
};

export const textField = (body: unknown, name: string): string | undefined => {
  const value: unknown = typeof body === "object" && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
  return typeof value === "string" ? value : undefined;
};

/** The scenario of a request: the header wins, then what is armed for the next creation, then the phone's digits. */
export const scenarioOf = (desk: Desk, request: SandboxRequest, body: unknown, creates: boolean): string | undefined => {
  const named = request.headers["x-sandbox-scenario"];
  if (named !== undefined) {
    if (!scenarios.has(named)) throw invalid("X-Sandbox-Scenario", `There is no scenario of that name. Scenarios: ${[...scenarios.keys()].join(", ")}.`);
    return named;
  }
  if (!creates) return undefined;
  const { armed } = desk.unit.core();
  const [next] = armed;
  if (next !== undefined) {
    desk.unit.change({ armed: armed.slice(1) });
    return next;
  }
  const phone = textField(body, "phone") ?? textField(body, "msisdn") ?? textField(body, "payeeMsisdn");
  return phone === undefined ? undefined : scenarioOfPhone(phone)?.name;
};

const limitMax = 100;
const whole = (text: string | null, name: string, least: number, otherwise: number): number => {
  if (text === null || text === "") return otherwise;
  if (!/^\d{1,12}$/.test(text) || Number(text) < least) throw invalid(name, `${name} must be a whole number from ${least}.`);
  return Number(text);
};

/** Service 4, GET transactions. Assumed: limit is 20 unless said, more than 100 is capped. */
export const listTransactions = (desk: Desk, query: URLSearchParams) => {
  const limit = Math.min(limitMax, whole(query.get("limit"), "limit", 1, 20));
  const offset = whole(query.get("offset"), "offset", 0, 0);
  const flow = query.get("flow") ?? "standard";
  if (flow !== "standard" && flow !== "b2c" && flow !== "all") throw invalid("flow", "flow must be standard, b2c or all.");
  const group = flow === "all" ? {} : { group: flow };
  const { tables } = desk.unit;
  const page = tables.page("tx", { ...group, limit, offset });
  return { transactions: page.map((one) => transactionSummary(one, desk.at)), total: tables.count("tx", group.group) };
};

const servedRails = rails.map(({ x: _, ...served }) => served);

/** The endpoints that only read. */
export const read = (desk: Desk, matched: Matched, query: URLSearchParams): unknown => {
  const { unit, at } = desk;
  switch (matched.route.id) {
    case "getTransaction":
      return transactionView(step<"query">(unit, { kind: "query", id: matched.params["transactionId"] ?? "" }, at), at);
    case "listTransactions":
      return listTransactions(desk, query);
    case "b2cStats":
      return { success: true, stats: { totalVolume: toUnits(unit.core().b2cVolume), count: unit.core().b2cCount } };
    case "wallet":
      return localWalletView(unit);
    case "providers":
      return { success: true, providers: servedRails };
    case "globalWallet":
      return globalWalletView(unit);
    case "fxRates": {
      const base = (query.get("base") ?? "USD").toUpperCase();
      const found = ratesFrom(base);
      if (found === undefined) throw invalid("base", "base is not a supported currency.");
      const hourMs = 3_600_000;
      return {
        success: true,
        rates: { base, rates: found, supportedCurrencies: Object.keys(found), fetchedAt: isoOf(Math.floor(at.nowMs / hourMs) * hourMs) },
      };
    }
    default:
      throw new Error(`${matched.route.id} is no read.`);
  }
};

/** Of what was asked for; by the time it is told, another amount may have moved (callback-early with other-amount). */
const payoutReply = (transaction: Transaction, amount: number) => ({
  transactionId: transaction.id,
  originatorConversationId: transaction.metadata["originatorConversationId"],
  conversationId: transaction.metadata["conversationId"],
  status: "QUEUED",
  message: "Payout queued for processing.",
  pricingQuote: { amount: toUnits(amount), fee: toUnits(transaction.carrierFee), total: toUnits(amount + transaction.carrierFee) },
});

/** The token that a checkout link carries: who has no link cannot pay or decline somebody else's collection. */
export const checkoutToken = (seed: number, reference: string): string => lettersOf(seed + 77, parseInt(reference.slice(3, 9), 36) || 0, 20);

/** Creates, and gives the reply. */
export const create = (desk: Desk, asked: Asked, scenario: string | undefined, baseUrl: string): unknown => {
  const { unit, at } = desk;
  switch (asked.id) {
    case "stkPush":
      return { transactionId: step<"push">(unit, { kind: "push", body: asked.body, scenario }, at).id, status: "SENT" };
    case "b2c": {
      const { phone, amount, reference, remarks, description = remarks, callbackUrl } = asked.body;
      const body = { phone, amount, reference, description, callbackUrl };
      return payoutReply(step<"payout">(unit, { kind: "payout", body, scenario }, at), toMinor(amount));
    }
    case "collect": {
      const collection = step<"collect">(unit, { kind: "collect", body: asked.body, scenario }, at);
      const url = `${baseUrl}/checkout/${collection.id}?token=${checkoutToken(unit.core().seed, collection.id)}`;
      const isPush = collection.flow === "PUSH";
      return {
        success: true,
        message: isPush ? "A prompt was sent to the payer's phone." : "Send the payer to authorizationUrl.",
        collection: globalRecordView(collection),
        ...(isPush ? {} : { authorizationUrl: url }),
      };
    }
    case "withdraw": {
      const disbursement = step<"withdraw">(unit, { kind: "withdraw", body: asked.body, scenario }, at);
      return { success: true, message: "Withdrawal accepted for processing.", disbursement: globalRecordView(disbursement) };
    }
  }
};

import { hash } from "node:crypto";
import { openApiDocument } from "../service/contract/openapi.ts";
import type { EndpointName } from "../service/contract/routes.ts";
import type { Replies } from "../service/contract/types.ts";
import { callControl } from "./control.ts";
import { type Call, endpoints } from "./endpoints.ts";
import { createPush } from "./engine/create-local.ts";
import type { Fault, FaultKind, StoredAnswer } from "./engine/entities.ts";
import { controlScope } from "./engine/merchant.ts";
import { invalid, Refusal } from "./engine/refusal.ts";
import { scenarioOfPhone, scenarios } from "./engine/scenarios.ts";
import type { Unit } from "./engine/unit.ts";
import { createRouter, type EndpointRoute, type Matched, parseBody, parseIdempotencyKey, parseQuery } from "./parse-request.ts";
import { jsonReply, type Reply, type SandboxAnswer, type SandboxRequest } from "./request.ts";

/** How long the answer of the fault and scenario `slow` takes. */
const slowMs = 45_000;

type Effect = {
  /** Given instead of doing what was asked. */
  readonly before?: SandboxAnswer | Refusal;
  /** Given instead of the answer to what was done. */
  readonly after?: (reply: Reply) => SandboxAnswer | Refusal;
};
const retryAfter = { headers: { "retry-after": "1" } };

/** What goes wrong on purpose. `insert-between-pages` changes the data and not the answer. */
const effects: Readonly<Record<FaultKind, Effect>> = {
  "reset-before": { before: { drop: "reset-before" } },
  "reset-after": { after: () => ({ drop: "reset-after" }) },
  "500-after": { after: () => new Refusal(500, "INTERNAL", "Something went wrong.") },
  "503": { before: new Refusal(503, "UNAVAILABLE", "The service is unavailable for a moment.", retryAfter) },
  "429": { before: new Refusal(429, "RATE_LIMITED", "Too many requests.", retryAfter) },
  "html-502": { before: { status: 502, headers: { "content-type": "text/html; charset=utf-8" }, body: "<html><body><h1>Bad Gateway</h1></body></html>" } },
  truncate: { after: (reply) => ({ drop: "truncate", reply }) },
  hang: { after: () => ({ drop: "hang" }) },
  slow: { after: (reply) => ({ ...reply, delayMs: slowMs }) },
  "insert-between-pages": {},
};

/** The scenarios that disturb the answer as a fault does. */
const faultsOfScenarios: Readonly<Record<string, FaultKind>> = {
  "drop-after-commit": "reset-after",
  "error-500-after-commit": "500-after",
  slow: "slow",
  unavailable: "503",
  "rate-limited": "429",
};
const effectOfScenario = (scenario: string | undefined): Effect =>
  scenario !== undefined && Object.hasOwn(faultsOfScenarios, scenario) ? effects[faultsOfScenarios[scenario] ?? "insert-between-pages"] : {};

const matches = ({ kind, method, path }: Fault, request: SandboxRequest, pathname: string): boolean => {
  // A payment arrives between two pages: creations neither meet this fault nor use it up.
  if (kind === "insert-between-pages" && request.method !== "GET" && request.method !== "HEAD") return false;
  if (method !== undefined && method !== "*" && method.toUpperCase() !== request.method) return false;
  if (path === undefined || path === "*") return true;
  const wanted = (path.split("?")[0] ?? "").split("/");
  const given = pathname.split("/");
  if (wanted.at(-1) === "*") return wanted.slice(0, -1).every((part, index) => part === given[index]);
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(":") || part === given[index]);
};
const findFault = (unit: Unit, request: SandboxRequest, pathname: string): Fault | undefined =>
  unit.core.faults.find((fault) => matches(fault, request, pathname));

/** One of its times is over; a fault without `times` stands until it is replaced. */
const consumeFault = (unit: Unit, fault: Fault): void => {
  const { times } = fault;
  if (times === undefined) return;
  unit.change({ faults: unit.core.faults.flatMap((one) => (one !== fault ? [one] : times > 1 ? [{ ...fault, times: times - 1 }] : [])) });
};

/** Assumed: an answer is stored for a day (service 4 does not show how long). */
const storedMs = 86_400_000;

/** What came of a request, beside its answer. */
export type Handled = {
  readonly answer: SandboxAnswer;
  readonly scenario?: string | undefined;
  readonly fault?: string | undefined;
  /** The transaction whose callback goes out before the answer is given (scenario `callback-early`). */
  readonly callbacksFirst?: string | undefined;
};

const refusalReply = ({ status, code, message, field, headers }: Refusal, requestId: string): Reply =>
  jsonReply(status, { success: false, code, message, ...(field === undefined ? {} : { field }), requestId }, { ...headers, "x-request-id": requestId });

const scopesOf = ({ core }: Unit, request: SandboxRequest): readonly string[] => {
  const apiKey = /^Bearer +(\S+)$/i.exec((request.headers["authorization"] ?? "").trim())?.[1];
  const found = apiKey === undefined ? undefined : core.keys.find((key) => key.apiKey === apiKey);
  if (found !== undefined) return found.scopes;
  const message = apiKey === undefined ? "The header Authorization: Bearer <API_KEY> is missing." : "This API key is not one of the sandbox's.";
  throw new Refusal(401, "UNAUTHORIZED", message, { headers: { "www-authenticate": "Bearer" } });
};
const needScope = (held: readonly string[], scope: string): void => {
  if (!held.includes(scope)) throw new Refusal(403, "SCOPE_REQUIRED", `This API key lacks the scope ${scope}.`);
};

const scenarioNamed = (request: SandboxRequest): string | undefined => {
  const named = request.headers["x-sandbox-scenario"];
  if (named !== undefined && !scenarios.has(named))
    throw invalid("X-Sandbox-Scenario", `There is no scenario of that name. Scenarios: ${[...scenarios.keys()].join(", ")}.`);
  return named;
};
type Payee = { readonly phone?: string; readonly msisdn?: string | undefined; readonly payeeMsisdn?: string | undefined };
/** The scenario of a creation: the header takes precedence, then what is armed for the next creation, then the phone's digits. */
const scenarioOfCreation = (unit: Unit, request: SandboxRequest, payee: Payee): string | undefined => {
  const named = scenarioNamed(request);
  if (named !== undefined) return named;
  const [next, ...rest] = unit.core.armed;
  if (next === undefined) return scenarioOfPhone(payee.phone ?? payee.msisdn ?? payee.payeeMsisdn ?? "")?.name;
  unit.change({ armed: rest });
  return next;
};

/** Scenarios that refuse: `unavailable`, and `rate-limited` twice for each key, or for what is asked without one. */
const refuseByScenario = (unit: Unit, scenario: string | undefined, id: string): void => {
  if (scenario === "rate-limited") {
    const count = (unit.get("scenarioUse", id)?.count ?? 0) + 1;
    unit.put("scenarioUse", { id, count });
    if (count > 2) return;
  }
  const refusal = effectOfScenario(scenario).before;
  if (refusal instanceof Refusal) throw refusal;
};

/** As Handled, before a refusal is written out. */
type Outcome = Omit<Handled, "answer"> & { readonly answer: SandboxAnswer | Refusal };
/** Answers in the way of the fault, which is used up, or of the scenario. */
const disturbed = (unit: Unit, fault: Fault | undefined, answer: () => Outcome & { readonly answer: Reply }): Outcome => {
  if (fault === undefined) {
    const made = answer();
    return { ...made, answer: effectOfScenario(made.scenario).after?.(made.answer) ?? made.answer };
  }
  consumeFault(unit, fault);
  const { before, after } = effects[fault.kind];
  if (before !== undefined) return { answer: before, fault: fault.kind };
  const made = answer();
  return { ...made, answer: after?.(made.answer) ?? made.answer, fault: fault.kind };
};

const answerOf = <Name extends EndpointName>(name: Name, call: Call<Name>): Replies[Name] => endpoints[name].answer(call);

/** The stored answer for this key; 422 for another body, 409 while the first request is being worked on. */
const replayOf = ({ nowMs }: Unit, stored: StoredAnswer, bodyHash: string): Reply => {
  if (stored.bodyHash !== bodyHash)
    throw new Refusal(422, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another body.", { field: "Idempotency-Key" });
  if (nowMs < stored.readyMs) throw new Refusal(409, "IDEMPOTENCY_IN_PROGRESS", "The first request with this Idempotency-Key is still being worked on.");
  return { status: stored.status, headers: { "content-type": "application/json; charset=utf-8", "idempotent-replayed": "true" }, body: stored.body };
};

type Received = { readonly request: SandboxRequest; readonly fault: Fault | undefined; readonly baseUrl: string };
const create = (unit: Unit, route: EndpointRoute, { request, fault, baseUrl }: Received): Outcome => {
  const key = parseIdempotencyKey(request);
  const body = parseBody(route.id, request);
  // Bodies are compared by meaning: the check has put their fields in the contract's order.
  const bodyHash = hash("sha256", JSON.stringify(body), "base64");
  const id = `${route.path}|${key ?? bodyHash}`;
  const stored = key === undefined ? undefined : unit.get("storedAnswer", id);
  if (stored !== undefined) {
    // A stored key is answered before 402 and 429 are considered; a fault that cuts the connection cuts replays too.
    const cutting = fault?.kind === "503" || fault?.kind === "429" ? undefined : fault;
    return disturbed(unit, cutting, () => ({ answer: replayOf(unit, stored, bodyHash) }));
  }
  return disturbed(unit, fault, () => {
    const scenario = scenarioOfCreation(unit, request, body ?? {});
    refuseByScenario(unit, scenario, id);
    const made = answerOf(route.id, { unit, body, query: undefined, params: {}, scenario, baseUrl });
    const reply = jsonReply(200, made);
    if (key !== undefined) {
      const readyMs = unit.nowMs + (scenario === "slow" || fault?.kind === "slow" ? slowMs : 0);
      unit.put("storedAnswer", { id, bodyHash, status: 200, body: reply.body, createdMs: unit.nowMs, readyMs, dueMs: unit.nowMs + storedMs });
    }
    const early = scenario === "callback-early" && "transactionId" in made ? made.transactionId : undefined;
    return { answer: reply, scenario, callbacksFirst: early };
  });
};

const read = (unit: Unit, { route, params }: Matched, search: string, { request, fault, baseUrl }: Received): Outcome =>
  disturbed(unit, fault, () => {
    const scenario = scenarioNamed(request);
    refuseByScenario(unit, scenario, `GET ${request.path}`);
    const query = parseQuery(route.id, search);
    const answer = jsonReply(200, answerOf(route.id, { unit, body: undefined, query, params, scenario, baseUrl }));
    if (fault?.kind === "insert-between-pages") insertPayment(unit);
    return { answer, scenario };
  });
/** A payment arrives while somebody turns pages, unless the service would refuse it (402). */
const insertPayment = (unit: Unit): void => {
  const body = { phone: "254700000001", amount: 10, reference: `ARRIVED-${unit.core.sequence + 1}` };
  try {
    createPush(unit, body, "ok");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
};

const splitPath = (path: string): { readonly pathname: string; readonly search: string } => {
  const at = path.indexOf("?");
  return at < 0 ? { pathname: path, search: "" } : { pathname: path.slice(0, at), search: path.slice(at + 1) };
};

const methods = ["GET", "HEAD", "POST", "PUT"];

/** Answers one request on the state. Never throws for what a caller sent; a fault of ours passes through, and nothing of it stays. */
export const createApp = (options: { readonly baseUrl: () => string; readonly requestId: () => string }) => {
  const matchRoute = createRouter();
  const dispatch = (unit: Unit, request: SandboxRequest): Outcome => {
    if (!methods.includes(request.method))
      throw new Refusal(405, "METHOD_NOT_ALLOWED", "Methods are GET, POST and PUT.", { headers: { allow: "GET, POST, PUT" } });
    const { pathname, search } = splitPath(request.path);
    if (pathname.startsWith("/_sandbox/")) {
      needScope(scopesOf(unit, request), controlScope);
      return { answer: callControl(unit, request, pathname.slice("/_sandbox/".length), new URLSearchParams(search)) };
    }
    // A description of the service is for everyone, and an unknown page is nobody's secret: a person's browser has no key.
    if (pathname === "/openapi.json" && request.method !== "POST" && request.method !== "PUT")
      return { answer: jsonReply(200, openApiDocument(options.baseUrl())) };
    if (!pathname.startsWith("/api/")) throw new Refusal(404, "NOT_FOUND", "There is no such page or endpoint.");
    const held = scopesOf(unit, request);
    const matched = matchRoute(request.method, pathname);
    if (matched === undefined) throw new Refusal(404, "NOT_FOUND", "There is no such endpoint.");
    if ("allow" in matched) throw new Refusal(405, "METHOD_NOT_ALLOWED", "This endpoint has another method.", { headers: { allow: matched.allow } });
    needScope(held, endpoints[matched.route.id].scope);
    const asked = { request, fault: findFault(unit, request, pathname), baseUrl: options.baseUrl() };
    return matched.route.effect === "creates-payment" ? create(unit, matched.route, asked) : read(unit, matched, search, asked);
  };
  return (unit: Unit, request: SandboxRequest): Handled => {
    try {
      const outcome = dispatch(unit, request);
      return { ...outcome, answer: outcome.answer instanceof Refusal ? refusalReply(outcome.answer, options.requestId()) : outcome.answer };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { answer: refusalReply(error, options.requestId()) };
    }
  };
};

/** Answers a fault of ours. If the disk refused, it is not known whether the change stands, so nothing is said of that. */
export const replyToFault = (error: unknown, requestId: string): Reply => {
  const isBusy = error instanceof Error && /locked|busy|closed/i.test(error.message);
  const refusal = isBusy
    ? new Refusal(503, "UNAVAILABLE", "The sandbox's data is busy for a moment.", { headers: { "retry-after": "1" } })
    : new Refusal(500, "INTERNAL", "The sandbox failed to answer. Look before you repeat it.");
  return refusalReply(refusal, requestId);
};

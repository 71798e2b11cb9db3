import {
  type Contract,
  type Creating,
  create,
  idempotencyKeyOf,
  type Matched,
  matchRoute,
  meaningOf,
  parseBody,
  read,
  scenarioOf,
  scopeOf,
  textField,
} from "./api.ts";
import { control } from "./control.ts";
import type { Fault, FaultKind, Kept } from "./engine/entities.ts";
import { Refusal } from "./engine/refusal.ts";
import { step } from "./engine/step.ts";
import { jsonReply, type Reply, type SandboxAnswer, type SandboxRequest } from "./request.ts";
import type { Desk } from "./state-queue.ts";

/** Assumed: an answer is kept for a day (service 4 does not show how long). */
const keptMs = 86_400_000;
/** sandbox.md: `slow` takes 45 s. */
export const slowMs = 45_000;

/** What came of a request, beside its answer. */
export type Handled = {
  readonly answer: SandboxAnswer;
  readonly scenario?: string | undefined;
  readonly fault?: string | undefined;
  /** The transaction whose callback goes out before the answer is given (scenario `callback-early`). */
  readonly callbacksFirst?: string | undefined;
};
export type AppOptions = { readonly contract: Contract; readonly baseUrl: () => string; readonly requestId: () => string };

const refusalReply = (refusal: Refusal, requestId: string): Reply =>
  jsonReply(
    refusal.status,
    { success: false, code: refusal.code, message: refusal.message, ...(refusal.field === undefined ? {} : { field: refusal.field }), requestId },
    { ...refusal.headers, "x-request-id": requestId },
  );

const failureNow = (kind: FaultKind | string): SandboxAnswer | undefined => {
  if (kind === "reset-before") return { drop: "reset-before" };
  if (kind === "html-502")
    return { status: 502, headers: { "content-type": "text/html; charset=utf-8" }, body: "<html><body><h1>Bad Gateway</h1></body></html>" };
  if (kind === "503") throw new Refusal(503, "UNAVAILABLE", "The service is unavailable for a moment. Nothing was done.", { headers: { "retry-after": "1" } });
  if (kind === "429") throw new Refusal(429, "RATE_LIMITED", "Too many requests.", { headers: { "retry-after": "1" } });
  return undefined;
};
/** What a fault or scenario makes of an answer that is ready. */
const disturb = (kind: FaultKind | string | undefined, reply: Reply, { requestId }: AppOptions): SandboxAnswer => {
  if (kind === "reset-after" || kind === "drop-after-commit") return { drop: "reset-after" };
  if (kind === "hang") return { drop: "hang" };
  if (kind === "truncate") return { drop: "truncate", reply };
  if (kind === "slow") return { ...reply, delayMs: slowMs };
  if (kind === "500-after" || kind === "error-500-after-commit") return refusalReply(new Refusal(500, "INTERNAL", "Something went wrong."), requestId());
  return reply;
};

const isReadMethod = (method: string): boolean => method === "GET" || method === "HEAD";
const matches = (fault: Fault, method: string, pathname: string): boolean => {
  if (fault.times === 0) return false;
  // A page is what it comes between: what creates is not struck, and uses none of it up.
  if (fault.kind === "insert-between-pages" && !isReadMethod(method)) return false;
  if (fault.method !== undefined && fault.method !== "*" && fault.method.toUpperCase() !== method) return false;
  if (fault.path === undefined || fault.path === "*") return true;
  const wanted = (fault.path.split("?")[0] ?? "").split("/");
  const asked = pathname.split("/");
  if (wanted.at(-1) === "*") return wanted.slice(0, -1).every((part, at) => part === asked[at]);
  return wanted.length === asked.length && wanted.every((part, at) => part.startsWith(":") || part === asked[at]);
};
const strike = (desk: Desk, fault: Fault): void => {
  if (fault.times === undefined) return;
  const left = desk.unit.core().faults.map((one) => (one === fault ? { ...one, times: fault.times === undefined ? 0 : fault.times - 1 } : one));
  desk.unit.change({ faults: left.filter((one) => one.times !== 0) });
};

const authorize = (desk: Desk, request: SandboxRequest): readonly string[] => {
  const header = request.headers["authorization"] ?? "";
  const key = /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
  const found = key === undefined ? undefined : desk.unit.core().keys.find((one) => one.apiKey === key);
  if (found === undefined) {
    throw new Refusal(
      401,
      "UNAUTHORIZED",
      key === undefined ? "The header Authorization: Bearer <API_KEY> is missing." : "This API key is not one of the sandbox's.",
      {
        headers: { "www-authenticate": "Bearer" },
      },
    );
  }
  return found.scopes;
};
const needScope = (held: readonly string[], scope: string): void => {
  if (!held.includes(scope)) throw new Refusal(403, "SCOPE_REQUIRED", `This API key lacks the scope ${scope}.`);
};

/** `rate-limited`: twice, then ok. Counted by key, or by what is asked where there is none. */
const countStrike = (desk: Desk, id: string): number => {
  const count = (desk.unit.tables.get("strike", id)?.count ?? 0) + 1;
  desk.unit.tables.put("strike", { id, count });
  return count;
};

/** A kept answer for this key; 422 for another body, 409 while the first is being worked on. */
const replayOf = (desk: Desk, kept: Kept, hash: string): Reply => {
  if (kept.bodyHash !== hash)
    throw new Refusal(422, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another body.", { field: "Idempotency-Key" });
  if (desk.at.nowMs < kept.readyMs) throw new Refusal(409, "IDEMPOTENCY_IN_PROGRESS", "The first request with this Idempotency-Key is still being worked on.");
  return {
    status: kept.status,
    headers: { "content-type": "application/json; charset=utf-8", "idempotent-replayed": "true" },
    body: kept.body,
  };
};

const creation = (desk: Desk, route: Creating, request: SandboxRequest, fault: Fault | undefined, options: AppOptions): Handled => {
  const key = idempotencyKeyOf(request);
  const asked = parseBody(options.contract, route, request);
  const hash = meaningOf(asked.body);
  const keptId = `${route.path}|${key ?? hash}`;
  const found = key === undefined ? undefined : desk.unit.tables.get("kept", keptId);
  const kept = found !== undefined && desk.at.nowMs - found.createdMs < keptMs ? found : undefined;
  if (kept !== undefined) {
    // A kept key answers before 402 and 429 are considered; a cut connection cuts replays too.
    const cuts = fault !== undefined && fault.kind !== "503" && fault.kind !== "429" ? fault : undefined;
    if (cuts !== undefined) strike(desk, cuts);
    const now = cuts === undefined ? undefined : failureNow(cuts.kind);
    return { answer: now ?? disturb(cuts?.kind, replayOf(desk, kept, hash), options), fault: cuts?.kind };
  }
  if (fault !== undefined) strike(desk, fault);
  const failure = fault === undefined ? undefined : failureNow(fault.kind);
  if (failure !== undefined) return { answer: failure, fault: fault?.kind };
  const scenario = scenarioOf(desk, request, asked.body, true);
  if (scenario === "unavailable") failureNow("503");
  if (scenario === "rate-limited" && countStrike(desk, keptId) <= 2) failureNow("429");
  const made = desk.attempt(() => create(desk, asked, scenario, options.baseUrl()));
  const reply = jsonReply(200, made);
  const slow = scenario === "slow" || fault?.kind === "slow";
  if (key !== undefined) {
    const { nowMs } = desk.at;
    if (found !== undefined) desk.unit.tables.remove("kept", keptId);
    const readyMs = slow ? nowMs + slowMs : nowMs;
    desk.unit.tables.put("kept", {
      id: keptId,
      bodyHash: hash,
      status: reply.status,
      body: String(reply.body),
      createdMs: nowMs,
      readyMs,
      dueMs: nowMs + keptMs,
    });
  }
  const answer = disturb(fault?.kind ?? scenario, reply, options);
  return { answer, scenario, fault: fault?.kind, ...(scenario === "callback-early" ? { callbacksFirst: textField(made, "transactionId") } : {}) };
};

const reading = (desk: Desk, matched: Matched, request: SandboxRequest, search: string, fault: Fault | undefined, options: AppOptions): Handled => {
  if (fault !== undefined) strike(desk, fault);
  const failure = fault === undefined ? undefined : failureNow(fault.kind);
  if (failure !== undefined) return { answer: failure, fault: fault?.kind };
  const scenario = scenarioOf(desk, request, undefined, false);
  if (scenario === "unavailable") failureNow("503");
  if (scenario === "rate-limited" && countStrike(desk, `GET ${request.path}`) <= 2) failureNow("429");
  const reply = jsonReply(200, read(desk, matched, new URLSearchParams(search)));
  if (fault?.kind === "insert-between-pages") insertOne(desk);
  return { answer: disturb(fault?.kind ?? scenario, reply, options), scenario, fault: fault?.kind };
};
/** A payment arrives while somebody turns pages; where the service would refuse one (402) none does, and the page is given all the same. */
const insertOne = (desk: Desk): void => {
  const reference = `ARRIVED-${desk.unit.core().sequence + 1}`;
  try {
    desk.attempt(() => step<"push">(desk.unit, { kind: "push", body: { phone: "254700000001", amount: 10, reference }, scenario: "ok" }, desk.at));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
};

const dispatch = (desk: Desk, request: SandboxRequest, options: AppOptions): Handled => {
  const [pathname = "/", search = ""] = splitPath(request.path);
  if (pathname.startsWith("/_sandbox/")) {
    needScope(authorize(desk, request), "sandbox:control");
    return { answer: control(desk, request, pathname.slice("/_sandbox/".length), new URLSearchParams(search)) };
  }
  // An unknown page is nobody's secret: a person's browser has no key.
  if (!pathname.startsWith("/api/")) throw new Refusal(404, "NOT_FOUND", "There is no such page or endpoint.");
  const held = authorize(desk, request);
  const matched = matchRoute(request.method, pathname);
  if (matched === undefined) throw new Refusal(404, "NOT_FOUND", "There is no such endpoint.");
  if ("allow" in matched) throw new Refusal(405, "METHOD_NOT_ALLOWED", "This endpoint has another method.", { headers: { allow: matched.allow } });
  needScope(held, scopeOf(matched.route));
  const fault = desk.unit.core().faults.find((one) => matches(one, request.method, pathname));
  if (matched.route.effect === "creates-payment") return creation(desk, matched.route, request, fault, options);
  return reading(desk, matched, request, search, fault, options);
};

const splitPath = (path: string): readonly [string, string] => {
  const at = path.indexOf("?");
  return at === -1 ? [path, ""] : [path.slice(0, at), path.slice(at + 1)];
};

/** Answers one request on the state. Never throws for what a caller sent; a fault of ours passes through, and nothing of it stays. */
export const handleOn = (desk: Desk, request: SandboxRequest, options: AppOptions): Handled => {
  const { method } = request;
  try {
    if (method !== "GET" && method !== "HEAD" && method !== "POST" && method !== "PUT")
      throw new Refusal(405, "METHOD_NOT_ALLOWED", "Methods are GET, POST and PUT.", { headers: { allow: "GET, POST, PUT" } });
    return dispatch(desk, request, options);
  } catch (error) {
    if (error instanceof Refusal) return { answer: refusalReply(error, options.requestId()) };
    throw error;
  }
};

/** Does answering change nothing, as far as one can tell beforehand? */
export const isRead = (request: SandboxRequest): boolean => isReadMethod(request.method);

/** What a fault of ours is answered with. Of what the disk refused it is not known whether it stands, so nothing is said of that. */
export const replyToFault = (error: unknown, requestId: string): Reply => refusalReply(refusalOfFault(error), requestId);
const refusalOfFault = (error: unknown): Refusal => {
  if (error instanceof Error && /locked|busy|closed/i.test(error.message))
    return new Refusal(503, "UNAVAILABLE", "The sandbox's data is busy; nothing was done.", { headers: { "retry-after": "1" } });
  return new Refusal(500, "INTERNAL", "The sandbox failed to answer. Look before you repeat it.");
};

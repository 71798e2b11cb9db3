import type { Fault, FaultKind } from "./engine/entities.ts";
import { Refusal } from "./engine/refusal.ts";
import type { Unit } from "./engine/unit.ts";
import type { Reply, SandboxAnswer, SandboxRequest } from "./request.ts";

/** How long the answer of the fault and scenario `slow` takes. */
export const slowMs = 45_000;

type Effect = {
  /** Given instead of doing what was asked. */
  readonly before?: SandboxAnswer | Refusal;
  /** Given instead of the answer to what was done. */
  readonly after?: (reply: Reply) => SandboxAnswer | Refusal;
};
const retryAfter = { headers: { "retry-after": "1" } };

/** What goes wrong on purpose. `insert-between-pages` changes the data and not the answer. */
export const effects: Readonly<Record<FaultKind, Effect>> = {
  "reset-before": { before: { drop: "reset-before" } },
  "reset-after": { after: () => ({ drop: "reset-after" }) },
  "500-after": { after: () => new Refusal(500, "INTERNAL", "Something went wrong.") },
  "503": { before: new Refusal(503, "UNAVAILABLE", "The service is unavailable for a moment. Nothing was done.", retryAfter) },
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
export const effectOfScenario = (scenario: string | undefined): Effect =>
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
export const findFault = (unit: Unit, request: SandboxRequest, pathname: string): Fault | undefined =>
  unit.core.faults.find((fault) => matches(fault, request, pathname));

/** One of its times is over; a fault without `times` stands until it is replaced. */
export const consumeFault = (unit: Unit, fault: Fault): void => {
  const { times } = fault;
  if (times === undefined) return;
  unit.change({ faults: unit.core.faults.flatMap((one) => (one !== fault ? [one] : times > 1 ? [{ ...fault, times: times - 1 }] : [])) });
};

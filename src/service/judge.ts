import { CliError, type ErrorDetails, type ErrorKind } from "../errors.ts";
import type { TryOutcome } from "../journal/port.ts";
import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";
import { type AnswerKind, type Operation, operationRoutes, type Route } from "./contract/routes.ts";
import { type Decoded, readErrorBody, statusWords } from "./decode.ts";

/**
 * What one try came to: its outcome for the payment, and whether another try can help. `error` is how the call ends if nothing better
 * follows. `wait`: another request with this key is being worked on (409), so a later try costs none of the tries.
 */
export type Verdict<T> =
  | { readonly outcome: "answered"; readonly value: T }
  | { readonly outcome: Exclude<TryOutcome, "answered">; readonly error: CliError; readonly next: "stop" | "retry" | "wait" };

type StatusAnswer = { readonly status: number; readonly decoded: Decoded };

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** Exit codes of refusals (rules.md, Exit codes): 401 and 403 are 3, 404 is 4, 402 is 5, all other 4xx 6. */
const kindOfStatus = (status: number): ErrorKind => {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not-found";
  if (status === 402) return "payment-required";
  return "rejected";
};

type Remedy = Pick<ErrorDetails, "hint" | "command">;
/** Of a key that is not accepted. */
export const otherKey: Remedy = { hint: "Set another key with payments-cli login or PAYMENTS_API_KEY. To see which one was used", command: ["whoami"] };

const remedyOf = (status: number, scope: string | undefined): Remedy => {
  if (status === 401) return otherKey;
  if (status === 403) return { hint: `The key lacks ${scope === undefined ? "a scope for this" : `the scope ${scope}`}: use a key that has it.` };
  if (status === 402) return { hint: "Add service credits on the service's dashboard, then run the same command again." };
  if (status === 429) return { hint: "Too many requests: wait a while, then run the same command again." };
  return {};
};

/** A 4xx, or a 2xx with `"success": false`, as an error. The service's own words, else the status. */
const refusalOf = ({ status, decoded }: StatusAnswer, scope?: string): CliError => {
  const { code, message } = readErrorBody(decoded.body);
  const kind = isSuccess(status) ? "rejected" : kindOfStatus(status);
  return new CliError(kind, message ?? `The service answered ${statusWords(status, decoded.kind)}.`, {
    status,
    code,
    ...remedyOf(status, scope),
    retryable: status === 429,
  });
};

/** A 3xx, 408, 5xx or unreadable answer: nothing can be concluded from it. `why` says what is wrong with the JSON of a 2xx. */
const unreadableOf = ({ status, decoded }: StatusAnswer, why?: string): CliError => {
  const { code, message } = readErrorBody(decoded.body);
  const words = statusWords(status, decoded.kind);
  if (isSuccess(status)) {
    const fault = decoded.kind === "json" && why !== undefined ? `${status} ${why}` : words;
    const said = message === undefined ? "" : ` It said: ${message}`;
    return new CliError("unavailable", `The service's answer cannot be used: it answered ${fault}.${said}`, {
      status,
      hint: "Is the base URL the service's? To check it",
      command: ["doctor"],
    });
  }
  if (status >= 300 && status <= 399) {
    return new CliError("unavailable", `The service answered with a redirect, ${words}, which is not followed.`, {
      status,
      hint: "The base URL may be wrong: a redirect would take the key elsewhere. To check it",
      command: ["doctor"],
    });
  }
  return new CliError("unavailable", message ?? `The service answered ${words}.`, {
    status,
    code,
    hint: message === undefined ? undefined : `The service answered ${words}; try again later.`,
  });
};

const isThere = (body: Json | undefined, path: string, kind: AnswerKind): boolean => {
  const value = path.split(".").reduce<Json | undefined>((at, name) => fieldOf(at, name), body);
  if (kind === "list") return Array.isArray(value);
  if (kind === "object") return isObject(value);
  const text = (textOf(value) ?? "").trim();
  return text !== "" && !(kind === "id" && /^(?:null|undefined|none|nil|nan|false|0)$/i.test(text));
};

/** The first of the members a 2xx of this endpoint must have that it lacks (rules.md: a 2xx without them is unreadable). */
const missingName = (body: Json | undefined, { answers }: Route): string | undefined =>
  Object.entries(answers).find(([path, kind]) => !isThere(body, path, kind))?.[0];

/**
 * What a 2xx says of its own success, whatever the letter case of the name: nothing counts as yes. `false` alone is a clear no.
 * Assumed: text, numbers and null that do not mean yes (`"false"`, 0) are a fault of the service, after which a payment may exist.
 */
const claimOf = (body: Json | undefined): "yes" | "no" | "unclear" => {
  const claims = isObject(body) ? Object.keys(body).flatMap((name) => (name.toLowerCase() === "success" ? [body[name]] : [])) : [];
  if (claims.includes(false)) return "no";
  return claims.every((claim) => claim === true || /^(?:true|1|y|yes|ok|success|successful)$/i.test((textOf(claim) ?? "").trim())) ? "yes" : "unclear";
};

const unclearClaim = "with a `success` that is not true";

/** Judges a complete answer for a route. */
export const judge = (answer: StatusAnswer, route: Route): Verdict<Json> => {
  const { status, decoded } = answer;
  const creates = route.effect === "creates-payment";
  if (isSuccess(status)) {
    const claim = claimOf(decoded.body);
    if (claim === "no") return { outcome: "refused", next: "stop", error: refusalOf(answer, route.scope) };
    const missing = missingName(decoded.body, route);
    if (claim === "yes" && decoded.body !== undefined && missing === undefined) return { outcome: "answered", value: decoded.body };
    return { outcome: "unanswered", next: "retry", error: unreadableOf(answer, claim === "unclear" ? unclearClaim : `without \`${missing}\``) };
  }
  if (status === 409 && creates) return { outcome: "unanswered", next: "wait", error: refusalOf(answer, route.scope) };
  return judgeFailure(answer, route.scope);
};

/** Judges an answer by its status alone, as nothing is known of the endpoint. `reads`: nothing can have been done. */
export const judgeUnknown = (answer: StatusAnswer, reads: boolean): Verdict<undefined> => {
  if (!isSuccess(answer.status)) return judgeFailure(answer);
  const claim = claimOf(answer.decoded.body);
  if (claim === "no") return { outcome: "refused", next: "stop", error: refusalOf(answer) };
  if (claim === "yes" || reads) return { outcome: "answered", value: undefined };
  return { outcome: "unanswered", next: "retry", error: unreadableOf(answer, unclearClaim) };
};

/** What an answer other than a 2xx says, whatever was asked: a 3xx, 408 and 5xx say nothing about what was done. */
const judgeFailure = (answer: StatusAnswer, scope?: string): Exclude<Verdict<never>, { readonly outcome: "answered" }> => {
  const { status } = answer;
  if (status < 400 || status > 499 || status === 408) return { outcome: "unanswered", next: "retry", error: unreadableOf(answer) };
  return { outcome: "refused", next: status === 429 ? "retry" : "stop", error: refusalOf(answer, scope) };
};

type CreatedRecord = { readonly id: string | undefined; readonly status: string | undefined };

/**
 * Id and status in the answer to a creation (service 4). The contract names the path of the id, which every success must have; the
 * status is beside it.
 */
export const createdRecordOf = (operation: Operation, body: Json): CreatedRecord => {
  const path = Object.keys(operationRoutes[operation].answers).join().split(".");
  const record = path.slice(0, -1).reduce<Json | undefined>((at, name) => fieldOf(at, name), body);
  return { id: textOf(fieldOf(record, path.at(-1) ?? "")), status: textOf(fieldOf(record, "status")) };
};

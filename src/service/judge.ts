import { CliError, type ErrorKind } from "../errors.ts";
import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";
import type { Route } from "./contract/routes.ts";
import type { Decoded } from "./decode.ts";
import { readErrorBody, statusWords } from "./error-body.ts";

/** What one try came to. `error` is how the call ends if nothing better follows. */
export type Verdict<T> =
  | { readonly end: "answered"; readonly value: T }
  /** The service said no: no later try can change that. */
  | { readonly end: "refused"; readonly error: CliError }
  /** 429: nothing was done, and it may be asked again. */
  | { readonly end: "throttled"; readonly error: CliError }
  /** 409 to a creation: another request with this key is being worked on. */
  | { readonly end: "in-progress"; readonly error: CliError }
  /** No answer that says whether it was done. `left` is false only where certainly nothing left this machine. */
  | { readonly end: "unanswered"; readonly error: CliError; readonly left: boolean; readonly hopeless?: true };

type StatusAnswer = { readonly status: number; readonly decoded: Decoded };

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** Exit codes of refusals (rules.md, Exit codes): 401 and 403 are 3, 404 is 4, 402 is 5, all other 4xx 6. */
const kindOfStatus = (status: number): ErrorKind => {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not-found";
  if (status === 402) return "payment-required";
  return "rejected";
};

const hintOf = (status: number, scope: string | undefined): string | undefined => {
  if (status === 401) return "The key was not accepted: `payments-cli whoami` shows which one is used, `payments-cli login` sets another.";
  if (status === 403) return `The key lacks ${scope === undefined ? "a scope for this" : `the scope ${scope}`}: use a key that has it.`;
  if (status === 402) return "Add service credits on the service's dashboard, then run the same command again.";
  if (status === 429) return "Too many requests: wait a while, then run the same command again.";
  return undefined;
};

/** A 4xx, or a 2xx with `"success": false`, as an error. The service's own words, else the status. */
export const refusalOf = ({ status, decoded }: StatusAnswer, scope?: string): CliError => {
  const { code, message } = readErrorBody(decoded.body);
  const kind = isSuccess(status) ? "rejected" : kindOfStatus(status);
  return new CliError(kind, message ?? `The service answered ${statusWords(status, decoded.kind)}.`, {
    status,
    code,
    hint: hintOf(status, scope),
    retryable: status === 429,
  });
};

/** A 3xx, 408, 5xx or unreadable answer: nothing can be concluded from it. `why` says what is wrong with the JSON of a 2xx. */
export const unreadableOf = ({ status, decoded }: StatusAnswer, why?: string): CliError => {
  const { code, message } = readErrorBody(decoded.body);
  const words = statusWords(status, decoded.kind);
  if (isSuccess(status)) {
    const fault = decoded.kind === "json" && why !== undefined ? `${status} ${why}` : words;
    const said = message === undefined ? "" : ` It said: ${message}`;
    return new CliError("unavailable", `The service's answer cannot be used: it answered ${fault}.${said}`, {
      status,
      hint: "Is the base URL the service's? `payments-cli doctor` checks it.",
    });
  }
  if (status >= 300 && status <= 399) {
    return new CliError("unavailable", `The service answered with a redirect, ${words}, which is not followed.`, {
      status,
      hint: "The base URL may be wrong: a redirect would take the key elsewhere. `payments-cli doctor` checks it.",
    });
  }
  return new CliError("unavailable", message ?? `The service answered ${words}.`, {
    status,
    code,
    hint: message === undefined ? undefined : `The service answered ${words}; try again later.`,
  });
};

const lists: readonly string[] = ["transactions", "providers"];
const objects: readonly string[] = ["wallet", "stats", "rates"];
/** What a creation answers: 0 and "null" name no payment. */
const ids: readonly string[] = ["transactionId", "reference"];

const isThere = (body: Json | undefined, path: string): boolean => {
  const names = path.split(".");
  const value = names.reduce<Json | undefined>((at, name) => fieldOf(at, name), body);
  const last = names.at(-1) ?? "";
  if (lists.includes(last)) return Array.isArray(value);
  if (objects.includes(last)) return isObject(value);
  const text = (textOf(value) ?? "").trim();
  return text !== "" && !(ids.includes(last) && /^(?:null|undefined|none|nil|nan|false|0)$/i.test(text));
};

/** The first of the names a 2xx of this endpoint must have that it lacks (rules.md: a 2xx without them is unreadable). */
export const missingName = (body: Json | undefined, names: readonly string[]): string | undefined => names.find((name) => !isThere(body, name));

/**
 * What a 2xx says of its own success, whatever the letter case of the name: nothing counts as yes. `false` alone is a clear no.
 * Assumed: text, numbers and null that do not mean yes (`"false"`, 0) are a fault of the service, after which a payment may exist.
 */
export const claimOf = (body: Json | undefined): "yes" | "no" | "unclear" => {
  const claims = isObject(body) ? Object.keys(body).flatMap((name) => (name.toLowerCase() === "success" ? [body[name]] : [])) : [];
  if (claims.includes(false)) return "no";
  return claims.every((claim) => claim === true || /^(?:true|1|y|yes|ok|success|successful)$/i.test((textOf(claim) ?? "").trim())) ? "yes" : "unclear";
};

export const unclearClaim = "with a `success` that is not true";

/** Judges a complete answer for a route. */
export const judge = (answer: StatusAnswer, route: Route): Verdict<Json> => {
  const { status, decoded } = answer;
  const creates = route.effect === "creates-payment";
  if (isSuccess(status)) {
    const claim = claimOf(decoded.body);
    if (claim === "no") return { end: "refused", error: refusalOf(answer, route.scope) };
    const missing = missingName(decoded.body, route.answers);
    if (claim === "yes" && decoded.body !== undefined && missing === undefined) return { end: "answered", value: decoded.body };
    return { end: "unanswered", left: true, error: unreadableOf(answer, claim === "unclear" ? unclearClaim : `without \`${missing}\``) };
  }
  if (status === 429) return { end: "throttled", error: refusalOf(answer, route.scope) };
  if (status === 409 && creates) return { end: "in-progress", error: refusalOf(answer, route.scope) };
  if (status >= 400 && status <= 499 && status !== 408) return { end: "refused", error: refusalOf(answer, route.scope) };
  return { end: "unanswered", left: true, error: unreadableOf(answer) };
};

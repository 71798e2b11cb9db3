import { STATUS_CODES } from "node:http";
import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";

/** What the body of an answer is, so that one that is no JSON is named and never dumped (rules.md, Living with what is not shown). */
export type BodyKind = "json" | "html" | "empty" | "text" | "binary";

export type ErrorBody = { readonly code?: string; readonly message?: string };

const longest = 500;

/** Text of the service inside a sentence of ours, bounded. It may hold anything: what shows it makes it harmless (output/sanitize.ts). */
export const excerpt = (text: string): string => {
  const trimmed = text.trim();
  return trimmed.length > longest ? `${trimmed.slice(0, longest).replace(/\p{Surrogate}$/u, "")}…` : trimmed;
};

const wordsOf = (value: Json | undefined): string | undefined => {
  if (Array.isArray(value)) {
    const texts = value.filter((item): item is string => typeof item === "string" && item.trim() !== "");
    return texts.length === 0 ? undefined : excerpt(texts.join("; "));
  }
  if (typeof value !== "string") return undefined;
  const cleaned = excerpt(value);
  return cleaned === "" ? undefined : cleaned;
};

const firstOf = (errors: Json | undefined): Json | undefined => {
  if (Array.isArray(errors)) return errors[0];
  // Some answer a map from field to its faults.
  const first = isObject(errors) ? Object.values(errors)[0] : undefined;
  return Array.isArray(first) ? first[0] : first;
};

const messageIn = (source: Json | undefined): string | undefined =>
  typeof source === "string"
    ? wordsOf(source)
    : (wordsOf(fieldOf(source, "message")) ?? wordsOf(fieldOf(source, "detail")) ?? wordsOf(fieldOf(source, "title")));

const codeIn = (source: Json | undefined): string | undefined => {
  const code = textOf(fieldOf(source, "code"));
  return code === undefined || excerpt(code) === "" ? undefined : excerpt(code);
};

/** Finds code and message at the top level, under `error` (text or object), in the first of `errors`, or as RFC 9457 has them. */
export const readErrorBody = (body: Json | undefined): ErrorBody => {
  const error = fieldOf(body, "error");
  const first = firstOf(fieldOf(body, "errors"));
  const own = wordsOf(fieldOf(body, "message"));
  const problem = wordsOf(fieldOf(body, "detail")) ?? wordsOf(fieldOf(body, "title"));
  const message = own ?? messageIn(error) ?? messageIn(first) ?? problem ?? (typeof body === "string" ? wordsOf(body) : undefined);
  // A text under `error` beside a message is the code: {"error":"INVALID_PHONE","message":"…"}.
  const token = own !== undefined && typeof error === "string" && /^[A-Za-z][\w.-]*$/.test(error) ? error : undefined;
  const code = codeIn(body) ?? codeIn(error) ?? codeIn(first) ?? token;
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) };
};

/** What kind of thing arrived, by its text first: a content type may lie. */
export const bodyKindOf = (text: string | undefined, isJson: boolean): BodyKind => {
  if (text === undefined) return "binary";
  if (isJson) return "json";
  const start = text.trimStart().slice(0, 300).toLowerCase();
  if (start === "") return "empty";
  return /^<(?:!doctype\s+html|!--|[a-z][a-z0-9]*[\s/>])/.test(start) ? "html" : "text";
};

const kindWords: Record<BodyKind, string> = {
  json: "",
  html: " with an HTML page in place of JSON",
  empty: " with an empty body",
  text: " with a body that is not JSON",
  binary: " with a body that is not text",
};

/** `502 (Bad Gateway) with an HTML page in place of JSON`. */
export const statusWords = (status: number, kind: BodyKind): string => {
  const name = STATUS_CODES[status];
  return `${status}${name === undefined ? "" : ` (${name})`}${kindWords[kind]}`;
};

import { isUtf8 } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { fieldOf, isObject, type Json, parseExact, present, textOf } from "../json/exact-json.ts";
import { answerBytesMax, type TransportAnswer } from "./transport.ts";

/** What the body of an answer is, so that one that is no JSON is named and never dumped (rules.md, Living with what is not shown). */
type BodyKind = "json" | "html" | "empty" | "text" | "binary";

type ErrorBody = { readonly code?: string; readonly message?: string };

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
  return present({ code, message });
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

export type Decoded = {
  readonly kind: BodyKind;
  readonly body: Json | undefined /** As it came; replacement characters where it was no UTF-8. */;
  readonly text: string;
};

/** Nobody asked for compression (Accept-Encoding says so), but some gateways send it all the same, and a readable answer beats an unknown outcome. */
const unpack = async (answer: TransportAnswer): Promise<Uint8Array | undefined> => {
  const coding = (answer.headers["content-encoding"] ?? "").trim().toLowerCase();
  if (coding === "" || coding === "identity" || answer.body.byteLength === 0) return answer.body;
  const zlib = await import("node:zlib");
  const limit = { maxOutputLength: answerBytesMax };
  try {
    if (coding === "gzip" || coding === "x-gzip") return zlib.gunzipSync(answer.body, limit);
    if (coding === "br") return zlib.brotliDecompressSync(answer.body, limit);
    if (coding === "deflate") return zlib.inflateSync(answer.body, limit);
    return undefined;
  } catch {
    // A damaged body and an unknown coding are the same to the caller: unreadable, which it tells.
    return undefined;
  }
};

/** Deeper than any answer of this service, and far from what would overrun the stack when it is shown. */
const depthMax = 500;

/** Plain loops: it goes through every answer, and making lists of all there is took as long as reading the text. */
const isDeeper = (value: Json | undefined, left: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (isObject(value)) {
    if (left === 0) return true;
    for (const key in value) if (isDeeper(value[key], left - 1)) return true;
    return false;
  }
  if (!Array.isArray(value)) return false;
  if (left === 0) return true;
  for (const one of value) if (isDeeper(one, left - 1)) return true;
  return false;
};

/** Reads a body as UTF-8 JSON (a BOM is tolerated). Never throws: `kind` says what it is instead. */
export const decodeBody = async (answer: TransportAnswer): Promise<Decoded> => {
  const bytes = await unpack(answer);
  if (bytes === undefined) return { kind: "binary", body: undefined, text: "" };
  const text = new TextDecoder().decode(bytes);
  // A gateway's page in another encoding is still a page.
  if (!isUtf8(bytes)) return { kind: bodyKindOf(text, false) === "html" ? "html" : "binary", body: undefined, text };
  try {
    const body = parseExact(text);
    // What cannot be shown is no answer: a creation's outcome is then unknown, not a fault of this program.
    return isDeeper(body, depthMax) ? { kind: "text", body: undefined, text } : { kind: "json", body, text };
  } catch {
    return { kind: bodyKindOf(text, false), body: undefined, text };
  }
};

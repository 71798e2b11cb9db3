import { isUtf8 } from "node:buffer";
import { isObject, type Json, parseExact } from "../json/exact-json.ts";
import { type BodyKind, bodyKindOf } from "./error-body.ts";
import { answerBytesMax, type TransportAnswer } from "./transport.ts";

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

import { type Json, parseExact } from "../kernel/exact-json.ts";
import { type BodyKind, bodyKindOf } from "./error-body.ts";
import type { TransportAnswer } from "./transport.ts";

/** The largest body and, apart from it, what it may unpack to. */
export const bodyBytesMax = 64 * 1024 * 1024;

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
  const limit = { maxOutputLength: bodyBytesMax };
  try {
    if (coding === "gzip" || coding === "x-gzip") return zlib.gunzipSync(answer.body, limit);
    if (coding === "br") return zlib.brotliDecompressSync(answer.body, limit);
    if (coding === "deflate") return zlib.inflateSync(answer.body, limit);
  } catch {
    // Damaged: unreadable, as any other coding is.
  }
  return undefined;
};

/** Reads a body as UTF-8 JSON (a BOM is tolerated). Never throws: `kind` says what it is instead. */
export const decodeBody = async (answer: TransportAnswer): Promise<Decoded> => {
  const bytes = await unpack(answer);
  if (bytes === undefined) return { kind: "binary", body: undefined, text: "" };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const lossy = new TextDecoder("utf-8").decode(bytes);
    // A gateway's page in another encoding is still a page.
    return { kind: bodyKindOf(lossy, false) === "html" ? "html" : "binary", body: undefined, text: lossy };
  }
  try {
    return { kind: "json", body: parseExact(text), text };
  } catch {
    return { kind: bodyKindOf(text, false), body: undefined, text };
  }
};

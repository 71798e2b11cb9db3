import { createHmac, timingSafeEqual } from "node:crypto";
import { signatureSchemes } from "../service/contract/limits.ts";

export type SignatureScheme = (typeof signatureSchemes)[number];
export const isSignatureScheme = (text: string): text is SignatureScheme => signatureSchemes.some((scheme) => scheme === text);

/** Seconds a timestamp may be away from now, on either side. */
export const toleranceSeconds = 300;
/** Header of the hmac schemes unless the profile names another. */
export const defaultSignatureHeader = "X-Payments-Signature";

export type VerifyInput = {
  readonly scheme: SignatureScheme;
  /** Header of the hmac schemes; any case. */
  readonly header?: string | undefined;
  /** As they arrived, names in any case. */
  readonly headers: Headers;
  /** The bytes as they arrived. */
  readonly body: Uint8Array;
  /** Any of them may have signed: secrets are rolled. */
  readonly secrets: readonly string[];
  /** The moment of checking, seconds since 1970. */
  readonly nowSeconds: number;
};
/** `reason` says why it is not valid; `hint` what probably happened, such as a body that was changed after it was signed. */
export type Verdict = { readonly valid: boolean; readonly id?: string; readonly reason?: string; readonly hint?: string };

type Headers = Readonly<Record<string, string>>;
/** What the headers claim: the signatures offered, and what is signed before the body. */
type Claim = { readonly signatures: readonly string[]; readonly prefix: string; readonly timestamp?: number; readonly id?: string };
type Digest = { readonly algorithm: "sha256" | "sha512"; readonly encoding: "hex" | "base64" };
const digests: Readonly<Record<SignatureScheme, Digest>> = {
  "standard-webhooks": { algorithm: "sha256", encoding: "base64" },
  stripe: { algorithm: "sha256", encoding: "hex" },
  "hmac-sha256-hex": { algorithm: "sha256", encoding: "hex" },
  "hmac-sha256-base64": { algorithm: "sha256", encoding: "base64" },
  "hmac-sha512-hex": { algorithm: "sha512", encoding: "hex" },
};

/** Why the headers hold no signature that could be checked. */
class NoClaim extends Error {}

/** Throws NoClaim. */
const readClaim = ({ scheme, header = defaultSignatureHeader, headers }: VerifyInput): Claim => {
  const need = (name: string): string => {
    const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
    if (value === undefined || (value === "" && /-(?:id|timestamp)$/.test(name))) throw new NoClaim(`the header ${name} is missing`);
    return value.trim();
  };
  const stamped = (offered: readonly string[], mark: string, stamp: string): { readonly signatures: readonly string[]; readonly timestamp: number } => {
    if (!/^\d{1,15}$/.test(stamp)) throw new NoClaim("the timestamp is not a number");
    const signatures = offered.filter((part) => part.startsWith(mark)).map((part) => part.slice(mark.length));
    if (signatures.length === 0) throw new NoClaim("there is no v1 signature");
    return { signatures, timestamp: Number(stamp) };
  };
  if (scheme === "standard-webhooks") {
    const [id, stamp, signature] = [need("webhook-id"), need("webhook-timestamp"), need("webhook-signature")];
    if (signature === "") throw new NoClaim("the header webhook-signature is empty");
    // Repeated headers arrive joined by ", ".
    return { ...stamped(signature.split(/,?\s+|,$/), "v1,", stamp), prefix: `${id}.${stamp}.`, id };
  }
  if (scheme === "stripe") {
    const parts = need("Stripe-Signature")
      .toLowerCase()
      .split(/\s*,\s*/);
    const stamp = parts.find((part) => part.startsWith("t="))?.slice(2);
    if (stamp === undefined) throw new NoClaim("there is no timestamp (t=) in Stripe-Signature");
    return { ...stamped(parts, "v1=", stamp), prefix: `${stamp}.` };
  }
  const value = need(header);
  if (value === "") throw new NoClaim(`the header ${header} is empty`);
  const { algorithm, encoding } = digests[scheme];
  return { signatures: [encoding === "base64" ? value : value.toLowerCase().replace(new RegExp(`^${algorithm}=`), "")], prefix: "" };
};

/** The HMAC key of a secret; undefined if Standard Webhooks needs base64 and it is not base64. */
const keyOf = (scheme: SignatureScheme, secret: string): Uint8Array | undefined => {
  if (scheme !== "standard-webhooks") return Buffer.from(secret, "utf8");
  const text = secret.replace(/^whsec_/, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
};

/**
 * With fewer bytes, the secret was cut off, or anybody finds the key by trying. Assumed: how long the service's secrets are is not shown;
 * Standard Webhooks asks for 24 bytes, others give less.
 */
const secretBytesMin = 4;

/** Why a secret protects nothing, as the end of a sentence that begins with "it"; undefined if nothing speaks against it. */
export const secretProblem = (scheme: SignatureScheme, secret: string): string | undefined => {
  // Everybody knows the prefix, also where it is a part of the key.
  const text = secret.trim().replace(/^whsec_/, "");
  const bytes = keyOf(scheme, text) ?? Buffer.from(text, "utf8");
  return bytes.length < secretBytesMin ? `holds ${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}, and needs ${secretBytesMin} or more` : undefined;
};

/** A signature with each key. */
const signWith = ({ algorithm, encoding }: Digest, keys: readonly Uint8Array[], prefix: string, body: Uint8Array): readonly string[] =>
  keys.map((key) => createHmac(algorithm, key).update(prefix).update(body).digest(encoding));

/** Compared as text in constant time, so that no lenient decoder has a say; another length is another signature, not a crash. */
const isSame = (offered: string, expected: string): boolean => {
  const left = Buffer.from(offered, "utf8");
  const right = Buffer.from(expected, "utf8");
  return left.length === right.length && timingSafeEqual(left, right);
};

const away = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;

/**
 * Was this body signed with one of the secrets, just now? Never throws. `reason` is half a sentence for people, with
 * no secret and no expected signature in it. Standard Webhooks and Stripe also bind the time: 300 s either way.
 */
export const verifySignature = (input: VerifyInput): Verdict => {
  let claim: Claim;
  try {
    claim = readClaim(input);
  } catch (error) {
    if (error instanceof NoClaim) return { valid: false, reason: error.message };
    throw error;
  }
  const known = claim.id === undefined ? {} : { id: claim.id };
  const keys = input.secrets.flatMap((secret) => keyOf(input.scheme, secret) ?? []);
  if (keys.length === 0) {
    const reason = input.secrets.length === 0 ? "there is no secret to check with" : "the secret is not base64, as Standard Webhooks has it";
    return { valid: false, ...known, reason };
  }
  // Each is compared with each, so that the time taken says nothing.
  const fits = (body: Uint8Array): boolean =>
    signWith(digests[input.scheme], keys, claim.prefix, body)
      .flatMap((expected) => claim.signatures.map((offered) => isSame(offered, expected)))
      .includes(true);
  if (!fits(input.body)) return { valid: false, ...known, reason: "the signature does not match", hint: changeHint(input.body, fits) };
  const age = claim.timestamp === undefined ? 0 : input.nowSeconds - claim.timestamp;
  if (age > toleranceSeconds) return { valid: false, ...known, reason: `the timestamp is old (${away(age)}, at most ${toleranceSeconds} s are allowed)` };
  if (age < -toleranceSeconds)
    return { valid: false, ...known, reason: `the timestamp is ahead (by ${away(-age)}, at most ${toleranceSeconds} s are allowed)` };
  return { valid: true, ...known };
};

/** Changes a JSON text outside of its strings. */
const outside = (text: string, change: (part: string) => string): string =>
  text.replace(/\s+$/, "").replace(/"(?:[^"\\]|\\.)*"|[^"]+/gs, (part) => (part.startsWith('"') ? part : change(part)));
const withDecimals = (text: string, decimals: string): string => outside(text, (part) => part.replace(/(:\s*-?\d+)(?![\d.eE])/g, `$1${decimals}`));
/** What an editor or a JSON library may have done to a body, and how it is undone. */
const changes: readonly (readonly [what: string, undo: (text: string) => string])[] = [
  ["a line end was added", (text) => text.replace(/\s+$/, "")],
  ["its last line end was cut", (text) => `${text}\n`],
  ["line ends were changed", (text) => text.replaceAll("\r\n", "\n")],
  ["line ends were changed", (text) => text.replace(/\r?\n/g, "\r\n")],
  ["a byte order mark was added", (text) => text.replace(/^\ufeff/, "")],
  ["it was written again with other spacing", (text) => outside(text, (part) => part.replace(/\s+/g, ""))],
  ["it was written again with other spacing", (text) => outside(text, (part) => part.replace(/\s+/g, "").replace(/[:,]/g, "$& "))],
  ["it was parsed and written again: a number lost its decimals", (text) => withDecimals(text, ".0")],
  ["it was parsed and written again: a number lost its decimals", (text) => withDecimals(text, ".00")],
];
/** How the body was probably changed after it was signed. */
const changeHint = (body: Uint8Array, fits: (body: Uint8Array) => boolean): string => {
  const text = Buffer.from(body).toString("utf8");
  const isSmall = body.length <= 256 * 1024;
  const change = isSmall ? changes.find(([, undo]) => undo(text) !== text && fits(Buffer.from(undo(text), "utf8")))?.[0] : undefined;
  return change === undefined
    ? "either the secret is another one, or the body was changed after it was signed: parsed and written again, or a line end added; only the bytes received can be checked"
    : `the body was changed after it was signed (${change}); only the bytes received can be checked`;
};

export type SignInput = {
  readonly scheme: SignatureScheme;
  readonly header?: string | undefined;
  /** While secrets are rolled a delivery is signed with each, where the scheme has room for that; else with the first. */
  readonly secrets: readonly string[];
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: Uint8Array;
};

/** The headers a signed delivery carries; undefined where no secret can be a key of this scheme. */
export const signDelivery = ({ scheme, header = defaultSignatureHeader, secrets, id, timestampSeconds: at, body }: SignInput): Headers | undefined => {
  const keys = secrets.flatMap((secret) => keyOf(scheme, secret) ?? []);
  if (keys.length === 0) return undefined;
  const signed = (prefix: string, mark = ""): readonly string[] => signWith(digests[scheme], keys, prefix, body).map((one) => `${mark}${one}`);
  const stamped = { "webhook-id": id, "webhook-timestamp": String(at) };
  if (scheme === "standard-webhooks") return { ...stamped, "webhook-signature": signed(`${id}.${at}.`, "v1,").join(" ") };
  if (scheme === "stripe") return { ...stamped, "stripe-signature": [`t=${at}`, ...signed(`${at}.`, "v1=")].join(",") };
  return { ...stamped, [header.toLowerCase()]: signed("")[0] ?? "" };
};

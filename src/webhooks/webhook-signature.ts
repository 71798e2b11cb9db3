import { createHmac, timingSafeEqual } from "node:crypto";

/** How callbacks can be signed. The service does not say which it uses (service 6), so it is a setting. */
export const signatureSchemes = ["standard-webhooks", "stripe", "hmac-sha256-hex", "hmac-sha256-base64", "hmac-sha512-hex"] as const;
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
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they arrived. */
  readonly body: Uint8Array;
  /** Any of them may have signed: secrets are rolled. */
  readonly secrets: readonly string[];
  /** The moment of checking, seconds since 1970. */
  readonly nowSeconds: number;
};
/** `reason` says why it is not valid; `hint` what probably happened, such as a body that was changed after it was signed. */
export type Verdict = { readonly valid: boolean; readonly id?: string; readonly reason?: string; readonly hint?: string };

type Digest = { readonly algorithm: "sha256" | "sha512"; readonly encoding: "hex" | "base64" };
/** What a scheme reads from the headers: the signatures offered, and what is signed around the body. */
type Claim =
  | { readonly reason: string }
  | { readonly signatures: readonly string[]; readonly digest: Digest; readonly prefix: string; readonly timestamp?: number; readonly id?: string };

const headerOf = (headers: Readonly<Record<string, string>>, name: string): string | undefined => {
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === wanted) return value;
  return undefined;
};

const secondsOf = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

const readStandard = (headers: VerifyInput["headers"]): Claim => {
  const id = headerOf(headers, "webhook-id");
  const stamp = headerOf(headers, "webhook-timestamp");
  const signature = headerOf(headers, "webhook-signature");
  if (id === undefined || id === "") return { reason: "the header webhook-id is missing" };
  if (stamp === undefined || stamp === "") return { reason: "the header webhook-timestamp is missing" };
  if (signature === undefined) return { reason: "the header webhook-signature is missing" };
  const timestamp = secondsOf(stamp);
  if (timestamp === undefined) return { reason: "the timestamp is not a number" };
  // Repeated headers arrive joined by ", ".
  const offered = signature
    .split(/\s+/)
    .map((part) => part.replace(/,$/, ""))
    .filter((part) => part !== "");
  if (offered.length === 0) return { reason: "the header webhook-signature is empty" };
  const signatures = offered.filter((part) => part.startsWith("v1,")).map((part) => part.slice(3));
  if (signatures.length === 0) return { reason: "there is no v1 signature" };
  return { signatures, digest: { algorithm: "sha256", encoding: "base64" }, prefix: `${id}.${stamp}.`, timestamp, id };
};

const readStripe = (headers: VerifyInput["headers"], name: string): Claim => {
  const value = headerOf(headers, name);
  if (value === undefined) return { reason: `the header ${name} is missing` };
  const parts = value.split(",").map((part) => part.trim());
  const stamp = parts.find((part) => part.startsWith("t="))?.slice(2);
  if (stamp === undefined) return { reason: `there is no timestamp (t=) in ${name}` };
  const timestamp = secondsOf(stamp);
  if (timestamp === undefined) return { reason: "the timestamp is not a number" };
  const signatures = parts.filter((part) => part.startsWith("v1=")).map((part) => part.slice(3).toLowerCase());
  if (signatures.length === 0) return { reason: "there is no v1 signature" };
  return { signatures, digest: { algorithm: "sha256", encoding: "hex" }, prefix: `${stamp}.`, timestamp };
};

const readHmac = (headers: VerifyInput["headers"], name: string, digest: Digest): Claim => {
  const value = headerOf(headers, name)?.trim();
  if (value === undefined) return { reason: `the header ${name} is missing` };
  if (value === "") return { reason: `the header ${name} is empty` };
  if (digest.encoding === "base64") return { signatures: [value], digest, prefix: "" };
  const bare = value.toLowerCase().replace(new RegExp(`^${digest.algorithm}=`), "");
  return { signatures: [bare], digest, prefix: "" };
};

const digestOf = (scheme: SignatureScheme): Digest => ({
  algorithm: scheme === "hmac-sha512-hex" ? "sha512" : "sha256",
  encoding: scheme === "standard-webhooks" || scheme === "hmac-sha256-base64" ? "base64" : "hex",
});

const readClaim = (input: VerifyInput): Claim => {
  if (input.scheme === "standard-webhooks") return readStandard(input.headers);
  if (input.scheme === "stripe") return readStripe(input.headers, "Stripe-Signature");
  return readHmac(input.headers, input.header ?? defaultSignatureHeader, digestOf(input.scheme));
};

/** The HMAC key of a secret; undefined if Standard Webhooks needs base64 and it is not base64. */
const keyOf = (scheme: SignatureScheme, secret: string): Uint8Array | undefined => {
  if (scheme !== "standard-webhooks") return Buffer.from(secret, "utf8");
  const text = secret.replace(/^whsec_/, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
};

/** With fewer bytes, or fewer different ones, others can find the key by trying. Standard Webhooks asks for 24; older services give less. */
const secretBytesMin = 8;
const differentBytesMin = 4;

/** Why a secret protects nothing, as the end of a sentence that begins with "it"; undefined if nothing speaks against it. */
export const secretProblem = (scheme: SignatureScheme, secret: string): string | undefined => {
  // Everybody knows the prefix, also where it is a part of the key.
  const text = secret.trim().replace(/^whsec_/, "");
  const bytes = keyOf(scheme, text) ?? Buffer.from(text, "utf8");
  if (bytes.length < secretBytesMin) return `holds ${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}, and needs ${secretBytesMin} or more`;
  return new Set(bytes).size < differentBytesMin ? "repeats the same few bytes" : undefined;
};

const sign = (key: Uint8Array, digest: Digest, prefix: string, body: Uint8Array): string =>
  createHmac(digest.algorithm, key).update(prefix).update(body).digest(digest.encoding);

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
  const claim = readClaim(input);
  if ("reason" in claim) return { valid: false, reason: claim.reason };
  const known = claim.id === undefined ? {} : { id: claim.id };
  const keys = input.secrets.flatMap((secret) => keyOf(input.scheme, secret) ?? []);
  if (keys.length === 0) {
    const reason = input.secrets.length === 0 ? "there is no secret to check with" : "the secret is not base64, as Standard Webhooks has it";
    return { valid: false, ...known, reason };
  }
  const fits = (body: Uint8Array): boolean => {
    let found = false;
    for (const key of keys) {
      const expected = sign(key, claim.digest, claim.prefix, body);
      for (const offered of claim.signatures) found = isSame(offered, expected) || found;
    }
    return found;
  };
  if (!fits(input.body)) {
    const change = bodiesBefore(input.body).find(([, body]) => fits(body))?.[0];
    const hint =
      change === undefined
        ? "either the secret is another one, or the body was changed after it was signed: parsed and written again, or a line end added; only the bytes received can be checked"
        : `the body was changed after it was signed (${change}); only the bytes received can be checked`;
    return { valid: false, ...known, reason: "the signature does not match", hint };
  }
  if (claim.timestamp === undefined) return { valid: true, ...known };
  const age = input.nowSeconds - claim.timestamp;
  if (age > toleranceSeconds) return { valid: false, ...known, reason: `the timestamp is old (${away(age)}, at most ${toleranceSeconds} s are allowed)` };
  if (age < -toleranceSeconds)
    return { valid: false, ...known, reason: `the timestamp is ahead (by ${away(-age)}, at most ${toleranceSeconds} s are allowed)` };
  return { valid: true, ...known };
};

/** What the body may have been before an editor or a JSON library went over it. Small: it only serves the hint. */
const bodiesBefore = (body: Uint8Array): readonly (readonly [string, Uint8Array])[] => {
  if (body.length > 256 * 1024) return [];
  const text = Buffer.from(body).toString("utf8");
  const trimmed = text.replace(/\s+$/, "");
  const found: [string, string][] = [
    ["a line end was added", trimmed],
    ["its last line end was cut", `${text}\n`],
    ["line ends were changed", text.replaceAll("\r\n", "\n")],
    ["line ends were changed", text.replace(/\r?\n/g, "\r\n")],
    ["a byte order mark was added", text.replace(/^\ufeff/, "")],
  ];
  const outside = (change: (part: string) => string): string =>
    trimmed.replace(/"(?:[^"\\]|\\.)*"|[^"]+/gs, (part) => (part.startsWith('"') ? part : change(part)));
  const compact = outside((part) => part.replace(/\s+/g, ""));
  found.push(["it was written again with other spacing", compact]);
  found.push(["it was written again with other spacing", outside((part) => part.replace(/\s+/g, "").replace(/[:,]/g, "$& "))]);
  for (const decimals of [".0", ".00"]) {
    const withDecimals = outside((part) => part.replace(/(:\s*-?\d+)(?![\d.eE])/g, `$1${decimals}`));
    found.push([`it was parsed and written again: a number lost its decimals`, withDecimals]);
  }
  return found.filter(([, one]) => one !== text).map(([what, one]) => [what, Buffer.from(one, "utf8")] as const);
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
export const signDelivery = (input: SignInput): Readonly<Record<string, string>> | undefined => {
  const keys = input.secrets.flatMap((secret) => keyOf(input.scheme, secret) ?? []);
  const [first] = keys;
  if (first === undefined) return undefined;
  const digest = digestOf(input.scheme);
  const at = String(input.timestampSeconds);
  const stamped = { "webhook-id": input.id, "webhook-timestamp": at };
  if (input.scheme === "standard-webhooks") {
    const signatures = keys.map((key) => `v1,${sign(key, digest, `${input.id}.${at}.`, input.body)}`);
    return { ...stamped, "webhook-signature": signatures.join(" ") };
  }
  if (input.scheme === "stripe") {
    const signatures = keys.map((key) => `v1=${sign(key, digest, `${at}.`, input.body)}`);
    return { ...stamped, "stripe-signature": [`t=${at}`, ...signatures].join(",") };
  }
  return { ...stamped, [(input.header ?? defaultSignatureHeader).toLowerCase()]: sign(first, digest, "", input.body) };
};

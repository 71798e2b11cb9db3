import { signatureSchemes } from "../service/contract/limits.ts";
import { type SignatureScheme, verifySignature } from "../webhooks/webhook-signature.ts";

export type { SignatureScheme };
export type WebhookInput = {
  /** As they arrived, names in any letter case: `request.headers` of Node, or an object made from a `Headers`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes or the text as they arrived. A body that was parsed and written again has another signature. */
  readonly body: Uint8Array | string;
  /** One secret, or several while secrets are rolled: any of them may have signed. */
  readonly secret: string | readonly string[] | undefined;
  /** `standard-webhooks` unless given. */
  readonly scheme?: SignatureScheme;
  /** The header of the hmac schemes (X-Payments-Signature). */
  readonly header?: string;
  /** The moment of checking, ms since 1970; now unless given. */
  readonly nowMs?: number;
};
/** `id` is the delivery's: the same for each try, so that a repeated one can be told. */
export type WebhookVerdict = { readonly valid: true; readonly id?: string } | { readonly valid: false; readonly reason: string };

/** Whether a callback was signed with the secret, and recently at `nowMs`. Never throws: without a secret nothing is valid. */
export const checkWebhook = ({ headers, body, secret, scheme = "standard-webhooks", header }: Omit<WebhookInput, "nowMs">, nowMs: number): WebhookVerdict => {
  const secrets = (Array.isArray(secret) ? secret : [secret]).flatMap((one: string | undefined) => (one === undefined || one.trim() === "" ? [] : [one]));
  if (secrets.length === 0) return { valid: false, reason: "the webhook secret is missing" };
  if (!signatureSchemes.includes(scheme)) return { valid: false, reason: `there is no signature scheme ${scheme}` };
  const plain = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")] as const])),
  );
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const { valid, id, reason } = verifySignature({ scheme, header, headers: plain, body: bytes, secrets, nowSeconds: Math.floor(nowMs / 1000) });
  if (!valid) return { valid, reason: reason ?? "the signature does not match" };
  return id === undefined ? { valid } : { valid, id };
};

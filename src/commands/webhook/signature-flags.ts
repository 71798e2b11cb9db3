import type { Flags } from "../../command.ts";
import { text } from "../../command-spec.ts";

/** On every webhook command and wherever deliveries are forwarded: the service does not say how it signs (service 6.5). */
export const signatureFlags = {
  signature: text("How deliveries are signed; the profile's own setting if not given", "SCHEME", {
    choices: ["standard-webhooks", "stripe", "hmac-sha256-hex", "hmac-sha256-base64", "hmac-sha512-hex"],
  }),
  "signature-header": text("The header of the hmac schemes (default X-Payments-Signature)", "NAME", { usual: "X-Payments-Signature" }),
} as const satisfies Flags;

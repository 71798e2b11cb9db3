import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";
import { signatureFlags } from "./signature-flags.ts";

const secretFrom = "The secret comes from PAYMENTS_WEBHOOK_SECRET or the profile; several, one a line, may be valid at once.";

export const webhookListenSpec = {
  path: ["webhook", "listen"],
  summary: "Receive callbacks, check and show them, pass them on",
  details: `Give the URL it prints as --callback-url of a payment. ${secretFrom} A delivery that does not hold is answered 401, others with the answer of --forward-to, else 200. While nobody reads what it prints, or too much is under way, it answers 503, so that the service sends again. Ctrl-C ends it.`,
  flags: {
    port: { type: "string", summary: "Port to listen on; 0 picks a free one", placeholder: "N", parse: wholeNumber(0, 65_535) },
    host: { type: "string", summary: "Address to listen on; other than this machine's own needs a secret", placeholder: "HOST", default: "127.0.0.1" },
    path: { type: "string", summary: "Take deliveries on this path alone", placeholder: "PATH" },
    "forward-to": { type: "string", summary: "Pass each valid delivery on, bytes and signature unchanged", placeholder: "URL" },
    save: {
      type: "string",
      summary: "Keep each delivery in this folder, body and headers as they came; duplicates are then known after a restart too",
      placeholder: "DIR",
      completes: "file",
    },
    ...signatureFlags,
  },
  examples: [
    { line: "payments-cli webhook listen --sandbox", says: "Watch the sandbox's callbacks", tested: false, why: "runs until it is stopped" },
    {
      line: "payments-cli webhook listen --port 4020 --forward-to 'http://127.0.0.1:3000/hooks?shop=1' --save deliveries",
      says: "Check, keep and pass on",
      tested: false,
      why: "runs until it is stopped",
    },
  ],
  exitCodes: [3],
} as const satisfies CommandSpec;

export const webhookVerifySpec = {
  path: ["webhook", "verify"],
  summary: "Check the signature of a stored callback",
  details: `The body has to be the very bytes that came: parsed and written again it no longer holds. ${secretFrom}`,
  flags: {
    header: { type: "strings", summary: "A header as it came; may be given several times", placeholder: "'NAME: VALUE'" },
    body: { type: "string", summary: "The body's file; - is standard input", placeholder: "FILE", completes: "file" },
    at: { type: "string", summary: "The moment to check for, ISO 8601 with zone or seconds since 1970; now if not given", placeholder: "TIME" },
    ...signatureFlags,
  },
  examples: [
    {
      line: "payments-cli webhook verify --header 'webhook-id: evt_1' --header 'webhook-timestamp: 1772352000' --header 'webhook-signature: v1,…' --body body.json --at 2026-03-01T08:00:05Z",
      says: "Was this delivery ours?",
      tested: false,
      why: "needs a delivery that was signed",
    },
  ],
  exitCodes: [3],
} as const satisfies CommandSpec;

export const webhookReplaySpec = {
  path: ["webhook", "replay"],
  summary: "Post a transaction, signed, to your endpoint",
  details:
    "For callbacks that were missed: the transaction is read again and posted as it is now, with header X-Payments-Replay: 1 and the same webhook-id each time for the same change. " +
    secretFrom,
  arguments: [{ name: "ID", summary: "Transaction ids", required: true, variadic: true }],
  flags: {
    to: { type: "string", summary: "Your endpoint: https, or http on this machine", placeholder: "URL" },
    ...signatureFlags,
  },
  examples: [
    {
      line: "payments-cli webhook replay T1 T2 --to https://shop.example/webhooks",
      says: "Deliver two missed callbacks",
      tested: false,
      why: "needs an endpoint",
    },
  ],
  exitCodes: [3, 4, 6, 10, 130],
} as const satisfies CommandSpec;

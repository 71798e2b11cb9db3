import type { Flags } from "../../command.ts";
import { command, readCodes, text, texts, wholeNumber } from "../../command-spec.ts";
import { signatureSchemes } from "../../service/contract/limits.ts";

/** On every webhook command and wherever deliveries are forwarded: the service does not say how it signs (service 6.5). */
export const signatureFlags = {
  signature: text("How deliveries are signed; the profile's own setting if not given", "SCHEME", { choices: signatureSchemes }),
  "signature-header": text("The header of the hmac schemes (default X-Payments-Signature)", "NAME", { usual: "X-Payments-Signature" }),
} as const satisfies Flags;

const secretFrom = "The secret comes from PAYMENTS_WEBHOOK_SECRET or the profile. There may be several, one on each line.";

export const webhookListenSpec = command("webhook listen", "Receive callbacks, check and show them, and forward them", {
  details: `Prints a URL: give it as --callback-url of a payment. ${secretFrom} A delivery with a wrong signature is answered 401; all others with the answer of --forward-to, or 200. If it is too busy, it answers 503, and the service sends the delivery again. Press Ctrl-C to end it.`,
  flags: {
    port: text("Port to listen on; 0 picks a free port", "N", { parse: wholeNumber(0, 65_535) }),
    host: text("Address to listen on (default 127.0.0.1); any other needs a secret", "HOST", { default: "127.0.0.1" }),
    path: text("Only accept deliveries on this path", "PATH"),
    "forward-to": text("Forward each valid delivery to this URL, unchanged and with its signature", "URL"),
    save: text("Save the body and headers of each delivery in this folder; it also remembers duplicates after a restart", "DIR", { completes: "file" }),
    ...signatureFlags,
  },
  examples: [
    ["webhook listen --sandbox", "Watch the sandbox's callbacks", "runs until it is stopped"],
    ["webhook listen --port 4020 --forward-to 'http://127.0.0.1:3000/hooks?shop=1' --save deliveries", "Check, save and forward", "runs until it is stopped"],
  ],
  exitCodes: [3],
});

export const webhookVerifySpec = command("webhook verify", "Check the signature of a stored callback", {
  details: `The body must be exactly the bytes that arrived: a body that was parsed and written again is not valid. ${secretFrom}`,
  flags: {
    header: texts("A header of the callback; repeat the flag for each header", "'NAME: VALUE'"),
    body: text("File with the body; - is standard input", "FILE", { completes: "file" }),
    at: text("Check as of this time (default now): ISO 8601 with a zone, or seconds since 1970", "TIME"),
    ...signatureFlags,
  },
  examples: [
    [
      "webhook verify --header 'webhook-id: evt_1' --header 'webhook-timestamp: 1772352000' --header 'webhook-signature: v1,…' --body body.json --at 2026-03-01T08:00:05Z",
      "Did this callback come from the service?",
      "needs a delivery that was signed",
    ],
  ],
  exitCodes: [3],
});

export const webhookReplaySpec = command("webhook replay", "Send a callback to your system again", {
  details:
    "Use it when your system missed a callback. The transaction is read again and posted as it is now, signed, with the header X-Payments-Replay: 1 and always the same webhook-id for the same change. " +
    secretFrom,
  arguments: [{ name: "ID", summary: "Transaction ids", required: true, variadic: true }],
  flags: {
    to: text("URL of your endpoint: https, or http on this machine. On a terminal, the command asks for it", "URL"),
    ...signatureFlags,
  },
  examples: [["webhook replay T1 T2 --to https://shop.example/webhooks", "Send two callbacks that your system missed", "needs an endpoint"]],
  exitCodes: readCodes,
});

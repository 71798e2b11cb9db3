import type { CommandSpec } from "../../command.ts";

const why = "needs a profile";
const name = { name: "NAME", summary: "The profile's name", required: true, completes: "profile" } as const;

export const profileListSpec = {
  path: ["profile", "list"],
  summary: "The profiles on this machine",
  flags: {},
  examples: [{ line: "payments-cli profile list", says: "All of them; the current one is marked" }],
  exitCodes: [],
} as const satisfies CommandSpec;

export const profileUseSpec = {
  path: ["profile", "use"],
  summary: "Make a profile the current one",
  arguments: [name],
  flags: {},
  examples: [{ line: "payments-cli profile use shop", says: "From now on, commands use shop", tested: false, why }],
  exitCodes: [3],
} as const satisfies CommandSpec;

export const profileSetSpec = {
  path: ["profile", "set"],
  summary: "Change a profile's settings and secrets",
  details:
    "Creates the profile if it does not exist. Secrets come from standard input, or are asked for on a terminal: webhook secrets one a line; a withdrawal key on the first line and its passphrase on the second. The withdrawal key is encrypted under the passphrase (8 characters or more; scrypt, AES-256-GCM), which is asked for at every withdrawal. It belongs to the profile's base URL.",
  arguments: [name],
  flags: {
    mode: { type: "string", summary: "Whether its money is real", placeholder: "MODE", choices: ["live", "sandbox"] },
    signature: {
      type: "string",
      summary: "How its callbacks are signed",
      placeholder: "SCHEME",
      choices: ["standard-webhooks", "stripe", "hmac-sha256-hex", "hmac-sha256-base64", "hmac-sha512-hex"],
    },
    "signature-header": { type: "string", summary: "The header that carries the signature", placeholder: "NAME" },
    "with-webhook-secret": { type: "boolean", summary: "Read webhook secrets from standard input, one a line" },
    "with-withdrawal-key": { type: "boolean", summary: "Read a second key, for withdrawals alone, from standard input" },
    "passphrase-stdin": { type: "boolean", summary: "The second line of standard input is the withdrawal key's passphrase" },
  },
  examples: [
    { line: "payments-cli profile set shop --base-url https://pay.example.com --mode sandbox", says: "Address and mode" },
    { line: "payments-cli profile set shop --signature stripe --with-webhook-secret < secret.txt", says: "How callbacks are verified", tested: false, why },
    { line: "payments-cli profile set shop --with-withdrawal-key", says: "A second key for withdrawals, under a passphrase", tested: false, why },
  ],
  exitCodes: [3, 130],
} as const satisfies CommandSpec;

export const profileRemoveSpec = {
  path: ["profile", "remove"],
  summary: "Remove a profile with its key and secrets from this machine",
  details: "A withdrawal key is removed only after a question, or with --yes.",
  arguments: [name],
  flags: {},
  examples: [{ line: "payments-cli profile remove shop", says: "Forget shop", tested: false, why }],
  exitCodes: [3, 130],
} as const satisfies CommandSpec;

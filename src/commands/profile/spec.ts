import type { CommandSpec } from "../../command.ts";

const why = "needs a profile";
const name = { name: "NAME", summary: "The profile's name", required: true, completes: "profile" } as const;

export const profileListSpec = {
  path: ["profile", "list"],
  summary: "List the profiles on this machine",
  flags: {},
  examples: [{ line: "payments-cli profile list", says: "All profiles; * marks the current one" }],
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
    "Creates the profile if it does not exist. On a terminal, the command asks for secrets; in a script, they come from standard input: webhook secrets one on each line; a withdrawal key on the first line and its passphrase on the second. The withdrawal key is encrypted with the passphrase (8 characters or more; scrypt, AES-256-GCM), which you type for every withdrawal. It belongs to the profile's base URL.",
  arguments: [name],
  flags: {
    mode: { type: "string", summary: "live for real money, sandbox for a test account", placeholder: "MODE", choices: ["live", "sandbox"] },
    signature: {
      type: "string",
      summary: "How the service signs callbacks",
      placeholder: "SCHEME",
      choices: ["standard-webhooks", "stripe", "hmac-sha256-hex", "hmac-sha256-base64", "hmac-sha512-hex"],
    },
    "journal-url": {
      type: "string",
      summary: "The team's journal in PostgreSQL; its password comes from standard input, or from where libpq finds it",
      placeholder: "URL",
    },
    "with-journal-password": { type: "boolean", summary: "Read the journal's password from standard input" },
    "signature-header": { type: "string", summary: "The header that carries the signature", placeholder: "NAME" },
    "with-webhook-secret": { type: "boolean", summary: "Read webhook secrets from standard input, one on each line" },
    "with-withdrawal-key": { type: "boolean", summary: "Read a second key, only for withdrawals, from standard input" },
    "passphrase-stdin": { type: "boolean", summary: "The second line of standard input is the withdrawal key's passphrase" },
  },
  examples: [
    { line: "payments-cli profile set shop --base-url https://pay.example.com --mode sandbox", says: "Set the address and mode" },
    { line: "payments-cli profile set shop --signature stripe --with-webhook-secret < secret.txt", says: "Set how callbacks are checked", tested: false, why },
    { line: "payments-cli profile set shop --with-withdrawal-key", says: "Store a second key for withdrawals, with a passphrase", tested: false, why },
  ],
  exitCodes: [3, 130],
} as const satisfies CommandSpec;

export const profileRemoveSpec = {
  path: ["profile", "remove"],
  summary: "Remove a profile with its key and secrets from this machine",
  details: "Before it removes a withdrawal key, the command asks (or add --yes).",
  arguments: [name],
  flags: {},
  examples: [{ line: "payments-cli profile remove shop", says: "Remove the profile shop", tested: false, why }],
  exitCodes: [3, 130],
} as const satisfies CommandSpec;

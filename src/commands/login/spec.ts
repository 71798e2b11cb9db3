import type { CommandSpec } from "../../command.ts";

const why = "needs a terminal, or a service and a key of its own";

export const loginSpec = {
  path: ["login"],
  summary: "Store the API key of a merchant account in a profile",
  details:
    "Asks for the profile's name, the base URL and the API key (hidden as you type), checks the key, and makes this the current profile. A key that the service refuses (401) is not stored. In a script, pipe the key to standard input with --with-key; a key is never given as a flag.",
  flags: {
    name: { type: "string", summary: "Name of the profile (default: default)", placeholder: "NAME", completes: "profile" },
    "with-key": { type: "boolean", summary: "Read the key from standard input" },
    mode: {
      type: "string",
      summary: "live for real money, sandbox for a test account (default live)",
      placeholder: "MODE",
      choices: ["live", "sandbox"],
      default: "live",
    },
    keychain: { type: "boolean", summary: "Store the key in the operating system's keychain instead of a file" },
  },
  examples: [
    { line: "payments-cli login", says: "Answer the questions", tested: false, why },
    { line: "payments-cli login --base-url https://pay.example.com --with-key --name shop < key.txt", says: "In a script", tested: false, why },
    { line: "payments-cli login --keychain", says: "With the key in the keychain", tested: false, why },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;

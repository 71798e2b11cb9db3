import type { CommandSpec } from "../../command.ts";

const why = "needs a terminal, or a service and a key of its own";

export const loginSpec = {
  path: ["login"],
  summary: "Keep the key of a merchant account as a profile",
  details:
    "Asks for the profile's name, the base URL and the API key (not shown), checks the key by reading the providers, and makes the profile the current one. A key that is refused (401) is not stored. The key never is a flag: with --with-key it comes from standard input.",
  flags: {
    name: { type: "string", summary: "The profile's name (default)", placeholder: "NAME", completes: "profile" },
    "with-key": { type: "boolean", summary: "Read the key from standard input" },
    mode: { type: "string", summary: "Whether its money is real (live)", placeholder: "MODE", choices: ["live", "sandbox"], default: "live" },
    keychain: { type: "boolean", summary: "Keep the key in the operating system's keychain, not in a file" },
  },
  examples: [
    { line: "payments-cli login", says: "Asked step by step", tested: false, why },
    { line: "payments-cli login --base-url https://pay.example.com --with-key --name shop < key.txt", says: "In a script", tested: false, why },
    { line: "payments-cli login --keychain", says: "With the key in the keychain", tested: false, why },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;

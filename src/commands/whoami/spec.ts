import type { CommandSpec } from "../../command.ts";

export const whoamiSpec = {
  path: ["whoami"],
  summary: "Show which account and key are used, and where they come from",
  details: "Makes no request. Shows at most the last four characters of the key.",
  flags: {},
  examples: [
    { line: "payments-cli whoami --sandbox", says: "The sandbox's account" },
    { line: "payments-cli whoami --json", says: "The same as JSON", tested: false, why: "needs a profile" },
  ],
  exitCodes: [3],
} as const satisfies CommandSpec;

import type { CommandSpec } from "../../command.ts";

export const commandsSpec = {
  path: ["commands"],
  summary: "Every command with its flags, examples and exit codes, for programs",
  flags: {},
  examples: [
    { line: "payments-cli commands", says: "One a line" },
    { line: "payments-cli commands --json", says: "The whole tree" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

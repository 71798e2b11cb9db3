import type { CommandSpec } from "../../command.ts";

export const commandsSpec = {
  path: ["commands"],
  summary: "List every command with its flags, examples and exit codes, for programs",
  flags: {},
  examples: [
    { line: "payments-cli commands", says: "One command on each line" },
    { line: "payments-cli commands --json", says: "Everything, as JSON" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

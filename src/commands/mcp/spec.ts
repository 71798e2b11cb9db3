import type { CommandSpec } from "../../command.ts";

export const mcpSpec = {
  path: ["mcp"],
  summary: "Offer these commands to an assistant (Model Context Protocol)",
  details:
    "Speaks the protocol over standard input and output until the input ends. An assistant can read, find, explain and reconcile, and propose payouts and withdrawals, which wait for a person (payments-cli approval). No tool sends money out.",
  flags: {
    allow: { type: "strings", summary: "collect: also offer push prompts and collections", placeholder: "WHAT", choices: ["collect"] },
  },
  examples: [
    { line: "payments-cli mcp --sandbox", says: "Try it with the embedded service", tested: false, why: "waits for an assistant" },
    { line: "payments-cli mcp --profile shop --allow collect", says: "Also let the assistant ask customers to pay", tested: false, why: "needs a profile" },
  ],
  exitCodes: [3],
} as const satisfies CommandSpec;

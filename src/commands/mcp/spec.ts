import { command, texts } from "../../command-spec.ts";

export const mcpSpec = command("mcp", "Offer these commands to an assistant (Model Context Protocol)", {
  details:
    "Speaks the protocol over standard input and output until the input ends. An assistant can read, find, explain and reconcile, and propose payouts and withdrawals, which wait for a person (payments-cli approval). No tool sends money out.",
  flags: {
    allow: texts("collect: also offer push prompts and collections", "WHAT", { choices: ["collect"] }),
  },
  examples: [
    ["mcp --sandbox", "Try it with the sandbox", "waits for an assistant"],
    ["mcp --profile shop --allow collect", "Also let the assistant ask customers to pay", "needs a profile"],
  ],
  exitCodes: [3],
});

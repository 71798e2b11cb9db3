import type { CommandSpec } from "../../command.ts";

export const demoSpec = {
  path: ["demo"],
  summary: "Take a guided tour on a throw-away sandbox",
  details:
    "Collects, pays out, lists, reads both wallets, collects over a foreign rail and withdraws, in a temporary folder that is gone afterwards. No real money moves, and nothing needs to be set up.",
  flags: {},
  examples: [
    { line: "payments-cli demo", says: "See the main jobs done, in under fifteen seconds" },
    { line: "payments-cli demo --json", says: "As a check: one row per step" },
  ],
  exitCodes: [5, 6, 7, 8, 9, 10, 130],
} as const satisfies CommandSpec;

import { command } from "../../command-spec.ts";

export const demoSpec = command("demo", "See the main jobs done in a temporary sandbox", {
  details:
    "Collects a payment, pays out, lists transactions, shows both wallets, collects abroad and withdraws, in a temporary folder that is deleted afterwards. No real money moves, and you need to set up nothing.",
  examples: [
    ["demo", "See the main jobs done in under fifteen seconds"],
    ["demo --json", "One JSON row for each step, for a script"],
  ],
  exitCodes: [5, 6, 7, 8, 9, 10, 130],
});

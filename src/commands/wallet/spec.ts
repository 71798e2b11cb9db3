import type { CommandSpec } from "../../command.ts";

export const walletSpec = {
  path: ["wallet"],
  summary: "Local balances, holds and the recent ledger",
  details: "Service credits pay the fees; the payout float pays payouts and the carrier's cost. A payout needs both. Needs a key with the scope wallet:read.",
  flags: {},
  examples: [
    { line: "payments-cli wallet", says: "Balances, holds and ledger" },
    { line: "payments-cli wallet --json --fields balance,b2cAvailableBalance", says: "Two balances for a script" },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;

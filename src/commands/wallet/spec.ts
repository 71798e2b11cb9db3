import type { CommandSpec } from "../../command.ts";

export const walletSpec = {
  path: ["wallet"],
  summary: "Show balances, money on hold and recent movements",
  details:
    "Service credits pay the fees. The payout float pays the payouts and the carrier's fee. A payout needs both. The API key needs the permission wallet:read.",
  flags: {},
  examples: [
    { line: "payments-cli wallet", says: "Show everything" },
    { line: "payments-cli wallet --json --fields balance,b2cAvailableBalance", says: "Two balances, for a script" },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;

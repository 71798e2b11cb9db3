import { command, readCodes } from "../../command-spec.ts";

export const walletSpec = command("wallet", "Show balances, money on hold and recent movements", {
  details:
    "Service credits pay the fees. The payout float pays the payouts and the carrier's fee. A payout needs both. The API key needs the permission wallet:read.",
  examples: [
    ["wallet", "Show everything"],
    ["wallet -o csv --fields balance,b2cAvailableBalance", "Two balances, for a script"],
  ],
  exitCodes: readCodes,
});

import { emptyCore } from "./entities.ts";
import { post } from "./ledger.ts";
import { amountUnitsMax, fitsDecimals, toMinor } from "./money.ts";
import { invalid } from "./refusal.ts";
import { lettersOf, mix, type Unit } from "./unit.ts";

const credits = {
  balance: { wallet: "balance", type: "TOPUP", description: "Credits added" },
  b2c: { wallet: "b2c", type: "B2C_TOPUP", description: "Payout float added" },
  global: { wallet: "global", type: "TOPUP", description: "Funds added" },
} as const;

/** A dashboard action (service 1.9), in KES. Assumed: a negative amount takes credits away, so that 402 can be tried. */
export const addCredits = (unit: Unit, { wallet, amount }: { readonly wallet: keyof typeof credits; readonly amount: number }): void => {
  if (amount === 0 || !(Math.abs(amount) <= amountUnitsMax) || !fitsDecimals(amount, 2))
    throw invalid("amount", `amount must be a number of KES up to ${amountUnitsMax}, with at most two decimals.`);
  const { wallets, postings } = unit.core;
  const free = wallet === "b2c" ? wallets.b2c + wallets.b2cHeld : wallets.global;
  if (wallet !== "balance" && free + toMinor(amount) < 0) throw invalid("amount", "No more can be taken away than is available.");
  post(unit, { ...credits[wallet], amount: toMinor(amount) }, { reference: `TOPUP-${postings + 1}` });
};

/** Scopes of a key (service 5.2). Assumed: all but wallet:read, as the document names no other. */
export const scopes = ["wallet:read", "payments:read", "payments:write", "global:read", "global:write"] as const;
export const controlScope = "sandbox:control";

/** A key, made of the seed and what was counted. */
export const newKey = (seed: number, count: number): string => `sk_sandbox_${lettersOf(seed + 13, count, 32).toLowerCase()}`;

export type Fresh = { readonly seed: number; readonly apiKey?: string | undefined; readonly webhookSecret?: string | undefined };
/** A new merchant. Assumed: funded so that anything can be tried at once; the currency is KES throughout. */
export const seedMerchant = (unit: Unit, { seed, apiKey, webhookSecret }: Fresh): void => {
  const secretBytes = Uint8Array.from({ length: 24 }, (_, index) => mix(seed, 9_000 + index) & 255);
  unit.change({
    ...emptyCore,
    seed,
    webhookSecret: webhookSecret ?? `whsec_${Buffer.from(secretBytes).toString("base64")}`,
    keys: [{ apiKey: apiKey ?? newKey(seed, 0), scopes: [...scopes, controlScope] }],
  });
  addCredits(unit, { wallet: "balance", amount: 1_000_000 });
  addCredits(unit, { wallet: "b2c", amount: 25_000_000 });
  addCredits(unit, { wallet: "global", amount: 10_000_000 });
};

import { payoutBounds } from "../../service/contract/limits.ts";
import type { Bodies } from "../../service/contract/types.ts";
import type { Transaction } from "./entities.ts";
import { amountUnitsMax, cryptoRates, fitsDecimals, payoutCarrierFee, payoutPlatformFee, pushFee, toMinor, toUnits } from "./money.ts";
import { complete, open } from "./payments.ts";
import { must, paymentRequired } from "./refusal.ts";
import { scenarioOf } from "./scenarios.ts";
import { isoOf, lettersOf, nextId, type Unit } from "./unit.ts";

/** Assumed: bounds of a push, which the document does not show (service 8.2). */
const pushBounds = { min: 1, max: 250_000 } as const;

/** What a push and a payout are created from. */
type LocalBody = Pick<Bodies["stkPush"], "phone" | "amount" | "reference" | "description" | "callbackUrl">;

const check = ({ phone, amount, reference }: LocalBody, { min, max }: { readonly min: number; readonly max: number }, decimals: number): void => {
  // Service 4: digits with country-code prefix. Assumed: a Kenyan mobile number (service 1.1).
  must(/^254(7|1)\d{8}$/.test(phone), "phone", "phone must be a Kenyan mobile number as digits with country code, like 254712345678.");
  must(amount >= min && amount <= max, "amount", `amount must be from ${min} to ${max} KES.`);
  must(fitsDecimals(amount, decimals), "amount", decimals === 0 ? "amount must be whole shillings." : "amount has too many decimals.");
  must(reference.trim() !== "" && reference.length <= 255, "reference", "reference must have 1 to 255 characters.");
};
/** What the body decides of the record. */
const fromBody = ({ phone, amount, reference, description, callbackUrl }: LocalBody) =>
  ({ reference, amount: toMinor(amount), currency: "KES", party: phone, description, callbackUrl }) satisfies Partial<Transaction>;

/** Service 4, POST stk-push. Nothing is held; 402 when `balance` is below the fee for that amount. */
export const createPush = (unit: Unit, body: LocalBody, named: string | undefined): Transaction => {
  check(body, pushBounds, 0);
  const fee = pushFee(toMinor(body.amount));
  if (unit.core.wallets.balance < fee)
    throw paymentRequired(`The service-credit balance is below the fee of KES ${toUnits(fee)} for this amount. Add credits.`);
  const id = nextId(unit, "TX");
  return open(unit, {
    ...fromBody(body),
    id,
    flow: "standard",
    provider: "MPESA",
    providerRef: `ws_CO_${lettersOf(unit.core.seed, unit.core.sequence, 16)}`,
    metadata: { phone: body.phone },
    fee,
    scenario: scenarioOf(named, body.phone, "push"),
  });
};

/** Service 4, POST b2c; needs both balances (service 1.7). */
export const createPayout = (unit: Unit, body: LocalBody, named: string | undefined): Transaction => {
  check(body, payoutBounds, 2);
  const amount = toMinor(body.amount);
  const fee = payoutPlatformFee(amount);
  const carrierFee = payoutCarrierFee(amount);
  const { balance, b2c, b2cHeld } = unit.core.wallets;
  if (balance < fee) throw paymentRequired(`The service-credit balance is below the platform fee of KES ${toUnits(fee)}. Add credits.`);
  if (b2c + b2cHeld < amount + carrierFee)
    throw paymentRequired(`The payout float has KES ${toUnits(b2c + b2cHeld)} available; this payout needs KES ${toUnits(amount + carrierFee)}.`);
  const id = nextId(unit, "TX");
  const conversation = lettersOf(unit.core.seed, unit.core.sequence, 16);
  return open(unit, {
    ...fromBody(body),
    id,
    flow: "b2c",
    provider: "MPESA_B2C",
    providerRef: `AG_${conversation}`,
    metadata: { phone: body.phone, originatorConversationId: `OC-${conversation}`, conversationId: `AG_${conversation}` },
    fee,
    carrierFee,
    scenario: scenarioOf(named, body.phone, "payout"),
  });
};

/** Confirms a crypto payment (service 1.7): its fee is taken as for a push, converted to KES. */
export const confirmCrypto = (unit: Unit, { asset, amount: assetAmount }: { readonly asset: string; readonly amount: number }): Transaction => {
  const rate = Object.hasOwn(cryptoRates, asset) ? cryptoRates[asset] : undefined;
  must(rate !== undefined, "asset", `asset must be one of ${Object.keys(cryptoRates).join(", ")}.`);
  const amount = toMinor(assetAmount * rate);
  must(amount >= 1 && amount <= toMinor(amountUnitsMax), "amount", "amount must be a positive number of the asset, worth a cent or more.");
  const id = nextId(unit, "TX");
  const made = open(unit, {
    ...fromBody({ phone: "", amount: assetAmount * rate, reference: `CRYPTO-${id}` }),
    id,
    flow: "standard",
    provider: `CRYPTO_${asset}`,
    providerRef: lettersOf(unit.core.seed, unit.core.sequence, 24),
    metadata: { asset, assetAmount, rate },
    // No phone rang for it.
    steps: [{ status: "PENDING", at: isoOf(unit.nowMs) }],
    fee: pushFee(amount),
  });
  return complete(unit, made);
};

import type { Flow, Transaction } from "./entities.ts";
import type { HoldWanted, Posting, Settlement, Totals } from "./ledger.ts";
import { settlementRate } from "./money.ts";
import { type Ending, ended, payerEndings } from "./scenarios.ts";

/** What tells the life of one flow from that of another; `payments.ts` has what is the same for all. */
export type LifeCycle = {
  /** Its first status. */
  readonly opens: string;
  /** Local payments have receipts, callbacks, lagging queries, other amounts and reversals. Assumed: global ones are paid as they were asked for. */
  readonly isLocal: boolean;
  /** The scenarios that it meets. */
  readonly meets: "push" | "payout";
  readonly hold?: (one: Transaction) => HoldWanted;
  /** Counted while it is open. */
  readonly open?: (one: Transaction) => Totals;
  /** What its completion moves. */
  readonly completed: (one: Transaction) => { readonly postings: readonly Posting[]; readonly totals?: Totals };
  readonly reversed?: (one: Transaction) => { readonly postings: readonly Posting[]; readonly totals: Totals };
  /** How the provider's refusal ends it. */
  readonly refused: Ending;
} & Readonly<Record<keyof typeof payerEndings, Ending>>;

export const settle = (currency: string, amount: number): Settlement => {
  const rate = settlementRate(currency);
  return { currency, amount, rate, settled: Math.round(amount * rate) };
};
/** Amount and fee of a global payment as the provider settles them. */
export const settledOf = ({ currency, amount, fee }: Transaction) => ({ amount: settle(currency, amount), fee: settle(currency, fee) });

const push: LifeCycle = {
  opens: "SENT",
  isLocal: true,
  meets: "push",
  completed: ({ fee }) => ({ postings: [{ wallet: "balance", type: "FEE", amount: -fee, description: "Payment fee" }] }),
  ...payerEndings,
  refused: ended("FAILED", "Declined by the provider."),
};

const payout: LifeCycle = {
  ...push,
  opens: "QUEUED",
  meets: "payout",
  hold: ({ amount, carrierFee, party }) => ({ scope: "local", amount: amount + carrierFee, reason: `Payout to ${party}` }),
  open: ({ amount }) => ({ b2cOutstanding: amount }),
  completed: ({ amount, carrierFee, fee, party }) => ({
    postings: [
      { wallet: "b2c", type: "B2C_PAYOUT", amount: -amount, description: `Payout to ${party}` },
      { wallet: "b2c", type: "B2C_FEE", amount: -carrierFee, description: "Carrier cost" },
      { wallet: "balance", type: "FEE", amount: -fee, description: "Payout fee" },
    ],
    totals: { b2cVolume: amount, b2cCount: 1 },
  }),
  // Assumed: fees stay, a payout's amount returns to the float.
  reversed: ({ amount }) => ({
    postings: [{ wallet: "b2c", type: "B2C_PAYOUT", amount, description: "Reversal of payout" }],
    totals: { b2cVolume: -amount, b2cCount: -1 },
  }),
};

const collection: LifeCycle = {
  ...push,
  opens: "PENDING",
  isLocal: false,
  open: (one) => ({ globalPending: settledOf(one).amount.settled - settledOf(one).fee.settled }),
  completed: (one) => {
    const { amount, fee } = settledOf(one);
    return {
      postings: [
        { wallet: "global", type: "COLLECTION", amount: amount.settled, description: `Collection over ${one.provider}`, settlement: amount },
        { wallet: "global", type: "FEE", amount: -fee.settled, description: "Collection fee", settlement: fee },
      ],
      totals: { globalCollected: amount.settled },
    };
  },
  expired: ended("EXPIRED", "The payer did not answer in time."),
  // Assumed: a PUSH collection rings like a push; refused on the phone, it is FAILED.
  cancelled: ended("FAILED", "Declined on the phone."),
  wrongPin: ended("FAILED", "A wrong PIN was entered."),
};

const withdrawal: LifeCycle = {
  ...push,
  opens: "PROCESSING",
  isLocal: false,
  meets: "payout",
  hold: (one) => {
    const { amount, fee } = settledOf(one);
    const settlement = settle(one.currency, one.amount + one.fee);
    return { scope: "global", amount: amount.settled + fee.settled, reason: `Withdrawal over ${one.provider}`, settlement };
  },
  completed: (one) => {
    const { amount, fee } = settledOf(one);
    return {
      postings: [
        { wallet: "global", type: "WITHDRAWAL", amount: -amount.settled, description: `Withdrawal over ${one.provider}`, settlement: amount },
        { wallet: "global", type: "FEE", amount: -fee.settled, description: "Withdrawal fee", settlement: fee },
      ],
      totals: { globalDisbursed: amount.settled },
    };
  },
  refused: ended("FAILED", "Refused by the provider."),
};

export const lifeCycles: Readonly<Record<Flow, LifeCycle>> = { standard: push, b2c: payout, collection, disbursement: withdrawal };

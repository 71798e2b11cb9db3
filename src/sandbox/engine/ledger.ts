import type { Entry, Hold, Settlement, WalletName } from "./entities.ts";
import { type At, nextPostingId, type Unit } from "./unit.ts";

/** `amount` in minor units; debits are negative. */
type Posting = Pick<Entry, "type" | "amount" | "reference" | "description" | "transactionId" | "settlement"> & { readonly wallet: WalletName };

/** The one way a balance changes: an entry in its ledger, chained to the one before. */
export const post = (unit: Unit, at: At, posting: Posting): void => {
  const { wallet, ...fields } = posting;
  const { wallets } = unit.draft();
  const balance = wallets[wallet];
  const balanceAfter = balance + posting.amount;
  if (!Number.isSafeInteger(balanceAfter)) throw new Error(`The ledger of ${wallet} would leave the whole numbers.`);
  const last = unit.tables.page("entry", { group: wallet, limit: 1 })[0];
  if ((last?.balanceAfter ?? 0) !== balance) throw new Error(`The balance of ${wallet} is not the sum of its ledger.`);
  unit.tables.put("entry", { ...fields, id: nextPostingId(unit, "LE"), group: wallet, balanceAfter, status: "COMPLETED", createdMs: at.nowMs });
  wallets[wallet] = balanceAfter;
};

type HoldInput = Pick<Hold, "amount" | "reason" | "reference"> & {
  readonly scope: Hold["group"];
  readonly transactionId: string;
  readonly settlement?: Settlement;
};
/** Moves a hold in both wallets that it concerns. */
const postHold = (unit: Unit, at: At, scope: Hold["group"], posting: Omit<Posting, "wallet">): void => {
  for (const wallet of scope === "local" ? (["b2cHeld"] as const) : (["globalHeld", "global"] as const)) post(unit, at, { ...posting, wallet });
};

/**
 * Holds an amount (service 2.2, 2.6). Local: B2C_HOLD is a debit of `b2cHeld` alone, so that wallet is zero or negative. Global: the
 * amount leaves the available balance as well.
 */
export const placeHold = (unit: Unit, at: At, input: HoldInput): void => {
  const { scope, transactionId, reference, reason, settlement } = input;
  const type = scope === "local" ? "B2C_HOLD" : "HOLD";
  postHold(unit, at, scope, { type, amount: -input.amount, reference, description: reason, transactionId, settlement });
  unit.tables.put("hold", {
    id: `HD${transactionId.slice(2)}`,
    group: scope,
    amount: input.amount,
    reason,
    holdType: scope === "local" ? "PAYOUT" : "WITHDRAWAL",
    reference,
    createdMs: at.nowMs,
  });
};

/**
 * Gives a hold back; what is then taken is posted on its own. Assumed: a local release is a B2C_HOLD that adds, as the document's
 * types (service 2.2) have no other and the raw entries must add up.
 */
export const releaseHold = (unit: Unit, at: At, scope: "local" | "global", transactionId: string): void => {
  const id = `HD${transactionId.slice(2)}`;
  const hold = unit.tables.get("hold", id);
  if (hold === undefined) throw new Error(`There is no hold for ${transactionId}.`);
  const { amount, reference } = hold;
  const type = scope === "local" ? "B2C_HOLD" : "HOLD_RELEASE";
  postHold(unit, at, scope, { type, amount, reference, description: `Released: ${hold.reason}`, transactionId });
  unit.tables.remove("hold", id);
};

/** What must hold after every step, in production too. Each balance is tied to its ledger by `post`; these are the rest. */
export const assertInvariants = (unit: Unit): void => {
  const { wallets, b2cOutstanding } = unit.core();
  if (!(wallets.b2cHeld <= 0)) throw unbalanced("a hold is never negative");
  if (!(wallets.globalHeld <= 0)) throw unbalanced("a global hold is never negative");
  if (!(wallets.b2c + wallets.b2cHeld >= 0)) throw unbalanced("no more is held than the payout float has");
  if (!(b2cOutstanding >= 0 && b2cOutstanding <= -wallets.b2cHeld)) throw unbalanced("what is outstanding is held");
};
const unbalanced = (rule: string): Error => new Error(`The sandbox's books do not balance: ${rule}.`);

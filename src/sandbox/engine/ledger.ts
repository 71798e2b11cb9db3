import type { Entry, Settlement, WalletName } from "./entities.ts";
import { type At, nextId, type Unit } from "./unit.ts";

export type Posting = {
  readonly wallet: WalletName;
  readonly type: string;
  /** Minor units; debits are negative. */
  readonly amount: number;
  readonly reference: string;
  readonly description: string;
  readonly transactionId?: string;
  readonly settlement?: Settlement;
  readonly status?: string;
};

/** The one way a balance changes: an entry in its ledger, chained to the one before. */
export const post = (unit: Unit, at: At, posting: Posting): Entry => {
  const { wallets } = unit.core();
  const balanceAfter = wallets[posting.wallet] + posting.amount;
  if (!Number.isSafeInteger(balanceAfter)) throw new Error(`The ledger of ${posting.wallet} would leave the whole numbers.`);
  if (!unit.compared.has(posting.wallet)) {
    const last = unit.tables.page("entry", { group: posting.wallet, limit: 1 })[0];
    if ((last?.balanceAfter ?? 0) !== wallets[posting.wallet]) throw new Error(`The balance of ${posting.wallet} is not the sum of its ledger.`);
    unit.compared.add(posting.wallet);
  }
  const entry: Entry = {
    id: nextId(unit, "LE"),
    group: posting.wallet,
    type: posting.type,
    amount: posting.amount,
    balanceAfter,
    status: posting.status ?? "COMPLETED",
    reference: posting.reference,
    description: posting.description,
    createdMs: at.nowMs,
    transactionId: posting.transactionId,
    settlement: posting.settlement,
  };
  unit.tables.put("entry", entry);
  unit.change({ wallets: { ...wallets, [posting.wallet]: balanceAfter } });
  return entry;
};

export type HoldInput = {
  readonly scope: "local" | "global";
  readonly transactionId: string;
  readonly amount: number;
  readonly reason: string;
  readonly reference: string;
  readonly settlement?: Settlement;
};

/**
 * Rings money fenced (sandbox.md, Money). Local: B2C_HOLD moves b2cHeldBalance alone, which is what its ledger owes, as debits
 * are negative. Global: it leaves the available balance as well.
 */
export const placeHold = (unit: Unit, at: At, input: HoldInput): void => {
  const id = `HD${input.transactionId.slice(2)}`;
  const common = {
    amount: -input.amount,
    reference: input.reference,
    description: input.reason,
    transactionId: input.transactionId,
    ...(input.settlement === undefined ? {} : { settlement: input.settlement }),
  };
  if (input.scope === "local") post(unit, at, { ...common, wallet: "b2cHeld", type: "B2C_HOLD" });
  else {
    post(unit, at, { ...common, wallet: "globalHeld", type: "HOLD" });
    post(unit, at, { ...common, wallet: "global", type: "HOLD" });
  }
  unit.tables.put("hold", {
    id,
    group: input.scope,
    amount: input.amount,
    reason: input.reason,
    holdType: input.scope === "local" ? "PAYOUT" : "WITHDRAWAL",
    reference: input.reference,
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
  const common = { amount: hold.amount, reference: hold.reference, description: `Released: ${hold.reason}`, transactionId };
  if (scope === "local") post(unit, at, { ...common, wallet: "b2cHeld", type: "B2C_HOLD" });
  else {
    post(unit, at, { ...common, wallet: "globalHeld", type: "HOLD_RELEASE" });
    post(unit, at, { ...common, wallet: "global", type: "HOLD_RELEASE" });
  }
  unit.tables.remove("hold", id);
};

/** What must hold after every step, in production too. Each balance is tied to its ledger by `post`; these are the rest. */
export const assertInvariants = (unit: Unit): void => {
  const { wallets, b2cOutstanding } = unit.core();
  const rules: readonly (readonly [boolean, string])[] = [
    [wallets.b2cHeld <= 0, "a hold is never negative"],
    [wallets.globalHeld <= 0, "a global hold is never negative"],
    [wallets.b2c + wallets.b2cHeld >= 0, "no more is held than the payout float has"],
    [b2cOutstanding >= 0 && b2cOutstanding <= -wallets.b2cHeld, "what is outstanding is held"],
  ];
  for (const [holds, rule] of rules) if (!holds) throw new Error(`The sandbox's books do not balance: ${rule}.`);
};

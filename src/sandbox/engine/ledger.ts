import { type Entry, type Hold, type Total, type Transaction, totalNames } from "./entities.ts";
import { nextId, type Unit } from "./unit.ts";

/** `amount` in `currency`; `settled` in the wallet's currency. */
export type Settlement = { readonly currency: string; readonly amount: number; readonly rate: number; readonly settled: number };
/** `amount` in minor units; debits are negative. */
export type Posting = Pick<Entry, "wallet" | "type" | "amount" | "description"> & { readonly settlement?: Settlement | undefined };
/** What a posting belongs to. */
type Cause = { readonly id?: string; readonly reference: string };

/** The one way a balance changes: an entry in its ledger, chained to the one before. */
export const post = (unit: Unit, { settlement, ...posting }: Posting, { id: transactionId, reference }: Cause): void => {
  const { wallet } = posting;
  const { wallets } = unit.core;
  const balanceAfter = wallets[wallet] + posting.amount;
  if (!Number.isSafeInteger(balanceAfter)) throw new Error(`The ledger of ${wallet} would leave the whole numbers.`);
  if ((unit.lastBalance(wallet) ?? 0) !== wallets[wallet]) throw new Error(`The balance of ${wallet} is not the sum of its ledger.`);
  const id = nextId(unit, "LE", "postings");
  const more = { transactionId, reference, balanceAfter, status: "COMPLETED", createdMs: unit.nowMs, settlement: settlement && JSON.stringify(settlement) };
  unit.put("entry", { ...posting, ...more, id });
  unit.change({ wallets: { ...wallets, [wallet]: balanceAfter } });
};

export type Totals = Readonly<Partial<Record<Total, number>>>;
/** Adds to what is counted beside the balances, or takes it away again. */
export const count = ({ core, change }: Unit, added: Totals | undefined, sign: 1 | -1 = 1): void => {
  const totals = { ...core.totals };
  for (const name of totalNames) totals[name] += sign * (added?.[name] ?? 0);
  change({ totals });
};

/**
 * The entries of a hold in each scope (service 2.2, 2.6). Local: a debit of `b2cHeld` alone, so that wallet is zero or negative. Global: the
 * amount leaves the available balance as well. Assumed: a local release is a B2C_HOLD that adds, as the document's types have no
 * other and the raw entries must add up.
 */
const holds = {
  local: { wallets: ["b2cHeld"], placed: "B2C_HOLD", released: "B2C_HOLD", holdType: "PAYOUT" },
  global: { wallets: ["globalHeld", "global"], placed: "HOLD", released: "HOLD_RELEASE", holdType: "WITHDRAWAL" },
} as const;
const idOfHold = ({ id }: Transaction): string => `HD${id.slice(2)}`;

export type HoldWanted = Pick<Hold, "scope" | "amount" | "reason"> & Pick<Posting, "settlement">;
export const placeHold = (unit: Unit, of: Transaction, { settlement, ...hold }: HoldWanted): void => {
  const { wallets, placed, holdType } = holds[hold.scope];
  for (const wallet of wallets) post(unit, { wallet, type: placed, amount: -hold.amount, description: hold.reason, settlement }, of);
  unit.put("hold", { ...hold, id: idOfHold(of), holdType, reference: of.reference, createdMs: unit.nowMs });
};

/** Gives a hold back; what is then taken is posted on its own. */
export const releaseHold = (unit: Unit, of: Transaction): void => {
  const hold = unit.get("hold", idOfHold(of));
  if (hold === undefined) throw new Error(`There is no hold for ${of.id}.`);
  const { wallets, released } = holds[hold.scope];
  for (const wallet of wallets) post(unit, { wallet, type: released, amount: hold.amount, description: `Released: ${hold.reason}` }, of);
  unit.remove("hold", hold.id);
};

/** What must hold after every step, in production too. Each balance is tied to its ledger by `post`; these are the rest. */
export const assertInvariants = ({ core: { wallets, totals } }: Unit): void => {
  const rules: readonly (readonly [holds: boolean, rule: string])[] = [
    [wallets.b2cHeld <= 0, "a hold is never negative"],
    [wallets.globalHeld <= 0, "a global hold is never negative"],
    [wallets.b2c + wallets.b2cHeld >= 0, "no more is held than the payout float has"],
    [totals.b2cOutstanding >= 0 && totals.b2cOutstanding <= -wallets.b2cHeld, "what is outstanding is held"],
  ];
  const broken = rules.find(([holds]) => !holds);
  if (broken !== undefined) throw new Error(`The sandbox's books do not balance: ${broken[1]}.`);
};

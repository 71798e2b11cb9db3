import { type Keys, none } from "../reconcile/keys.ts";
import { formatMinor } from "../reconcile/record.ts";
import { createRowColumns, type StoredSide } from "../reconcile/stored-side.ts";
import { recordOfTransaction, type TransactionFacts } from "../reconcile/transactions.ts";
import { createTexts } from "./texts.ts";

/** Transactions of the service, which cannot be listed again: as columns, and what those lack as bytes. */
export type HeldTransactions = ReturnType<typeof createHeldTransactions>;

type Rest = readonly [
  id: string,
  status: string,
  at: string | null,
  reference?: string | null | undefined,
  amount?: string | null | undefined,
  receipt?: string | null | undefined,
];

export const createHeldTransactions = (keys: Keys) => {
  const rows = createRowColumns("service", "theirs", keys);
  const texts = createTexts();
  const places: number[] = [];
  let dated = false;
  const factsAt = (index: number): TransactionFacts => {
    const [id, status, at, ...told]: Rest = JSON.parse(texts.textOf(places[index] ?? 0));
    const direction = rows.direction(index);
    if (told.length > 0) {
      const [reference, amount, receipt] = told;
      return { id, status, direction, at: at ?? undefined, reference: reference ?? undefined, amount: amount ?? undefined, receipt: receipt ?? undefined };
    }
    const [reference, receipt] = [rows.reference(index), rows.receipt(index)];
    return {
      id,
      status,
      direction,
      at: at ?? undefined,
      reference: reference === none ? undefined : keys.references.textOf(reference),
      amount: formatMinor(BigInt(rows.amount(index))),
      receipt: receipt === none ? undefined : keys.receipts.textOf(receipt),
    };
  };
  const collect: StoredSide["collect"] = async (isWanted, onRecord) => {
    for (let index = 0; index < rows.count(); index += 1) {
      // The state was read by the direction it was listed under, before another list had it too.
      if (isWanted(index)) onRecord({ ...recordOfTransaction(factsAt(index)), state: rows.state(index) }, index);
    }
  };
  return {
    rows,
    collect,
    factsAt,
    isDated: (): boolean => dated,
    add(facts: TransactionFacts): void {
      const index = rows.count();
      rows.add(recordOfTransaction(facts));
      dated ||= facts.at !== undefined;
      const { id, status, at = null, reference = null, amount = null, receipt = null } = facts;
      const plain = rows.nature(index) === "plain";
      const rest: Rest = plain ? [id, status, at] : [id, status, at, reference, amount, receipt];
      places.push(texts.idOf(JSON.stringify(rest)));
    },
  };
};

import type { Attempt, Journal } from "../journal/port.ts";
import type { Client, Context } from "../ports.ts";
import { type MirrorPlace, paidBefore } from "../transactions/paid-before.ts";
import { contradictsPaid, hasEndedUnpaid } from "../transactions/status.ts";
import { readDetails } from "../transactions/sync-details.ts";
import type { Transaction } from "../transactions/transaction.ts";

/** What reading a payment takes of a context, beside the journal. */
export type ReadingContext = MirrorPlace & Pick<Context, "signal"> & { readonly client: () => Promise<Pick<Client, "call">> };
type Deps = ReadingContext & {
  readonly journal: Pick<Journal, "setStatus">;
  /** Over all tries of the read, ms. */
  readonly budgetMs?: number | undefined;
};
type Known = { readonly id: Attempt["id"]; readonly transactionId?: string | undefined; readonly status?: string | undefined };
/** The status that counts: what the service says now, or a paid one that this contradicts, seen before by the journal or the mirror. */
export type SeenPayment = { readonly status: string; readonly transaction: Transaction };

/**
 * What the service says at this moment about an accepted payment; the journal remembers its status. Undefined if the service says nothing
 * about this very id. Throws what the read and the journal throw.
 */
export const readPayment = async (
  { id, transactionId, status: before }: Known,
  { journal, client, signal, budgetMs, account, paths }: Deps,
): Promise<SeenPayment | undefined> => {
  if (transactionId === undefined) return undefined;
  const transaction = await readDetails(await client(), transactionId, signal, budgetMs);
  const said = transaction?.status;
  if (transaction === undefined || said === undefined) return undefined;
  const mirrored = hasEndedUnpaid(said, "in") ? await paidBefore(transactionId, said, { account, paths }) : undefined;
  const status = before !== undefined && contradictsPaid(before, said) ? before : (mirrored ?? said);
  if (status !== before) await journal.setStatus(id, status);
  return { status, transaction };
};

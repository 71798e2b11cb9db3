import type { Attempt, Journal } from "../journal/port.ts";
import type { Client, Context } from "../ports.ts";
import { pageSize, walkList } from "../transactions/list-transactions.ts";
import type { Mirror } from "../transactions/mirror.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { canonicalAmount } from "./guard-key.ts";
import { olderThan } from "./settle-age.ts";

/** A transaction that may be the attempt's own. */
export type Candidate = { readonly id: string; readonly status: string };
/** If it is not `complete`, the list could not be read to its end: then neither one candidate nor none proves anything. */
export type LookUp = { readonly candidates: readonly Candidate[]; readonly complete: boolean };

/** A list without a usable total that never ends has to end all the same. */
const rowsMax = 1_000_000;

type Deps = {
  readonly client: Pick<Client, "call">;
  readonly journal: Pick<Journal, "list" | "seeTransactions">;
  readonly mirror?: Pick<Mirror, "firstSeen"> | undefined;
} & Pick<Context, "signal">;
type UnsettledAttempt = Pick<Attempt, "id" | "operation" | "reference" | "amount" | "baseUrl" | "startedAt" | "transactionId">;

/**
 * Looks among the transactions for those of the attempts' reference, amount and flow (rules.md, Money safety), in one walk
 * through the list for all attempts of one flow. Claimed ones, and those known to be older, are left out. Throws CliError where the list can't be read.
 */
export const lookUpAttempts = async (attempts: readonly UnsettledAttempt[], deps: Deps): Promise<ReadonlyMap<string, LookUp>> => {
  const found = new Map<string, LookUp>();
  for (const [operation, flow] of [
    ["stk", "standard"],
    ["b2c", "b2c"],
  ] as const) {
    const wanted = attempts.filter((attempt) => attempt.operation === operation);
    if (wanted.length === 0) continue;
    const { likes, complete } = await walk(flow, new Set(wanted.map(likenessOf)), deps);
    for (const attempt of wanted) {
      const candidates: Candidate[] = [];
      for (const candidate of likes.get(likenessOf(attempt)) ?? []) {
        const claims = await deps.journal.list({ transactionId: candidate.id, baseUrl: attempt.baseUrl });
        if (!claims.some(({ id }) => id !== attempt.id)) candidates.push(candidate);
      }
      const others = candidates.filter(({ id }) => id !== attempt.transactionId).map(({ id }) => id);
      const older = await olderThan(attempt, others, deps);
      const possible = candidates.filter(({ id }) => !older.has(id));
      found.set(attempt.id, { candidates: possible, complete });
    }
  }
  return found;
};

const likenessOf = ({ reference, amount }: { readonly reference: string; readonly amount: string }): string =>
  JSON.stringify([reference.trim(), canonicalAmount(amount)]);

type Walk = { readonly likes: ReadonlyMap<string, readonly Candidate[]>; readonly complete: boolean };

const walk = async (flow: "standard" | "b2c", wanted: ReadonlySet<string>, { client, signal }: Deps): Promise<Walk> => {
  const likes = new Map<string, Candidate[]>();
  const pages = walkList(client, { flow, pageSize, rowsMax, signal, endsIfCut: true });
  for (;;) {
    const step = await pages.next();
    if (step.done === true) return { likes, complete: step.value.end === "complete" && !step.value.isCut };
    for (const row of step.value) collect(row, wanted, likes);
  }
};

const collect = ({ id, reference = "", amount = "", status = "" }: Transaction, wanted: ReadonlySet<string>, likes: Map<string, Candidate[]>): void => {
  const likeness = likenessOf({ reference, amount });
  if (id === undefined || !wanted.has(likeness)) return;
  likes.set(likeness, [...(likes.get(likeness) ?? []), { id, status }]);
};

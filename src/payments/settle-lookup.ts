import { CliError } from "../errors.ts";
import type { Attempt, Journal } from "../journal/port.ts";
import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import type { Client, Context } from "../ports.ts";
import { clockLagMs } from "../service/retry.ts";
import { pageSize, walkList } from "../transactions/list-transactions.ts";
import type { Mirror } from "../transactions/mirror.ts";
import { readDetails } from "../transactions/sync-details.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { canonicalAmount } from "./guard-key.ts";

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

/**
 * Those of the transactions that are known to be older than the attempt (rules.md, Settling): an earlier look-up or the mirror had
 * seen them before it began, or their details have a date before it. Throws what reading throws.
 */
const olderThan = async (attempt: Pick<Attempt, "id" | "baseUrl" | "startedAt">, ids: readonly string[], deps: Deps): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const older = new Set(await deps.journal.seeTransactions(attempt, ids));
  for (const [id, at] of deps.mirror?.firstSeen(ids) ?? []) if (at < attempt.startedAt) older.add(id);
  for (const id of ids) {
    if (older.has(id)) continue;
    const latestMs = latestStart(await readDates(id, deps));
    // The service's clock may be a little behind.
    if (latestMs !== undefined && latestMs + clockLagMs < Date.parse(attempt.startedAt)) older.add(id);
  }
  return older;
};

/** Undefined where the service answers, but not with the details: then nothing is known of its age. A lost answer decides nothing. */
const readDates = async (id: string, { client, signal }: Deps): Promise<Json | undefined> => {
  try {
    return (await readDetails(client, id, signal))?.body;
  } catch (error) {
    if (error instanceof CliError && error.status !== undefined && error.status < 500 && error.status !== 429) return undefined;
    throw error;
  }
};

const dateFields = ["createdAt", "created_at", "paidAt", "completedAt", "timestamp", "date", "updatedAt"];

/** The latest moment at which the transaction can have begun, ms since 1970, by the dates in its details; none of them is before it. */
const latestStart = (details: Json | undefined): number | undefined => {
  const moments = [details, fieldOf(details, "metadata")].flatMap((part) => dateFields.map((name) => latestMoment(textOf(fieldOf(part, name)) ?? "")));
  const known = moments.filter((moment) => !Number.isNaN(moment));
  return known.length === 0 ? undefined : Math.min(...known);
};

/** A day alone ends last at the date line; a time without a zone is Nairobi's. NaN for what is no date. */
const latestMoment = (text: string): number => {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T23:59:59.999-12:00`);
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text)) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}+03:00`);
};

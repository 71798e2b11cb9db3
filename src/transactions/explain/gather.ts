import { profileWords } from "../../command.ts";
import { CliError } from "../../errors.ts";
import type { Attempt, Journal } from "../../journal/port.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { describeEvidence, readEvidence } from "../../payments/evidence.ts";
import { isSameReference } from "../../payments/reference.ts";
import type { Client, Context } from "../../ports.ts";
import { directionOf, isGlobal, isGlobalReference, routes } from "../../service/contract/routes.ts";
import { type LoggedCallback, readCallbacks } from "../../webhooks/callback-log.ts";
import { readPage } from "../list-transactions.ts";
import type { Mirror } from "../mirror.ts";
import { normalised, tokensOf } from "../mirror-tokens.ts";
import { contradictsPaid, type Direction, hasEndedUnpaid } from "../status.ts";
import { readDetails, readTwiceIfUnpaid } from "../sync-details.ts";
import { type Transaction, toTransaction } from "../transaction.ts";
import type { Source, Story, UnreadSource } from "./story.ts";

export type ExplainDeps = {
  readonly client: Pick<Client, "call">;
  readonly baseUrl: string;
  /** Throws CliError usage if this machine has none. */
  readonly dataFolder: () => string;
  /** Opened on use: neither has to exist. */
  readonly journal: () => Promise<Pick<Journal, "find" | "list">>;
  readonly mirror: () => Promise<Mirror | undefined>;
} & Pick<Context, "signal" | "clock" | "progress">;

/** What was found: nothing, one payment's story, or several payments (transactions as far as they are known). */
export type Found = { readonly story: Story } | { readonly several: readonly Json[] } | undefined;

/** The newest transactions that are searched for a reference: one page, so that a story costs at most four requests. */
const searchedMax = 100;

/**
 * Finds one payment by transaction id, reference, receipt, journal id or idempotency key, and gathers what is known of it.
 * At most four requests (service 4: GET transactions, transactions/:id once or twice, wallet; for payments abroad GET global wallet).
 * A source that cannot be read is named in the story; if nothing else knows the payment, its error is thrown.
 */
export const gatherStory = async (text: string, deps: ExplainDeps): Promise<Found> => {
  const collected = createReader();
  const local = await readLocal(text, deps, collected);
  const page = await collected.read("service", async () => (await readPage(deps.client, { flow: "all", limit: searchedMax }, deps.signal)).rows, []);
  const chosen = await chooseTransaction(text, { ...local, page }, deps, collected);
  if ("several" in chosen) return chosen;
  const { id, transaction, isLive } = chosen;
  const { named } = local;
  const reference = transaction?.reference ?? (named ?? local.attempts.at(-1))?.reference ?? "";
  const alike = reference === "" || reference === text ? [] : await collected.read("journal", async () => await ofReference(reference, deps), []);
  const attempts = oldestFirst([...local.attempts, ...alike]);
  if (transaction === undefined && attempts.length === 0) {
    const [fault] = collected.errors;
    if (fault !== undefined) throw fault;
    return undefined;
  }
  const own = named ?? attempts.find(({ transactionId }) => transactionId !== undefined && transactionId === id) ?? attempts.at(-1);
  const abroad = transaction === undefined && own !== undefined && isGlobal(own.operation);
  const money = abroad ? await readAbroad(own, deps, collected) : await readLedger([reference, id ?? ""], deps, collected);
  const memory = id === undefined ? nothingRemembered : await readMemory(id, isLive ? transaction : undefined, deps, collected);
  const listed = isLive ? page.find((row) => row.id === id)?.status : undefined;
  return {
    story: {
      direction: directionIn(own, [...money.ledger, ...money.holds]),
      attempts,
      own,
      tried: named === undefined ? attempts : [named],
      transaction,
      isLive,
      ...memory,
      contradicted: memory.contradicted ?? (contradictsPaid(listed, transaction?.status ?? "") ? listed : undefined),
      others: othersOf(reference, id, [...attempts.flatMap(attemptRows), ...local.mirrored, ...page]),
      ...money,
      unread: collected.unread,
      readAt: new Date(deps.clock.now()).toISOString(),
    },
  };
};

/** Reads one source after the other; what fails is remembered and replaced by `otherwise`. Ctrl-C ends it all. */
const createReader = () => {
  const unread: UnreadSource[] = [];
  const errors: CliError[] = [];
  return {
    unread,
    errors,
    read: async <T>(source: Source, work: () => Promise<T>, otherwise: T): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof CliError) || error.kind === "interrupted" || error.kind === "bug") throw error;
        if (!unread.some((one) => one.source === source)) unread.push({ source, reason: error.message });
        errors.push(error);
        return otherwise;
      }
    },
  };
};
type Reader = ReturnType<typeof createReader>;

type Local = {
  readonly attempts: readonly Attempt[];
  /** The text named this attempt itself. */
  readonly named: Attempt | undefined;
  readonly mirrored: readonly Transaction[];
};

const readLocal = async (text: string, deps: ExplainDeps, collected: Reader): Promise<Local> => {
  const mirrored = await collected.read("mirror", async () => inMirror(text, deps), []);
  const found = await collected.read("journal", async () => inJournal(text, mirrored, deps), { attempts: [], named: undefined });
  return { ...found, mirrored };
};

const inMirror = async (text: string, deps: ExplainDeps): Promise<readonly Transaction[]> => {
  const mirror = await deps.mirror();
  try {
    const token = normalised(text);
    // The mirror also finds ends of phones; a story is about one payment, not about one customer.
    const rows = mirror?.find({ text }).filter((row) => tokensOf(row).includes(token)) ?? [];
    const found = rows.map(toTransaction);
    const exact = found.filter((row) => isAbout(row, text, text));
    return exact.length > 0 ? exact : found;
  } finally {
    mirror?.dispose();
  }
};

const inJournal = async (text: string, mirrored: readonly Transaction[], deps: ExplainDeps): Promise<Omit<Local, "mirrored">> => {
  const journal = await deps.journal();
  const { baseUrl } = deps;
  const named = await journal.find(text);
  if (named !== undefined && named.baseUrl !== baseUrl) {
    const flags = profileWords(named.profile);
    const remedy = flags === undefined ? {} : { hint: "To ask with the profile that made it", command: ["tx", "explain", named.id, ...flags] };
    throw new CliError("usage", `The attempt ${named.id} was made at ${named.baseUrl}, not at ${baseUrl}.`, remedy);
  }
  const ids = [text, ...mirrored.map(({ id }) => id ?? "")].filter((id) => id !== "");
  const lists = await Promise.all(ids.map((transactionId) => journal.list({ transactionId, baseUrl })));
  const alike = await ofReference(named?.reference ?? text, deps);
  return { attempts: oldestFirst([...(named === undefined ? [] : [named]), ...lists.flat(), ...alike]), named };
};

/** Payments abroad have no reference, and are not alike for that. */
const ofReference = async (reference: string, { journal, baseUrl }: ExplainDeps): Promise<readonly Attempt[]> =>
  reference === "" ? [] : await (await journal()).list({ reference, baseUrl });

const oldestFirst = (attempts: readonly Attempt[]): readonly Attempt[] =>
  [...new Map(attempts.map((attempt) => [attempt.id, attempt])).values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt));

type Chosen =
  | { readonly id: string | undefined; readonly transaction: Transaction | undefined; readonly isLive: boolean }
  | { readonly several: readonly Json[] };

const chooseTransaction = async (
  text: string,
  { attempts, named, mirrored, page }: Local & { readonly page: readonly Transaction[] },
  deps: ExplainDeps,
  collected: Reader,
): Promise<Chosen> => {
  const rows = [...page.filter((row) => isAbout(row, named?.reference ?? text, text)), ...mirrored];
  const known = named === undefined ? idsKnown(text, rows, attempts) : idsOfAttempt(named, rows, attempts);
  const ids = [...new Set(known.filter((id) => id !== undefined && id !== ""))];
  if (ids.length > 1) return { several: ids.flatMap((id) => [...rows, ...attempts.flatMap(attemptRows)].find((row) => row.id === id)?.body ?? []) };
  const isAbroad = attempts.some(({ operation, transactionId }) => transactionId === ids[0] && isGlobal(operation));
  const id = ids[0] ?? (attempts.length === 0 ? text : undefined);
  if (id === undefined || isAbroad || isGlobalReference(id)) return { id, transaction: undefined, isLive: false };
  const live = await collected.read("service", () => readLive(id, deps), undefined);
  return live === undefined ? { id, transaction: rows.find((row) => row.id === id), isLive: false } : { id, transaction: live, isLive: true };
};

/** As the service gives it now; an end without payment is read again to be sure. */
const readLive = async (id: string, { client, signal, clock, progress }: ExplainDeps): Promise<Transaction | undefined> => {
  const line = progress();
  const isUnpaid = (seen: Transaction | undefined): boolean => {
    const unpaid = hasEndedUnpaid(seen?.status, "in");
    if (unpaid) line.update("ended unpaid; reading again to be sure");
    return unpaid;
  };
  return await readTwiceIfUnpaid(() => readDetails(client, id, signal), isUnpaid, { clock, signal }).finally(() => line.end());
};

/** An attempt has its own transaction, none if it was refused, or while it is unsettled perhaps one that no other attempt claims. */
const idsOfAttempt = (named: Attempt, rows: readonly Transaction[], attempts: readonly Attempt[]): readonly (string | undefined)[] => {
  if (named.transactionId !== undefined || named.state === "refused") return [named.transactionId];
  const claimed = new Set(attempts.map(({ transactionId }) => transactionId));
  return rows.map(({ id }) => id).filter((id) => !claimed.has(id));
};

/** The one id that was typed, or the ids of all that have the reference or receipt. */
const idsKnown = (text: string, rows: readonly Transaction[], attempts: readonly Attempt[]): readonly (string | undefined)[] => {
  const ids = [...rows.map(({ id }) => id), ...attempts.map(({ transactionId }) => transactionId)];
  return ids.includes(text) ? [text] : ids;
};

const isAbout = (row: Transaction, reference: string, text: string): boolean => row.id === text || isSameReference(row.reference ?? "", reference);
/** The transaction of an attempt as a list would show it, and as far as the journal knows it. */
const attemptRows = ({ transactionId, reference, amount, status }: Attempt): readonly Transaction[] =>
  transactionId === undefined ? [] : [toTransaction({ id: transactionId, reference, amount, status: status ?? null })];

/** So many entries the wallet shows at most (service 2.2). */
const entriesMax = 20;

type Money = Pick<Story, "ledger" | "ledgerSinceMs" | "holds" | "evidence">;
const readLedger = async (names: readonly string[], { client, signal }: ExplainDeps, collected: Reader): Promise<Money> => {
  const body = await collected.read("ledger", async () => (await client.call(routes.wallet, { signal })).body, undefined);
  const about = (list: Json | undefined): readonly Json[] =>
    Array.isArray(list) ? list.filter((entry) => names.some((name) => name !== "" && textOf(fieldOf(entry, "reference")) === name)) : [];
  const entries = fieldOf(body, "transactions");
  const holds = about(fieldOf(fieldOf(body, "wallet"), "b2cHolds"));
  return { ledger: about(entries), ledgerSinceMs: sinceMs(entries), holds, evidence: undefined };
};

const sinceMs = (entries: Json | undefined): number => {
  if (!Array.isArray(entries)) return Number.POSITIVE_INFINITY;
  return entries.length < entriesMax ? Number.NEGATIVE_INFINITY : Math.min(...entries.map((entry) => Date.parse(textOf(fieldOf(entry, "createdAt")) ?? "")));
};

const readAbroad = async ({ operation, evidence }: Attempt, { client, signal }: ExplainDeps, { unread }: Reader): Promise<Money> => {
  const now = await readEvidence(operation, client, { signal });
  if (now === undefined) unread.push({ source: "ledger", reason: "The global wallet could not be read." });
  return { ledger: [], ledgerSinceMs: Number.POSITIVE_INFINITY, holds: [], evidence: describeEvidence(evidence, now) };
};

type Memory = Pick<Story, "contradicted" | "firstSeenAt" | "callbacks">;
const nothingRemembered: Memory = { contradicted: undefined, firstSeenAt: undefined, callbacks: [] };

/** `live` is what the service says now, if it was reached. */
const readMemory = async (id: string, live: Transaction | undefined, deps: ExplainDeps, collected: Reader): Promise<Memory> => {
  const status = live?.status;
  const seen = await collected.read(
    "mirror",
    async () => {
      const mirror = await deps.mirror();
      try {
        return { contradicted: status === undefined ? undefined : mirror?.standing(id, status), firstSeenAt: mirror?.firstSeen([id]).get(id) };
      } finally {
        mirror?.dispose();
      }
    },
    { contradicted: undefined, firstSeenAt: undefined },
  );
  const callbacks = await collected.read<readonly LoggedCallback[]>("callback", async () => await readCallbacks(deps.dataFolder(), id), []);
  return { ...seen, callbacks };
};

/** Of several rows of one transaction the last counts. */
const othersOf = (reference: string, id: string | undefined, rows: readonly Transaction[]): readonly Transaction[] => {
  const others = new Map<string, Transaction>();
  if (reference === "") return [];
  for (const row of rows) {
    if (row.id !== undefined && row.id !== id && isSameReference(row.reference ?? "", reference)) others.set(row.id, row);
  }
  return [...others.values()];
};

const directionIn = (own: Attempt | undefined, entries: readonly Json[]): Direction => {
  if (own !== undefined) return directionOf(own.operation);
  if (entries.length === 0) return "unknown";
  // Only payouts have entries and holds of the payout wallet; the fee alone stands beside both (service 2.2).
  return entries.some((entry) => /^(?:B2C_|PAYOUT)/i.test(textOf(fieldOf(entry, "type")) ?? textOf(fieldOf(entry, "holdType")) ?? "")) ? "out" : "in";
};

import { CliError, usageError } from "../../errors.ts";
import type { Attempt, Journal } from "../../journal/port.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { describeEvidence, readEvidence } from "../../payments/evidence.ts";
import { isSameReference } from "../../payments/reference.ts";
import type { Client, Context } from "../../ports.ts";
import { directionOf, isGlobal, routes } from "../../service/contract/routes.ts";
import { type LoggedCallback, readCallbacks } from "../../webhooks/callback-log.ts";
import { readPage } from "../list-transactions.ts";
import type { Mirror } from "../mirror.ts";
import { normalised, tokensOf } from "../mirror-tokens.ts";
import type { Direction } from "../status.ts";
import { readDetails } from "../sync-details.ts";
import type { Source, Story, UnreadSource } from "./story.ts";

export type ExplainDeps = {
  readonly client: Pick<Client, "call">;
  readonly baseUrl: string;
  readonly dataFolder: string;
  /** Opened on use: neither has to exist. */
  readonly journal: () => Promise<Pick<Journal, "find" | "list">>;
  readonly mirror: () => Promise<Mirror | undefined>;
} & Pick<Context, "signal" | "clock">;

/** What was found: nothing, one payment's story, or several payments (transactions as far as they are known). */
export type Found = { readonly story: Story } | { readonly several: readonly Json[] } | undefined;

/** The newest transactions that are searched for a reference: one page, so that a story costs at most four requests. */
const searchedMax = 100;

/**
 * Finds one payment by transaction id, reference, receipt, journal id or idempotency key, and gathers what is known of it.
 * At most four requests (service 4: GET transactions, transactions/:id, wallet; for payments abroad GET global wallet).
 * A source that cannot be read is named in the story; if nothing else knows the payment, its error is thrown.
 */
export const gatherStory = async (text: string, deps: ExplainDeps): Promise<Found> => {
  const collected = createReader();
  const local = await readLocal(text, deps, collected);
  const page = await collected.read("service", async () => (await readPage(deps.client, { flow: "all", limit: searchedMax }, deps.signal)).rows, []);
  const chosen = await chooseTransaction(text, { ...local, page }, deps, collected);
  if ("several" in chosen) return chosen;
  const { id, transaction, isLive } = chosen;
  const { attempts } = local;
  if (transaction === undefined && attempts.length === 0) {
    const [fault] = collected.errors;
    if (fault !== undefined) throw fault;
    return undefined;
  }
  const reference = textOf(fieldOf(transaction, "reference")) ?? attempts[0]?.reference ?? "";
  const abroad = transaction === undefined && attempts.every(({ operation }) => isGlobal(operation));
  const money = abroad ? await readAbroad(attempts, deps) : await readLedger([reference, id ?? ""], deps, collected);
  const memory = id === undefined ? nothingRemembered : await readMemory(id, isLive ? transaction : undefined, deps, collected);
  return {
    story: {
      direction: directionIn(attempts, id, money.ledger.length + money.holds.length > 0 ? [...money.ledger, ...money.holds] : []),
      attempts,
      transaction,
      isLive,
      ...memory,
      others: othersOf(reference, id, [...page, ...local.mirrored]),
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
  readonly attempts: readonly Attempt[] /** The text named this attempt itself. */;
  readonly named: Attempt | undefined;
  readonly mirrored: readonly Json[];
};

const readLocal = async (text: string, deps: ExplainDeps, collected: Reader): Promise<Local> => {
  const mirrored = await collected.read("mirror", async () => inMirror(text, deps), []);
  const found = await collected.read("journal", async () => inJournal(text, mirrored, deps), { attempts: [], named: undefined });
  return { ...found, mirrored };
};

const inMirror = async (text: string, deps: ExplainDeps): Promise<readonly Json[]> => {
  const mirror = await deps.mirror();
  try {
    const token = normalised(text);
    // The mirror also finds ends of phones; a story is about one payment, not about one customer.
    const found = mirror?.find({ text }).filter((row) => tokensOf(row).includes(token)) ?? [];
    const exact = found.filter((row) => isAbout(row, text, text));
    return exact.length > 0 ? exact : found;
  } finally {
    mirror?.dispose();
  }
};

const inJournal = async (text: string, mirrored: readonly Json[], deps: ExplainDeps): Promise<Omit<Local, "mirrored">> => {
  const journal = await deps.journal();
  const { baseUrl } = deps;
  const named = await journal.find(text);
  if (named !== undefined && named.baseUrl !== baseUrl)
    throw usageError(`The attempt ${named.id} was made at ${named.baseUrl}, not at ${baseUrl}.`, `Choose its profile: --profile ${named.profile}`);
  const ids = [text, ...mirrored.map((row) => textOf(fieldOf(row, "id")) ?? "")].filter((id) => id !== "");
  const lists = [
    ...(await Promise.all(ids.map((transactionId) => journal.list({ transactionId, baseUrl })))),
    await journal.list({ reference: named?.reference ?? text, baseUrl }),
  ].flat();
  const attempts = new Map([...(named === undefined ? [] : [named]), ...lists].map((attempt) => [attempt.id, attempt]));
  return { attempts: [...attempts.values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt)), named };
};

type Chosen = { readonly id: string | undefined; readonly transaction: Json | undefined; readonly isLive: boolean } | { readonly several: readonly Json[] };

const chooseTransaction = async (
  text: string,
  { attempts, named, mirrored, page }: Local & { readonly page: readonly Json[] },
  deps: ExplainDeps,
  collected: Reader,
): Promise<Chosen> => {
  const rows = [...page.filter((row) => isAbout(row, named?.reference ?? text, text)), ...mirrored];
  const known = named === undefined ? idsKnown(text, rows, attempts) : idsOfAttempt(named, rows, attempts);
  const ids = [...new Set(known.filter((id) => id !== undefined && id !== ""))];
  if (ids.length > 1) return { several: ids.map((id) => rows.find((row) => idOf(row) === id) ?? attemptAsRow(id ?? "", attempts)) };
  const isAbroad = attempts.some(({ operation, transactionId }) => transactionId === ids[0] && isGlobal(operation));
  const id = ids[0] ?? (attempts.length === 0 ? text : undefined);
  if (id === undefined || isAbroad || /^g[cd]-/i.test(id)) return { id, transaction: undefined, isLive: false };
  const live = await collected.read("service", () => readDetails(deps.client, id, deps.signal), undefined);
  return live === undefined ? { id, transaction: rows.find((row) => idOf(row) === id), isLive: false } : { id, transaction: live, isLive: true };
};

/** An attempt has its own transaction, none if it was refused, or while it is unsettled perhaps one that no other attempt claims. */
const idsOfAttempt = (named: Attempt, rows: readonly Json[], attempts: readonly Attempt[]): readonly (string | undefined)[] => {
  if (named.transactionId !== undefined || named.state === "refused") return [named.transactionId];
  const claimed = new Set(attempts.map(({ transactionId }) => transactionId));
  return rows.map(idOf).filter((id) => !claimed.has(id));
};

/** The one id that was typed, or the ids of all that have the reference or receipt. */
const idsKnown = (text: string, rows: readonly Json[], attempts: readonly Attempt[]): readonly (string | undefined)[] => {
  const ids = [...rows.map(idOf), ...attempts.map(({ transactionId }) => transactionId)];
  return ids.includes(text) ? [text] : ids;
};

const idOf = (row: Json): string | undefined => textOf(fieldOf(row, "id"));
const isAbout = (row: Json, reference: string, text: string): boolean =>
  idOf(row) === text || isSameReference(textOf(fieldOf(row, "reference")) ?? "", reference);
/** A transaction that only the journal knows, as a list would show it. */
const attemptAsRow = (id: string, attempts: readonly Attempt[]): Json => {
  const attempt = attempts.find(({ transactionId }) => transactionId === id);
  return { id, reference: attempt?.reference ?? null, amount: attempt?.amount ?? null, status: attempt?.status ?? null };
};

type Money = Pick<Story, "ledger" | "holds" | "evidence">;
const readLedger = async (names: readonly string[], { client, signal }: ExplainDeps, collected: Reader): Promise<Money> => {
  const body = await collected.read("ledger", async () => (await client.call(routes.wallet, { signal })).body, undefined);
  const about = (list: Json | undefined): readonly Json[] =>
    Array.isArray(list) ? list.filter((entry) => names.some((name) => name !== "" && textOf(fieldOf(entry, "reference")) === name)) : [];
  return { ledger: about(fieldOf(body, "transactions")), holds: about(fieldOf(fieldOf(body, "wallet"), "b2cHolds")), evidence: undefined };
};

const readAbroad = async (attempts: readonly Attempt[], { client, signal }: ExplainDeps): Promise<Money> => {
  const last = attempts.at(-1);
  const now = last === undefined ? undefined : await readEvidence(last.operation, client, { signal });
  return { ledger: [], holds: [], evidence: describeEvidence(last?.evidence, now) };
};

type Memory = Pick<Story, "contradicted" | "firstSeenAt" | "callbacks">;
const nothingRemembered: Memory = { contradicted: undefined, firstSeenAt: undefined, callbacks: [] };

/** `live` is what the service says now, if it was reached. */
const readMemory = async (id: string, live: Json | undefined, deps: ExplainDeps, collected: Reader): Promise<Memory> => {
  const status = textOf(fieldOf(live, "status"));
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
  const callbacks = await collected.read<readonly LoggedCallback[]>("callback", () => readCallbacks(deps.dataFolder, id), []);
  return { ...seen, callbacks };
};

const othersOf = (reference: string, id: string | undefined, rows: readonly Json[]): readonly Json[] => {
  const others = new Map<string, Json>();
  for (const row of rows) {
    const other = idOf(row);
    if (other === undefined || other === id || !isSameReference(textOf(fieldOf(row, "reference")) ?? "", reference)) continue;
    others.set(other, row);
  }
  return [...others.values()];
};

const directionIn = (attempts: readonly Attempt[], id: string | undefined, entries: readonly Json[]): Direction => {
  const own = attempts.find(({ transactionId }) => transactionId !== undefined && transactionId === id) ?? attempts[0];
  if (own !== undefined) return directionOf(own.operation);
  if (entries.length === 0) return "unknown";
  // Only payouts have entries and holds of the payout wallet; the fee alone stands beside both (service 2.2).
  return entries.some((entry) => /^(?:B2C_|PAYOUT)/i.test(textOf(fieldOf(entry, "type")) ?? textOf(fieldOf(entry, "holdType")) ?? "")) ? "out" : "in";
};

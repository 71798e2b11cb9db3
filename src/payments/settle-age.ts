import { CliError } from "../errors.ts";
import type { Attempt, Journal } from "../journal/port.ts";
import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import type { Client } from "../ports.ts";
import { clockLagMs } from "../service/retry.ts";
import type { Mirror } from "../transactions/mirror.ts";
import { readDetails } from "../transactions/sync-details.ts";

type Deps = {
  readonly client: Pick<Client, "call">;
  readonly journal: Pick<Journal, "seeTransactions">;
  readonly mirror?: Pick<Mirror, "firstSeen"> | undefined;
  readonly signal: AbortSignal;
};

/**
 * Those of the transactions that are known to be older than the attempt (rules.md, Settling): an earlier look-up or the mirror had
 * seen them before it began, or their details have a date before it. Throws what reading throws.
 */
export const olderThan = async (attempt: Pick<Attempt, "id" | "baseUrl" | "startedAt">, ids: readonly string[], deps: Deps): Promise<ReadonlySet<string>> => {
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

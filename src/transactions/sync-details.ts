import { CliError } from "../errors.ts";
import { present } from "../json/exact-json.ts";
import type { Client, Clock } from "../ports.ts";
import { isUsableId } from "../service/base-url.ts";
import { routes } from "../service/contract/routes.ts";
import { secondLookMs } from "../service/retry.ts";
import { type Transaction, toTransaction } from "./transaction.ts";

/** Details asked for at once. */
export const detailsConcurrency = 8;

/** One transaction as GET transactions/:id has it. Throws what the call throws, and CliError unavailable if the service answers about another. */
export const readTransaction = async (client: Pick<Client, "call">, id: string, signal?: AbortSignal): Promise<Transaction> => {
  const { body } = await client.call(routes.getTransaction, { params: { transactionId: id }, ...present({ signal }) });
  const transaction = toTransaction(body);
  if (transaction.id !== id)
    throw new CliError("unavailable", `The service answered with another transaction (${transaction.id}) than the one asked for (${id}).`);
  return transaction;
};

/** The same; undefined where the service does not know it (404), answers about another, or lists an id that nobody can ask about. */
export const readDetails = async (client: Pick<Client, "call">, id: string, signal?: AbortSignal, budgetMs?: number): Promise<Transaction | undefined> => {
  if (!isUsableId(id)) return undefined;
  try {
    const { body } = await client.call(routes.getTransaction, { params: { transactionId: id }, ...present({ signal, budgetMs }) });
    const transaction = toTransaction(body);
    return transaction.id === id ? transaction : undefined;
  } catch (error) {
    if (error instanceof CliError && error.kind === "not-found") return undefined;
    throw error;
  }
};

/** Runs `work` on each item, so many at once. The first failure stops what has not begun and is thrown when the rest has ended. */
export const eachBounded = async <T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> => {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const runner = async (): Promise<void> => {
    while (failure === undefined) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
  if (failure !== undefined) throw failure.error;
};

type Deps = { readonly clock: Pick<Clock, "sleep">; readonly signal: AbortSignal };

/**
 * What `read` finds; once more 3 s later if that is an end without payment, as a service may say so for a moment (rules.md, Exit codes,
 * 7). Then the second reading counts. Throws what `read` throws, and the signal's reason.
 */
export const readTwiceIfUnpaid = async <T>(read: () => Promise<T>, isUnpaid: (seen: T) => boolean, { clock, signal }: Deps): Promise<T> => {
  const first = await read();
  if (!isUnpaid(first)) return first;
  await clock.sleep(secondLookMs, signal);
  return await read();
};

import { fieldOf, isObject, type Json, parseExact, stringifyExact, textOf } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Client, Context } from "../ports.ts";
import { isGlobal, type Operation, routes } from "../service/contract/routes.ts";

/** How long the figures are waited for before a payment, ms: they are a help for later, never a condition. */
const patienceMs = 3_000;
const figures = ["availableBalance", "pendingBalance", "heldBalance", "totalCollected", "totalDisbursed"] as const;

/**
 * The global wallet's figures as JSON text, for the operations whose record can't be looked up; undefined where they can't be
 * read, whatever the reason.
 */
export const readEvidence = async (operation: Operation, client: Pick<Client, "call">, { signal }: Pick<Context, "signal">): Promise<string | undefined> => {
  if (!isGlobal(operation)) return undefined;
  try {
    const answer = await client.call(routes.globalWallet, { budgetMs: patienceMs, signal });
    const wallet = fieldOf(answer.body, "wallet");
    if (!isObject(wallet)) return undefined;
    return stringifyExact(Object.fromEntries(["currency", ...figures].flatMap((name) => (wallet[name] === undefined ? [] : [[name, wallet[name]]]))));
  } catch {
    return undefined;
  }
};

/** Each figure before and after, in words; undefined where one of them is not known. Evidence, not proof: others pay too. */
export const describeEvidence = (before: string | undefined, after: string | undefined): string | undefined => {
  if (before === undefined || after === undefined) return undefined;
  const [was, is]: readonly Json[] = [parseExact(before), parseExact(after)];
  const changes = figures.flatMap((name) => {
    const [from, to] = [was, is].map((wallet) => {
      const figure = textOf(fieldOf(wallet, name));
      return figure === undefined ? undefined : groupedAmount(figure, textOf(fieldOf(wallet, "currency")) ?? "");
    });
    return from === undefined || to === undefined ? [] : [`${name} ${from === to ? `${from} (unchanged)` : `${from} → ${to}`}`];
  });
  return changes.length === 0 ? undefined : `The global wallet before and now, as evidence, not proof: ${changes.join(", ")}`;
};

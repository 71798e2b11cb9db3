import { fieldOf, isObject, type Json, parseExact, stringifyExact, textOf } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Client, Context } from "../ports.ts";
import { isGlobal, type Operation, routes } from "../service/contract/routes.ts";

/** How long the figures are waited for before a payment, ms: they are a help for later, never a condition. */
const patienceMs = 3_000;
/** Service 2.6, with what people call each. */
const figures = {
  availableBalance: "available",
  pendingBalance: "pending",
  heldBalance: "held",
  totalCollected: "collected so far",
  totalDisbursed: "withdrawn so far",
} as const;

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
    return stringifyExact(
      Object.fromEntries(["currency", ...Object.keys(figures)].flatMap((name) => (wallet[name] === undefined ? [] : [[name, wallet[name]]]))),
    );
  } catch {
    return undefined;
  }
};

/** The figures that moved, before and after, in words; undefined where none is known. Evidence, not proof: others pay too. */
export const describeEvidence = (before: string | undefined, after: string | undefined): string | undefined => {
  if (before === undefined || after === undefined) return undefined;
  const [was, is]: readonly Json[] = [parseExact(before), parseExact(after)];
  const known = Object.entries(figures).flatMap(([name, words]) => {
    const [from, to] = [was, is].map((wallet) => {
      const figure = textOf(fieldOf(wallet, name));
      return figure === undefined ? undefined : groupedAmount(figure, textOf(fieldOf(wallet, "currency")) ?? "");
    });
    return from === undefined || to === undefined ? [] : [from === to ? "" : `${words} ${from} → ${to}`];
  });
  const moved = known.filter((change) => change !== "");
  if (known.length === 0) return undefined;
  return `The global wallet before and now, as evidence, not proof: ${moved.join(", ") || "no figure moved"}`;
};

import { CliError } from "../errors.ts";
import { fieldOf, textOf } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import { subtractDecimals, toDecimal, toFixedText } from "../money/money.ts";
import type { Context } from "../ports.ts";
import { type Operation, routes } from "../service/contract/routes.ts";

type Deps = Pick<Context, "client" | "signal">;

/** Both local balances, if the key may read them: a help for the question, never a condition. */
export const readBalances = async (context: Deps): Promise<{ readonly float: string | undefined; readonly credits: string | undefined } | undefined> =>
  await unlessRefused(async () => {
    const client = await context.client();
    const wallet = fieldOf((await client.call(routes.wallet, { signal: context.signal, budgetMs: 5000 })).body, "wallet");
    return { float: textOf(fieldOf(wallet, "b2cAvailableBalance")) ?? textOf(fieldOf(wallet, "b2cBalance")), credits: textOf(fieldOf(wallet, "balance")) };
  });

const globalBalance = async (currency: string, { client, signal }: Deps): Promise<string | undefined> =>
  await unlessRefused(async () => {
    const wallet = fieldOf((await (await client()).call(routes.globalWallet, { signal, budgetMs: 5000 })).body, "wallet");
    return textOf(fieldOf(wallet, "currency")) === currency ? textOf(fieldOf(wallet, "availableBalance")) : undefined;
  });

const unlessRefused = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CliError && error.kind !== "interrupted" && error.kind !== "bug") return undefined;
    throw error;
  }
};

/** The balance before and after money out, without the fee, which is not known yet; undefined if the key may not read it. */
export const balanceLine = async (
  { operation, amount, currency }: { readonly operation: Operation | "batch"; readonly amount: string; readonly currency: string },
  context: Deps,
): Promise<string | undefined> => {
  const before = operation === "withdraw" ? await globalBalance(currency, context) : (await readBalances(context))?.float;
  const [has, takes] = [toDecimal(before ?? ""), toDecimal(amount)];
  if (before === undefined || has === undefined || takes === undefined) return undefined;
  const after = subtractDecimals(has, takes);
  const left = toFixedText(after, after.scale);
  return `Balance now: ${currency} ${groupedAmount(before, currency)}. Afterwards: ${currency} ${groupedAmount(left, currency)}, less the fee`;
};

import { CliError } from "../../errors.ts";
import type { Approval } from "../../journal/approval.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";
import { groupedAmount, groupedCount } from "../../money/grouped.ts";
import { type Decimal, toDecimal, toFixedText } from "../../money/money.ts";
import type { Context } from "../../ports.ts";
import { routes } from "../../service/contract/routes.ts";
import { readBalances } from "../batch/run-batch.ts";

type Deps = Pick<Context, "journal" | "client" | "signal">;

/** What a person decides on: `what` is paid, who proposed it, what the payee got before, and the balance before and after. */
export const approvalLines = async (approval: Approval, what: readonly string[], context: Deps): Promise<readonly string[]> => {
  const { note, proposedBy, proposedFrom, proposedAt } = approval;
  const approved = approval.decisions.filter(({ decision }) => decision === "approved").map(({ by, at }) => `Approved by ${by} at ${at}`);
  const balance = await balanceLine(approval, context);
  return [
    ...what,
    `Proposed by ${proposedBy} from ${proposedFrom} at ${proposedAt}`,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    ...approved,
    ...(approval.batch === undefined ? [await payeeLine(approval, context)] : []),
    ...(balance === undefined ? [] : [balance]),
  ];
};

/** What this journal knows of earlier payments to the same payee. */
export const payeeLine = async ({ payee, baseUrl }: Pick<Approval, "payee" | "baseUrl">, context: Pick<Context, "journal">): Promise<string> => {
  const journal = await context.journal();
  const paid = (await journal.list({ payee, baseUrl })).filter(
    ({ state, operation }) => state === "accepted" && (operation === "b2c" || operation === "withdraw"),
  );
  const [last] = paid;
  if (last === undefined) return "Nothing was paid to this payee before, as far as this journal knows";
  return `Paid to this payee before: ${groupedCount(paid.length)} payments, the last ${amountOf(last)} at ${last.startedAt}${last.reference === "" ? "" : ` (${last.reference})`}`;
};
const amountOf = ({ amount, currency }: Pick<Attempt, "amount" | "currency">): string => `${currency} ${groupedAmount(amount, currency)}`;

/** The float before and after, without fees, which are not known yet; undefined if the key may not read it. */
const balanceLine = async (approval: Approval, context: Pick<Context, "client" | "signal">): Promise<string | undefined> => {
  const { amount, currency } = approval;
  const before = approval.operation === "withdraw" ? await globalBalance(currency, context) : (await readBalances(context))?.float;
  const [has, takes] = [toDecimal(before ?? ""), toDecimal(amount)];
  if (before === undefined || has === undefined || takes === undefined) return undefined;
  const after = minus(has, takes);
  return `Available now ${currency} ${groupedAmount(before, currency)}, after it ${groupedAmount(after, currency)} less the fee`;
};

const minus = (a: Decimal, b: Decimal): string => {
  const scale = Math.max(a.scale, b.scale);
  return toFixedText({ digits: a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale), scale }, scale);
};

const globalBalance = async (currency: string, { client, signal }: Pick<Context, "client" | "signal">): Promise<string | undefined> => {
  try {
    const wallet = fieldOf((await (await client()).call(routes.globalWallet, { signal, budgetMs: 5000 })).body, "wallet");
    return textOf(fieldOf(wallet, "currency")) === currency ? textOf(fieldOf(wallet, "availableBalance")) : undefined;
  } catch (error) {
    if (error instanceof CliError && error.kind !== "interrupted" && error.kind !== "bug") return undefined;
    throw error;
  }
};

import { usageError } from "../../errors.ts";
import { countOf, groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import { money } from "../../output/format.ts";
import { readBalances } from "../../payments/balances.ts";
import { type BatchRow, totalOf } from "../../payments/batch/batch-plan.ts";
import type { RunPlan } from "../../payments/batch/plan-run.ts";
import { accountLine, askTypedAmount, cancelled } from "../../payments/consent.ts";
import type { Context } from "../../ports.ts";

type Asked = {
  readonly path: string;
  readonly rows: readonly BatchRow[];
  readonly plan: RunPlan;
  readonly isRetry: boolean;
  /** What else helps to decide. */
  readonly lines?: readonly string[];
};

/** One question for the whole file; rows are then not asked about one by one. Throws CliError usage or interrupted where nobody agrees. */
export const askConsent = async (asked: Asked, context: Context): Promise<void> => {
  const { flags, terminal, prompt } = context;
  if (!flags.yes && !terminal.interactive)
    throw usageError(`Not sent: paying ${countOf(asked.plan.pays.size, "person", "people")} needs confirmation.`, "Add --yes to send without a question.");
  // Nobody would see the lines.
  if (flags.yes && (flags.output === "json" || flags.quiet)) return;
  const lines = await questionOf(asked, context);
  if (flags.yes) {
    for (const line of lines) context.note(line);
    return;
  }
  const sum = formatMinor(totalOf(asked.rows.filter(({ row }) => asked.plan.pays.has(row))));
  if ((await context.account()).mode === "live") await askTypedAmount(lines, { amount: sum, currency: "KES", what: "total" }, prompt);
  else if (!(await prompt.confirm({ message: [...lines, "Pay them?"], initial: false }))) throw cancelled();
};

const questionOf = async (asked: Asked, context: Pick<Context, "account" | "signal" | "client">): Promise<readonly string[]> => {
  const account = await context.account();
  const left = asked.rows.filter(({ row }) => asked.plan.pays.has(row));
  const largest = left.reduce((most, row) => (row.amountMinor > most.amountMinor ? row : most));
  const balances = await readBalances(context);
  return [
    ...openingOf(asked, left.length),
    ...(asked.lines ?? []),
    ...warningsOf(asked),
    `Total ${sumOf(left)}, the largest ${sumOf([largest])} to ${largest.payee} (${largest.reference}).`,
    accountLine(account),
    "The fees are known only after the payouts are accepted.",
    ...(balances === undefined ? [] : [`Payout float available: ${shown(balances.float)}; service credits: ${shown(balances.credits)}.`]),
  ];
};

const openingOf = ({ path, rows, plan, isRetry }: Asked, left: number): readonly string[] => {
  const of = `of ${countOf(rows.length, "row")}`;
  const settled = groupedCount(rows.length - left);
  if (isRetry) return [`Sending again ${groupedCount(left)} ${of}: those that were refused or ended unpaid.`];
  if (plan.goesOn) return [`Continuing: ${settled} ${of} settled, ${groupedCount(left)} left.`];
  const payouts = `${countOf(left, "payout")} from ${path === "-" ? "standard input" : path}.`;
  return left === rows.length ? [payouts] : [payouts, `Sent before by other runs, and not sent again: ${settled} ${of}.`];
};

const warningsOf = ({ rows, plan: { pays, sentBefore } }: Asked): readonly string[] => {
  const sent = rows.filter(({ row }) => pays.has(row) && sentBefore.has(row));
  const open = sent.filter(({ row }) => sentBefore.get(row)?.state === "unknown");
  const paid = sent.filter(({ row }) => sentBefore.get(row)?.state !== "unknown");
  return [
    ...(paid.length === 0 ? [] : [`PAID BEFORE, and now once more: rows ${rangesOf(paid)}, ${sumOf(paid)} in all.`]),
    ...(open.length === 0 ? [] : [`PERHAPS PAID BEFORE, and now once more: rows ${rangesOf(open)}, ${sumOf(open)} in all.`]),
  ];
};

const shown = (balance: string | undefined): string => (balance === undefined ? "unknown" : money(balance, "KES"));
const sumOf = (rows: readonly BatchRow[]): string => money(formatMinor(totalOf(rows)), "KES");

const rangesShown = 20;

/** `1-3, 7`: rows by their number in the file. */
const rangesOf = (rows: readonly BatchRow[]): string => {
  const ranges: { readonly from: number; to: number }[] = [];
  for (const { row } of rows) {
    const last = ranges.at(-1);
    if (last?.to === row - 1) last.to = row;
    else ranges.push({ from: row, to: row });
  }
  const texts = ranges.slice(0, rangesShown).map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
  return [...texts, ...(ranges.length > rangesShown ? [`and others, ${groupedCount(rows.length)} together`] : [])].join(", ");
};

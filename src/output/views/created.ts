import { accountWords } from "../../command.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { compareDecimals, toDecimal } from "../../money/money.ts";
import type { Block, Cell, Pair, Style, View } from "../../outcome.ts";
import { directionOf, isGlobal, type Operation } from "../../service/contract/routes.ts";
import { createdRecordOf } from "../../service/judge.ts";
import { commandLine } from "../../shell.ts";
import { classifyStatus, isRecognisedStatus, isReversed } from "../../transactions/status.ts";
import { absent, money } from "../format.ts";
import createdWords from "./created.json" with { type: "json" };
import { statusWithMeaning } from "./status.ts";
import { otherPairs, transactionCard } from "./transaction.ts";

type Made = { readonly operation: Operation; readonly reference: string; readonly payee: string; readonly amount: string; readonly currency: string };
type AccountFlags = Parameters<typeof accountWords>[0];

/**
 * The words for a creation, by operation: the title of its card, what happens next while it is `open` (service 1.7, 3 and 4), and what `paid`
 * and `unpaid` mean for the money. `look` names what to check in the wallet, where the document does not say what happened to the money.
 */
const words: Readonly<
  Record<Operation, { readonly title: string; readonly open: string; readonly paid: string; readonly unpaid?: string; readonly look?: string }>
> = createdWords;

type After = {
  readonly status: string;
  readonly id?: string | undefined;
  readonly flags: AccountFlags;
  readonly style: Style;
  /** An error follows that names the command to look again with. */
  readonly awaited?: boolean;
};
const nextLines = (made: Made, { status, id, flags, style, awaited = false }: After): readonly (Cell | string)[] => {
  const direction = directionOf(made.operation);
  const local = !isGlobal(made.operation);
  const command = (typed: readonly string[]): string => commandLine([...typed, ...accountWords(flags)], style.shell);
  const wallet = command(local ? ["wallet"] : ["global", "wallet"]);
  const state = classifyStatus(status, direction);
  const { open, paid, unpaid, look } = words[made.operation];
  const bad = (end: string | undefined, shows: string | undefined): readonly Cell[] => [
    ...(end === undefined ? [] : [{ text: end, tone: "bad" } as const]),
    ...(shows === undefined ? [] : [{ text: `${shows}: ${wallet}`, tone: "quiet" } as const]),
  ];
  // Money that moved and came back is not money that never moved, and of its fee the document says nothing.
  if (isReversed(status)) return bad("It was made and then reversed.", "See what that left");
  if (state === "unpaid") return bad(unpaid, look);
  if (state === "paid") return [{ text: paid, tone: "good" }];
  const isKnown = status === "" || isRecognisedStatus(status, direction);
  const next = isKnown ? open : "This program does not know this status, so the payment counts as open.";
  return awaited ? [next] : [next, { text: `Look again: ${local && id !== undefined ? command(["tx", "get", id]) : wallet}`, tone: "quiet" }];
};

/**
 * The answer to a creation, and what happens next. A push or payout that was settled by a look-up is answered with its transaction. `extra`
 * comes between: a checkout's address and code.
 */
export const createdView = (made: Made, body: Json, flags: AccountFlags, extra: readonly Block[] = []): View => ({
  kind: "blocks",
  blocks: (_, style) => {
    const { id, status = "" } = createdRecordOf(made.operation, body);
    const isLocal = !isGlobal(made.operation);
    if (isLocal && id === undefined) return [transactionCard(body, { direction: directionOf(made.operation), currency: made.currency }, style)];
    const pairs = isLocal ? localPairs(made, body, style) : globalPairs(made, body, style);
    const lines = nextLines(made, { status, id, flags, style });
    return [{ kind: "card", title: words[made.operation].title, pairs }, ...extra, { kind: "text", lines }];
  },
});

const localPairs = (made: Made, body: Json, style: Style): readonly Pair[] => {
  const { id, status } = createdRecordOf(made.operation, body);
  const quote = fieldOf(body, "pricingQuote");
  const known = ["success", "transactionId", "status", "pricingQuote.amount", "pricingQuote.fee", "pricingQuote.total"];
  return [
    ["Transaction", id],
    ["Reference", made.reference],
    ["Phone", made.payee],
    ["Amount", { text: money(made.amount, made.currency), tone: "strong" }],
    ["Fee", quote === undefined ? undefined : money(fieldOf(quote, "fee"), "KES")],
    ["Total", quote === undefined ? undefined : money(fieldOf(quote, "total"), "KES")],
    ["Status", statusWithMeaning(status, directionOf(made.operation))],
    ...otherPairs(body, known, style),
  ];
};

/** The record of a collection or withdrawal (service 2.5). */
const globalPairs = (made: Made, body: Json, style: Style): readonly Pair[] => {
  const isCollection = made.operation === "collect";
  const record = fieldOf(body, isCollection ? "collection" : "disbursement") ?? {};
  const { id = absent, status } = createdRecordOf(made.operation, body);
  return [
    ["Reference", id],
    [isCollection ? "Payer" : "Payee", made.payee],
    ["Amount", { text: money(fieldOf(record, "amount") ?? made.amount, made.currency), tone: "strong" }],
    ["Fee", money(fieldOf(record, "fee"), made.currency)],
    ["Status", statusWithMeaning(status, directionOf(made.operation))],
    ...otherPairs(record, ["reference", "amount", "fee", "status"], style),
    // What the service calls successful is the request, not the payment.
    ["Message", textOf(fieldOf(body, "message"))],
  ];
};

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [toDecimal(one), toDecimal(other)];
  return a === undefined || b === undefined ? one === other : compareDecimals(a, b) === 0;
};
/** What is paid may be another amount than was asked for: nobody may ship for it unseen. */
const otherAmount = ({ amount, currency }: Made, has: string | undefined): readonly Block[] =>
  has === undefined || isSame(has, amount)
    ? []
    : [{ kind: "text", lines: [{ text: `Careful: ${money(amount, currency)} was asked for, but the service has ${money(has, currency)}.`, tone: "bad" }] }];

/** A transaction that was waited for, with what its state means. */
export const awaitedView = (made: Made, flags: AccountFlags): View => ({
  kind: "blocks",
  blocks: (rows, style) =>
    rows.flatMap((row): readonly Block[] => [
      transactionCard(row, { direction: directionOf(made.operation), currency: made.currency }, style),
      ...otherAmount(made, textOf(fieldOf(row, "amount"))),
      { kind: "text", lines: nextLines(made, { status: textOf(fieldOf(row, "status")) ?? "", flags, style, awaited: true }) },
    ]),
});

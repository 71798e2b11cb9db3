import { accountWords, type Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import { groupedCount } from "../../money/grouped.ts";
import type { Outcome, View } from "../../outcome.ts";
import { type KnownTransactions, transactionColumns } from "../../output/views/transaction.ts";
import { isSameReference } from "../../payments/reference.ts";
import type { Client, Context } from "../../ports.ts";
import type { Flow } from "../../service/contract/limits.ts";
import { commandLine, shellOf } from "../../shell.ts";
import { listAllByPages, listSome, type Page } from "../../transactions/list-transactions.ts";
import { askMirror, type MirrorPlace } from "../../transactions/paid-before.ts";
import { directionOfFlow, unknownStatusNote } from "../../transactions/status.ts";
import type { Transaction } from "../../transactions/transaction.ts";
import { withField } from "../show-object.ts";
import { type Noting, noteConflicts } from "./conflicts.ts";
import type { txListSpec } from "./spec.ts";

/** What the list shows of each transaction (service 2.1); a CSV of none has them as its header. */
const summaryColumns = ["id", "reference", "amount", "status"] as const;

type Filters = { readonly status: string | undefined; readonly reference: string | undefined };
/** Statuses compare in any case of letters, and only as a whole. */
const matcherOf = ({ status, reference }: Filters): ((transaction: Transaction) => boolean) | undefined => {
  const wanted = status?.trim().toUpperCase() || undefined;
  if (wanted === undefined && reference === undefined) return undefined;
  return (transaction) =>
    (wanted === undefined || transaction.status?.toUpperCase() === wanted) &&
    (reference === undefined || isSameReference(transaction.reference ?? "", reference));
};

const bodiesOf = (transactions: readonly Transaction[]): readonly Json[] => transactions.map(({ body }) => body);

type Shown = Omit<Parameters<typeof transactionColumns>[0], "direction">;
const viewOf = (flow: Flow | undefined, last: () => Page | undefined, shown: Shown): View => ({
  kind: "table",
  columns: transactionColumns({ direction: directionOfFlow[flow ?? "standard"], ...shown }),
  empty: "No transactions.",
  footer: (count) => {
    const total = last()?.total;
    return total === undefined || total <= count ? undefined : `${groupedCount(count)} of ${groupedCount(total)}. All of them: --all`;
  },
});

const documentOf =
  (last: () => Page | undefined) =>
  (rows: readonly Json[]): Json => {
    const page = last();
    return page === undefined ? { transactions: rows, total: rows.length } : withField(page.body, "transactions", rows);
  };

type Listing = { readonly flow: Flow | undefined; readonly limit: number | undefined; readonly matches: ((transaction: Transaction) => boolean) | undefined };

const allOutcome = (client: Client, { flow, limit, matches }: Listing, context: Noting & Pick<Context, "terminal" | "progress" | "signal">): Outcome => {
  let last: Page | undefined;
  const stands = new Map<string, string>();
  // Rows that stream to the same screen would be torn apart by a line that is redrawn.
  const progress = context.flags.output === "json" || !context.terminal.stdoutIsTerminal ? context.progress() : undefined;
  const onPage = (page: Page, seen: number): void => {
    last = page;
    progress?.update(`${groupedCount(seen)} of ${page.total === undefined ? "?" : groupedCount(page.total)} transactions`);
  };
  const pages = async function* (): AsyncGenerator<readonly Json[]> {
    try {
      for await (const fresh of listAllByPages(client, { flow, pageSize: limit, signal: context.signal, onPage })) {
        const found = matches === undefined ? fresh : fresh.filter(matches);
        for (const [id, before] of await noteConflicts(found, context)) stands.set(id, before);
        yield bodiesOf(found);
      }
    } finally {
      progress?.end();
    }
  };
  return { rows: pages(), columns: summaryColumns, document: documentOf(() => last), view: viewOf(flow, () => undefined, { stands }) };
};

export const run: Run<typeof txListSpec> = async ({ flags }, context) => {
  const { limit, offset, flow, all } = flags;
  const matches = matcherOf(flags);
  const unknown = unknownStatusNote(flags.status);
  if (unknown !== undefined) context.note(unknown);
  if (all && offset !== undefined) throw usageError("--all lists everything, so --offset cannot go with it.");
  // One page or two are had soonest on connections of their own; everything, over one that is kept.
  const client = await context.client({ bulk: all });
  if (all) return allOutcome(client, { flow, limit, matches }, context);
  const { rows: found, page } = await listSome(client, { flow, limit, offset, matches, signal: context.signal });
  const isShown = context.flags.output === "table" && context.flags.fields === undefined;
  const rows = bodiesOf(found);
  const known = isShown ? await knownHere(found, context) : undefined;
  if (isShown && context.terminal.stdoutIsTerminal && rows.length > 0 && (known?.size ?? 0) === 0) {
    const sync = commandLine(["tx", "sync", ...accountWords(context.flags)], shellOf(context.env));
    context.note(`The service's list has no times, phones and receipts. To download them, run: ${sync}`);
  }
  const stands = await noteConflicts(found, context);
  const view = viewOf(flow, () => (matches === undefined ? page : undefined), { rows, known, stands });
  return { rows, columns: summaryColumns, document: documentOf(() => page), view };
};

/** What the mirror knows of these rows: a list of the service shows neither phone nor time nor receipt (service 2.1). */
const knownHere = (found: readonly Transaction[], context: MirrorPlace): Promise<KnownTransactions | undefined> =>
  askMirror(context, (mirror) => mirror.known(found.flatMap(({ id }) => id ?? [])));

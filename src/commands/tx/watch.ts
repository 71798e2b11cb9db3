import type { Input, Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Cell, Style } from "../../outcome.ts";
import { money, zonedTime } from "../../output/format.ts";
import type { Client, Context } from "../../ports.ts";
import { isGlobalReference } from "../../service/contract/routes.ts";
import { mirrorKey } from "../../transactions/mirror-schema.ts";
import { paidBefore } from "../../transactions/paid-before.ts";
import { classifyStatus } from "../../transactions/status.ts";
import { readDetails } from "../../transactions/sync-details.ts";
import { type Transaction, toTransaction } from "../../transactions/transaction.ts";
import { type WatchScope, watchTransactions } from "../../transactions/watch.ts";
import { findDirection } from "../../transactions/watch-scope.ts";
import { type DeliveryContext, deliverTransaction, parseTarget } from "../../webhooks/deliver.ts";
import { requireSigning, type SignatureSettings, webhookSettingsOf } from "../../webhooks/forward-settings.ts";
import { openOutbox, type PendingDelivery } from "../../webhooks/outbox.ts";
import type { txWatchSpec } from "./spec.ts";
import { createWatchTable } from "./watch-table.ts";

/** `tx watch` (rules.md: changes only; with ids it ends when all are final, with the codes of --wait): a table on a terminal, else lines. */
export const run: Run<typeof txWatchSpec> = async (input, context) => {
  const scope = scopeOf(input);
  const { follow, interval: intervalMs, forwardTo: target } = input.flags;
  const to = target === undefined ? undefined : parseTarget(target, "--forward-to", context.env);
  const settings = to === undefined ? undefined : requireSigning(await webhookSettingsOf(input.flags, context));
  const client = await context.client();
  const table = context.terminal.screen === undefined ? undefined : createWatchTable(context.terminal.screen);
  if (table === undefined && context.flags.output === "table") context.note(purposeOf(scope, follow));
  const deps = table === undefined ? context : { ...context, note: table.note, progress: table.progress };
  const forward = to === undefined || settings === undefined ? undefined : await openForward({ to, settings, client }, deps);
  const watch = watchTransactions(client, deps, {
    scope,
    follow,
    intervalMs,
    onFound: table?.found,
    paidBefore: (id, said) => paidBefore(id, said, context),
    ...forward?.watching,
  });
  const rows = async function* (): AsyncGenerator<readonly Json[]> {
    try {
      await forward?.deliverPending();
      for await (const change of watch.changes) {
        table?.changed(change);
        yield [{ at: change.at, previousStatus: change.previousStatus, transaction: change.transaction.body }];
      }
      await forward?.deliverPending();
    } finally {
      forward?.outbox.dispose();
    }
  };
  return {
    rows: rows(),
    stream: true,
    columns: ["at", "previousStatus", "transaction.id", "transaction.reference", "transaction.amount", "transaction.status"],
    view: { kind: "lines", line: lineOf, ...(table === undefined ? {} : { live: table.live }) },
    verdict: () => {
      const verdict = watch.verdict();
      return verdict?.kind === "pending" ? verdict.with({ hint: "To keep following", command: input.words }) : (verdict ?? forward?.failure());
    },
  };
};

/** Lines that come only with a change look like a program that hangs. */
const purposeOf = (scope: WatchScope, follow: boolean): string => {
  const [what, end] =
    scope === "open"
      ? ["every open transaction", follow ? "Ctrl-C ends it" : "It ends when none is open"]
      : ["ids" in scope ? scope.ids.join(", ") : `the transactions with the reference ${scope.reference}`, "It ends when all are final"];
  return `Following ${what}: each change is printed as one line. ${end}.`;
};

const scopeOf = ({ flags, args }: Input<typeof txWatchSpec>): WatchScope => {
  const ids = [...new Set(args.id.map((id) => id.trim()).filter((id) => id !== ""))];
  const reference = flags.reference?.trim() || undefined;
  if (ids.length > 0 && reference !== undefined) throw usageError("Give ids or --reference, not both.");
  const global = [...ids, reference ?? ""].find(isGlobalReference);
  if (global !== undefined) throw usageError(`${global} is a global reference: the service has no look-up for those.`);
  if (ids.length > 0) return { ids };
  return reference === undefined ? "open" : { reference };
};

type Parcel = { readonly to: URL; readonly settings: SignatureSettings; readonly client: Client };
/** Changes go through the outbox, so that one seen before a stop is delivered after it. */
const openForward = async ({ to, settings, client }: Parcel, context: DeliveryContext & Pick<Context, "paths" | "account" | "note">) => {
  const { signal } = context;
  const outbox = await openOutbox(context.paths.data, mirrorKey(await context.account()), to.href);
  let failure: CliError | undefined;
  const deliver = async (pending: PendingDelivery): Promise<void> => {
    const { seq, id, status } = pending;
    const direction = pending.direction === "unknown" ? await findDirection(client, id, status, signal) : pending.direction;
    await deliverTransaction({ transaction: await asNow(pending, client, signal), to, settings, direction }, context);
    outbox.markDelivered(seq, new Date(context.clock.now()).toISOString());
  };
  const leaveBehind = (id: string, status: string, error: unknown): CliError => {
    if (signal.aborted) return new CliError("interrupted", "Interrupted before every change was delivered.", { hint: rememberedHint });
    if (!(error instanceof CliError) || (error.kind !== "rejected" && error.kind !== "unavailable")) throw error;
    context.note(`${id} ${status} was not delivered: ${error.message} It will be tried again.`);
    return error.with({ hint: rememberedHint });
  };
  const deliverPending = async (): Promise<void> => {
    failure = undefined;
    for (let batch = outbox.pending(0); batch.length > 0; batch = outbox.pending(batch.at(-1)?.seq ?? 0)) {
      for (const one of batch) {
        try {
          await deliver(one);
        } catch (error) {
          failure = leaveBehind(one.id, one.status, error);
          // An endpoint that is down says the same to all; one that refuses this one may take the next.
          if (failure.kind !== "rejected") return;
        }
      }
    }
  };
  const open = outbox.followed().filter(({ status }) => classifyStatus(status, "unknown") === "open");
  const carriedOver = open.map((one) => ({ ...one, direction: "unknown" as const }));
  return {
    outbox,
    deliverPending,
    /** How what is watched passes through the outbox. */
    watching: { lastSeen: outbox.lastSeen, onChange: outbox.enqueue, onSeen: outbox.see, afterRound: deliverPending, carriedOver },
    /** Why the last round of deliveries left some behind. */
    failure: (): CliError | undefined => failure,
  };
};

const rememberedHint = "run the same command again: what was not delivered is remembered";

/**
 * Read again just before it is posted (rules.md, Living with what is not shown), as a list shows no receipt and a delivery may have
 * waited for days. What has gone on to another status is posted as it was: that status is a change, and a delivery, of its own.
 */
const asNow = async ({ id, status, transaction }: PendingDelivery, client: Client, signal: AbortSignal): Promise<Transaction> => {
  const read = await readDetails(client, id, signal);
  return read?.status === status ? read : transaction;
};

/** `2026-03-01 11:00:05 EAT  T1  INV-1  KES 1,500.00  SENT -> COMPLETED`. */
const lineOf = (row: Json, style: Style): Cell => {
  const { id = "", reference = "", amount, status = "" } = toTransaction(fieldOf(row, "transaction") ?? null);
  const previous = textOf(fieldOf(row, "previousStatus"));
  const state = classifyStatus(status, "in");
  const parts = [zonedTime(fieldOf(row, "at"), style), id, reference, money(amount, "KES"), previous === undefined ? status : `${previous} -> ${status}`];
  return { text: parts.filter((part) => part !== "").join("  "), tone: state === "paid" ? "good" : state === "unpaid" ? "bad" : "waiting" };
};

import { accountWords, type Input, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { View } from "../../outcome.ts";
import { duration } from "../../output/format.ts";
import { type KnownTransactions, transactionCard, transactionColumns } from "../../output/views/transaction.ts";
import type { Context } from "../../ports.ts";
import { createDateReader, usualZone } from "../../reconcile/dates.ts";
import { createTransactionTimes } from "../../reconcile/transaction-times.ts";
import { commandLine, shellOf } from "../../shell.ts";
import { type Mirror, openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-schema.ts";
import { normalised, phoneQuery } from "../../transactions/mirror-tokens.ts";
import { unknownStatusNote } from "../../transactions/status.ts";
import type { txFindSpec } from "./spec.ts";

/** A mirror older than this is named as the likely reason where something is not found. */
const oldMs = 15 * 60_000;

type FindInput = Input<typeof txFindSpec>;

/** `tx find`: from the mirror, without a request. */
export const run: Run<typeof txFindSpec> = async (input, context) => {
  const query = queryOf(input, context.note);
  const isInPeriod = periodOf(input.flags);
  const account = await context.account();
  const mirror = await openMirror(context.paths.data, mirrorKey(account));
  try {
    const transactions = mirror.find(query, ({ transaction, firstSeenAt }) => isInPeriod(transaction, firstSeenAt));
    const known = mirror.known(transactions.flatMap((row) => textOf(fieldOf(row, "id")) ?? []));
    const syncedAt = mirror.syncedAt();
    const command = ["tx", "sync", ...accountWords(context.flags)];
    const { age, namesCommand } = noteAge(mirror, command, context);
    const unknownStatus = unknownStatusNote(query.status);
    if (unknownStatus !== undefined) context.note(unknownStatus);
    const missing = `No downloaded transaction matches ${query.text === undefined ? "these flags" : `"${query.text}"`}.`;
    const notes = [...(unknownStatus === undefined ? [] : [unknownStatus]), age];
    // Under --json and --quiet no note has said it.
    const isUnsaid = context.flags.output === "json" || context.flags.quiet;
    const remedy = { hint: [...(isUnsaid ? notes : []), "To download what is new, run"].join(" "), command };
    return {
      rows: transactions,
      document: (rows) => ({ transactions: rows, syncedAt: syncedAt ?? null }),
      view: viewOf(transactions, known),
      verdict: () => (transactions.length > 0 ? undefined : new CliError("not-found", missing, namesCommand && !isUnsaid ? {} : remedy)),
    };
  } finally {
    mirror.dispose();
  }
};

const queryOf = ({ args, flags }: FindInput, note: Context["note"]) => {
  const text = args.text?.trim() || undefined;
  const { phone, status } = flags;
  if (text === undefined && Object.values(flags).every((value) => value === undefined))
    throw usageError(
      "What should it find? Give a reference, receipt, provider reference, id or the last digits of a phone.",
      "See: payments-cli tx find --help",
    );
  if (text !== undefined && normalised(text) === "") throw usageError(`"${text}" has no letter and no digit to look for.`);
  if (phone !== undefined && phoneQuery(phone) === undefined)
    throw usageError(`--phone takes a phone number or its last digits (three or more), not "${phone}".`);
  if (text !== undefined && /^\d{1,2}$/.test(text))
    note("One or two digits are searched as a reference. To search the end of a phone number, give three or more.");
  return { text, phone, status: status?.trim() };
};

/** Whether a transaction happened from --since to --until. Throws CliError usage for what is no day and no time. */
const periodOf = ({ since, until }: FindInput["flags"]): ((transaction: Json, firstSeenAt: string | undefined) => boolean) => {
  const dates = createDateReader(usualZone);
  const timeOf = createTransactionTimes(usualZone);
  const read = (text: string | undefined, flag: string): string | undefined => {
    const at = text === undefined || !/^\s*\d{4}-\d\d-\d\d/.test(text) ? undefined : dates.read(text.trim(), "dmy");
    if (text !== undefined && at === undefined) throw usageError(`${flag} takes a day or a time, not "${text}".`, `For example: ${flag} 2026-03-01`);
    return at;
  };
  const [from, to] = [read(since, "--since"), read(until, "--until")];
  // A day alone is compared with days.
  const compare = (at: string, bound: string): number => {
    const isDay = at.length === 10 || bound.length === 10;
    const [one, other] = isDay ? [dates.dayOf(at) ?? "", dates.dayOf(bound) ?? ""] : [at.slice(0, 19), bound.slice(0, 19)];
    return one < other ? -1 : Number(one > other);
  };
  if (from !== undefined && to !== undefined && compare(from, to) > 0) throw usageError("--since is after --until.");
  if (from === undefined && to === undefined) return () => true;
  return (transaction, firstSeenAt) => {
    const at = timeOf(transaction) ?? firstSeenAt;
    return at !== undefined && (from === undefined || compare(at, from) >= 0) && (to === undefined || compare(at, to) <= 0);
  };
};

type Noting = Pick<Context, "clock" | "env" | "note">;
/** Says how old the mirror is and, unless it is new, how to bring it up to date. Returns its age in words. */
const noteAge = (mirror: Mirror, command: readonly string[], { clock, env, note }: Noting): { readonly age: string; readonly namesCommand: boolean } => {
  const syncedAt = mirror.syncedAt();
  const isEmpty = mirror.isEmpty();
  const ageMs = syncedAt === undefined || isEmpty ? undefined : clock.now() - Date.parse(syncedAt);
  const none = isEmpty ? "No transactions downloaded yet." : "Searching your local copy, which is not complete yet.";
  const age = ageMs === undefined ? none : `Searching your local copy, synced ${duration(Math.max(0, ageMs))} ago.`;
  const sync = commandLine(command, shellOf(env));
  const namesCommand = ageMs === undefined || ageMs > oldMs;
  note(namesCommand ? `${age} ${ageMs === undefined ? "Run" : "For newer ones, run"}: ${sync}` : age);
  return { age, namesCommand };
};

const viewOf = (transactions: readonly Json[], known: KnownTransactions): View => {
  // If nothing was found, the error says so: an empty table needs no words of its own.
  if (transactions.length !== 1) return { kind: "table", columns: transactionColumns({ direction: "unknown", rows: transactions, known }), empty: "" };
  return {
    kind: "blocks",
    blocks: (rows, style) =>
      rows.map((row) => transactionCard(row, { direction: known.get(textOf(fieldOf(row, "id")) ?? "")?.direction ?? "unknown", currency: "KES" }, style)),
  };
};

import { accountWords, type Input, isSet, listFlag, type Run, textFlag } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import { groupedCount } from "../../money/grouped.ts";
import { progressLine } from "../../output/progress-line.ts";
import type { Context } from "../../ports.ts";
import { createKeys, type Keys } from "../../reconcile/keys.ts";
import { countDifferences, type Result } from "../../reconcile/reconcile.ts";
import {
  type Compared,
  checkZone,
  compareSides,
  type FileOptions,
  type FileSide,
  parseColumns,
  readFileSide,
  usualZone,
} from "../../reconcile/reconcile-files.ts";
import { readServiceSide } from "../../reconcile/reconcile-service.ts";
import { formatMinor, toShownRecord } from "../../reconcile/record.ts";
import type { StoredSide } from "../../reconcile/stored-side.ts";
import { shellOf } from "../../shell.ts";
import { isStdin } from "../../tables/input-file.ts";
import { type Mirror, openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-account.ts";
import { reconcileView, replayCommands } from "./reconcile-view.ts";

type There = { readonly side: StoredSide; readonly input: Json; readonly dated: boolean };

/** `tx reconcile` (rules.md, `tx reconcile --json`; cases/README.md has the rules). */
export const run: Run = async (input, context) => {
  const path = input.args[0] ?? "";
  if (path === "") throw usageError("Which file? Give your records or the provider's statement.", "payments-cli tx reconcile orders.csv");
  const zone = textFlag(input, "zone") ?? usualZone;
  checkZone(zone);
  const told = parseColumns(listFlag(input, "columns"));
  const against = textFlag(input, "against");
  if (against !== undefined && isStdin(against) && isStdin(path)) throw usageError("Only one of the two files can be standard input.");
  const againstSheet = textFlag(input, "against-sheet");
  if (against === undefined && againstSheet !== undefined)
    throw usageError("--against-sheet is a sheet of the file that --against names.", "add --against FILE2");
  const report = textFlag(input, "report");
  const as = textFlag(input, "as");
  const keys = createKeys();
  const kind = as === "orders" || as === "statement" ? as : undefined;
  const ours = await readFileSide(path, { ...told, as: kind, zone, sheet: textFlag(input, "sheet") }, context, { keys, place: "ours" });
  for (const note of ours.notes) context.note(note);
  const there = against === undefined ? await readService(ours, keys, context) : await readOther(against, { zone, sheet: againstSheet }, keys, context);
  const compared = await compareSides(ours, there.side, keys, zone);
  if (!there.dated && compared.summary.has("missing_here")) {
    context.note("No dates are known there, so what is missing here may belong to other days than this file.");
  }
  const rows = compared.differing.map(toRow);
  const document: Json = { inputs: [ours.input, there.input], summary: toSummary(compared), rows };
  const replays = against === undefined ? { account: accountWords(context.flags), shell: shellOf(context.env) } : undefined;
  if (report !== undefined) {
    const { writeReport } = await import("./report.ts");
    const commands = replays === undefined ? undefined : replayCommands(compared, replays);
    await writeReport(report, document, { madeAt: new Date(context.clock.now()).toISOString(), zone, commands });
    context.note(`The report is in ${report}.`);
  }
  return {
    rows,
    document: (chosen) => ({ inputs: [ours.input, there.input], summary: toSummary(compared), rows: chosen }),
    columns: ["category", "reference", "transactionId", "reason", "ours", "theirs"],
    view: reconcileView(compared, { here: path, there: against ?? "the service", replays }),
    verdict: () => verdictOf(input, compared),
  };
};

const verdictOf = (input: Input, compared: Compared): CliError | undefined => {
  const count = countDifferences(compared.summary);
  if (!isSet(input, "exit-code") || count === 0) return undefined;
  return new CliError("differences", `${groupedCount(count)} ${count === 1 ? "difference was" : "differences were"} found.`);
};

const toRow = (result: Result): Json => {
  const [transaction] = result.theirs;
  const id = result.theirs.length === 1 && transaction?.line === undefined ? transaction?.id : undefined;
  return {
    category: result.category,
    reference: result.reference ?? null,
    ...(id === undefined ? {} : { transactionId: id }),
    ours: result.ours.map(toShownRecord),
    theirs: result.theirs.map(toShownRecord),
    reason: result.reason,
  };
};

const toSummary = ({ summary }: Compared): Json =>
  Object.fromEntries(
    [...summary].map(([category, sum]) => [
      category,
      {
        count: sum.count,
        amount: formatMinor(sum.amountMinor),
        ours: { rows: sum.ours.rows, amount: formatMinor(sum.ours.amountMinor) },
        theirs: { rows: sum.theirs.rows, amount: formatMinor(sum.theirs.amountMinor) },
      },
    ]),
  );

const readOther = async (path: string, options: Pick<FileOptions, "zone" | "sheet">, keys: Keys, context: Context): Promise<There> => {
  const theirs = await readFileSide(path, { told: new Map(), ...options }, context, { keys, place: "theirs" });
  for (const note of theirs.notes) context.note(note);
  return { side: theirs.side, input: theirs.input, dated: theirs.period !== undefined };
};

const readService = async (ours: FileSide, keys: Keys, context: Context): Promise<There> => {
  const account = await context.account();
  const client = await context.client({ bulk: true });
  // A statement pairs by receipt, and receipts are only in the details (service 2.1).
  const details = ours.hasReceipts;
  const mirror = details ? await mirrorIfUsable(context, mirrorKey(account)) : undefined;
  const line = context.progress();
  const startedMs = context.clock.monotonic();
  try {
    const { side, dated } = await readServiceSide(client, keys, {
      details,
      mirror,
      signal: context.signal,
      onProgress: (label, done, total) =>
        line.update(progressLine({ label, done, ...(total === undefined ? {} : { total }), startedMs, nowMs: context.clock.monotonic() })),
    });
    return { side, dated, input: { kind: "service", baseUrl: account.baseUrl, records: side.rows.count() } };
  } finally {
    line.end();
    mirror?.dispose();
  }
};

/** The mirror only spares requests: without it the comparison is the same. */
const mirrorIfUsable = async (context: Pick<Context, "paths">, key: string): Promise<Mirror | undefined> => {
  try {
    return await openMirror(context.paths.data, key);
  } catch {
    return undefined;
  }
};

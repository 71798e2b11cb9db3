import { accountWords, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";
import { duration } from "../../output/format.ts";
import { transactionCard, transactionColumns } from "../../output/views/transaction.ts";
import { commandLine, shellOf } from "../../shell.ts";
import { openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-account.ts";
import { normalised } from "../../transactions/mirror-tokens.ts";
import type { txFindSpec } from "./spec-find.ts";

/** A mirror older than this is named as the likely reason where something is not found. */
const oldMs = 15 * 60_000;

/** `tx find`: from the mirror, without a request. */
export const run: Run<typeof txFindSpec> = async ({ args }, context) => {
  const text = args.text.trim();
  if (text === "")
    throw usageError("What is to be found? Give a reference, receipt, provider reference, id or the last digits of a phone.", "payments-cli tx find INV-1001");
  if (normalised(text) === "") throw usageError(`"${text}" has no letter and no digit to look for.`);
  if (/^\d{1,2}$/.test(text)) context.note("One or two digits are looked for as a reference; the end of a phone needs three.");
  const account = await context.account();
  const command = ["tx", "sync", ...accountWords(context.flags)];
  const sync = commandLine(command, shellOf(context.env));
  const mirror = await openMirror(context.paths.data, mirrorKey(account));
  try {
    const transactions = mirror.find(text);
    const known = mirror.known(transactions.flatMap((row) => textOf(fieldOf(row, "id")) ?? []));
    const syncedAt = mirror.syncedAt();
    const ageMs = syncedAt === undefined ? undefined : context.clock.now() - Date.parse(syncedAt);
    const empty = mirror.isEmpty();
    const isNew = ageMs === undefined || empty;
    const age = isNew ? "No transactions downloaded yet." : `Searching your local copy, synced ${duration(Math.max(0, ageMs))} ago.`;
    context.note(isNew || ageMs > oldMs ? `${age} ${isNew ? "Run" : "For newer ones, run"}: ${sync}` : age);
    const [only] = transactions;
    return {
      rows: transactions,
      document: (rows) => ({ transactions: rows, syncedAt: syncedAt ?? null }),
      view:
        transactions.length === 1 && only !== undefined
          ? {
              kind: "blocks",
              blocks: (rows, style) =>
                rows.map((row) => transactionCard(row, known.get(textOf(fieldOf(row, "id")) ?? "")?.direction ?? "unknown", "KES", style)),
            }
          : {
              kind: "table",
              columns: transactionColumns({ direction: "unknown", rows: transactions, known }),
              empty: `No downloaded transaction matches "${text}".`,
            },
      verdict: () =>
        transactions.length > 0
          ? undefined
          : new CliError("not-found", `No downloaded transaction matches "${text}".`, { hint: `${age} To download what is new, run`, command }),
    };
  } finally {
    mirror.dispose();
  }
};

import { accountWords, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { countOf } from "../../money/grouped.ts";
import type { Outcome } from "../../outcome.ts";
import { severalOutcome, transactionView } from "../../output/views/transaction.ts";
import type { Client, Context } from "../../ports.ts";
import { isGlobalReference } from "../../service/contract/routes.ts";
import { commandLine, shellOf } from "../../shell.ts";
import { listByReference } from "../../transactions/list-transactions.ts";
import { readTransaction } from "../../transactions/sync-details.ts";
import type { Transaction } from "../../transactions/transaction.ts";
import { type Noting, noteConflicts } from "./conflicts.ts";
import type { txGetSpec } from "./spec.ts";

/** service 2.5: collections and withdrawals have references of their own, and no endpoint looks them up. */
const refuseGlobal = (text: string): void => {
  if (!isGlobalReference(text)) return;
  throw new CliError("usage", `${text} is a global ${/^gc/i.test(text) ? "collection" : "withdrawal"}: the service has no look-up for those.`, {
    hint: "What was answered here is in the journal. To see whether the balance moved",
    command: ["global", "wallet"],
  });
};

const single = async (transaction: Transaction, context: Noting): Promise<Outcome> => ({
  rows: [transaction.body],
  single: true,
  view: transactionView("unknown", "KES", (await noteConflicts([transaction], context)).get(transaction.id ?? "")),
});

/** All of one reference: none is 4; several are all printed, and the exit code says that it was not one (rules.md, Commands). */
const byReference = async (client: Client, reference: string, context: Noting & Pick<Context, "signal" | "progress" | "env">): Promise<Outcome> => {
  const { signal, progress } = context;
  const line = progress();
  const onPage = (_: unknown, seen: number): void => line.update(`Looking for ${reference}: ${countOf(seen, "transaction")} read`);
  const found = await listByReference(client, reference, { signal, onPage }).finally(() => line.end());
  const [only] = found;
  if (only === undefined) throw new CliError("not-found", `No transaction has the reference ${reference}.`);
  if (found.length === 1) return single(only.id === undefined ? only : await readTransaction(client, only.id, signal), context);
  const bodies = found.map(({ body }) => body);
  const choice = commandLine(["tx", "get", "ID", ...accountWords(context.flags)], shellOf(context.env));
  const verdict = usageError(`${found.length} transactions have the reference ${reference}.`, `Choose one: ${choice}`);
  return severalOutcome(bodies, verdict, await noteConflicts(found, context));
};

export const run: Run<typeof txGetSpec> = async ({ flags, args }, context) => {
  const reference = flags.reference?.trim();
  const typed = args.id?.trim() ?? "";
  const byOwn = reference !== undefined && reference !== "";
  if (byOwn && typed !== "") throw usageError("Give the id or --reference, not both.");
  if (byOwn) {
    refuseGlobal(reference);
    return byReference(await context.client(), reference, context);
  }
  if (typed === "" && !context.terminal.interactive) throw usageError("Which transaction? Give its ID, or --reference REF.", "See: payments-cli tx get --help");
  const check = (text: string): string | undefined => (text.trim() === "" ? "Please type an id." : undefined);
  const asked = async (): Promise<string> => await context.prompt.text({ message: "Transaction id", check, words: (text) => [text.trim()] });
  const id = typed === "" ? (await asked()).trim() : typed;
  refuseGlobal(id);
  const client = await context.client();
  try {
    return await single(await readTransaction(client, id, context.signal), context);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== "not-found") throw error;
    throw error.with({ hint: "If that is your own reference", command: ["tx", "get", "--reference", id, ...accountWords(context.flags)] });
  }
};

import { CliError } from "../../errors.ts";
import { type Approval, type ApprovalItem, alreadyProposed, type NewApproval } from "../../journal/approval.ts";
import { isUnsettled } from "../../journal/attempt.ts";
import { present } from "../../json/exact-json.ts";
import { formatMinor } from "../../money/money.ts";
import type { Context } from "../../ports.ts";
import { type BatchRow, totalOf } from "../batch/batch-plan.ts";
import type { CheckedFile } from "../batch/check-file.ts";
import { type Planning, planRun, type RunChoice } from "../batch/plan-run.ts";
import { isDuplicateAllowed } from "../create-payment.ts";
import type { PaymentPlan } from "../draft.ts";
import { guardKeyOf } from "../guard-key.ts";
import { payers, requireRole } from "./require-approval.ts";

/** `--propose`: why, and how long it may be approved, ms. */
export type Proposing = { readonly note: string | undefined; readonly expiresMs: number };

/**
 * Stores a checked payment for approval, and sends nothing (rules.md, Together). Throws CliError duplicate (11) for a like payment or
 * an open proposal, usage (2) if it cannot be recorded.
 */
export const proposePayment = async (plan: PaymentPlan, proposing: Proposing, context: Context): Promise<Approval> => {
  const { operation, idempotencyKey } = plan;
  if (operation !== "b2c" && operation !== "withdraw") throw new CliError("usage", "Only payouts and withdrawals are proposed.");
  const [{ baseUrl }, journal] = [await context.account(), await context.journal()];
  await requireRole(payers, journal);
  if (idempotencyKey !== undefined) {
    const [used] = await journal.list({ idempotencyKey, operation, baseUrl });
    if (used !== undefined)
      throw new CliError("duplicate", `The idempotency key ${idempotencyKey} was used already (journal ${used.id}); nothing was proposed`, {
        sent: isUnsettled(used) ? "unknown" : used.state === "accepted" ? "yes" : "no",
        journalId: used.id,
        idempotencyKey,
      });
  }
  const { reference, payee, amount, currency } = plan;
  const items = [{ row: 1, guardKey: guardKeyOf(plan), body: plan.body }];
  const allowDuplicate = await isDuplicateAllowed(plan, context);
  const proposal = { operation, reference, payee, amount, currency, allowDuplicate, items, ...present({ idempotencyKey }) };
  return await store(proposal, proposing, context);
};

type ProposedFile = {
  readonly file: CheckedFile;
  readonly fileId: string;
  /** The file's name, for people. */
  readonly name: string;
  readonly choice: RunChoice;
  readonly allowDuplicate: boolean;
  readonly concurrency: number;
  readonly command: (choice: "resume" | "retry-failed") => readonly string[];
};

/** A row of a file as a proposal keeps it. */
export const toItem = (row: BatchRow): ApprovalItem => ({ row: row.row, body: row.body, guardKey: guardKeyOf(row) });

/** The same for a whole file of payouts: its rows are stored. */
export const proposeBatch = async (proposed: ProposedFile, proposing: Proposing, context: Planning & Pick<Context, "random">): Promise<Approval> => {
  const { file, fileId, name, choice, allowDuplicate } = proposed;
  await requireRole(payers, await context.journal());
  // Refuses what a run would refuse: a file that is finished, or was paid before.
  await planRun({ ...proposed, rows: file.rows, isResultShort: () => false }, context);
  const items = file.rows.map(toItem);
  if (!allowDuplicate) await refuseProposedRows(items, (await context.account()).baseUrl, context);
  const payment = { operation: "batch", reference: name, payee: "", amount: formatMinor(totalOf(file.rows)), currency: "KES" } as const;
  return await store({ ...payment, allowDuplicate, batch: { fileId, choice }, items }, proposing, context);
};

const store = async (
  proposal: Omit<NewApproval, "id" | "baseUrl" | "profile" | "expiresMs" | "note">,
  { note, expiresMs }: Proposing,
  context: Pick<Context, "account" | "journal" | "random">,
): Promise<Approval> => {
  const { baseUrl, profile } = await context.account();
  return await (await context.journal()).approvals.propose({ ...proposal, id: context.random.uuid(), baseUrl, profile, expiresMs, ...present({ note }) });
};

/** Throws CliError duplicate (11) if one of the payouts waits for approval already. */
export const refuseProposedRows = async (rows: readonly { readonly guardKey: string }[], baseUrl: string, context: Pick<Context, "journal">): Promise<void> => {
  const journal = await context.journal();
  const [like] = await journal.approvals.list({ guardKeys: rows.map(({ guardKey }) => guardKey), baseUrl });
  if (like !== undefined) throw alreadyProposed(like);
};

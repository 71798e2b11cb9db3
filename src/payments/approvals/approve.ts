import { CliError, usageError } from "../../errors.ts";
import { type Approval, closedApproval, hasApprovals, ownProposal, waits } from "../../journal/approval.ts";
import type { Journal } from "../../journal/port.ts";
import { groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import type { Account, Context } from "../../ports.ts";
import { baseUrlText, parseBaseUrl } from "../../service/base-url.ts";
import { type BatchRow, totalOf } from "../batch/batch-plan.ts";
import { fileIdOf } from "../batch/find-run.ts";
import { planRun, type RunPlan } from "../batch/plan-run.ts";
import type { BatchEnd } from "../batch/run-batch.ts";
import { runBatch } from "../batch/run-batch.ts";
import { askConsent, requireConsentPossible } from "../consent.ts";
import { createPayment, isDuplicateAllowed, type Payment } from "../create-payment.ts";
import type { PaymentPlan } from "../draft.ts";
import { guardKeyOf } from "../guard-key.ts";
import { planFromBody } from "../plan-from-body.ts";
import { approvalLines, rowLines, toRow } from "./describe-approval.ts";
import { requireRole } from "./require-approval.ts";

export type Approved = {
  /** As it is after the decision, before anything was sent. */
  readonly approval: Approval;
  /** Undefined while other approvals are missing. */
  readonly payment: Payment | undefined;
};

/**
 * Approves a proposed payment: all checks once more, a question, the decision, and with the last approval that is needed the payment
 * itself, by the one payment flow with this account's key. Throws what `createPayment` throws, and CliError usage (2) for another base
 * URL or a proposal that is closed, duplicate (11) if it was sent, approval-required (14) for whoever may not approve.
 */
export const approvePayment = async (approval: Approval, passphraseStdin: boolean, context: Context): Promise<Approved> => {
  const { account, journal } = await begin(approval, context);
  requireConsentPossible({ operation: approval.operation === "withdraw" ? "withdraw" : "b2c" }, context);
  const plan = await planOf(approval, passphraseStdin, context, journal);
  const allowDuplicate = await isDuplicateAllowed(plan, context);
  const question = await approvalLines(approval, plan.question ?? [], context);
  if (context.flags.yes) for (const line of question) context.note(line);
  await askConsent({ ...plan, question }, account, context);
  const decided = await journal.approvals.decide(approval.id, "approved");
  if (!(await isComplete(decided, journal))) return { approval: decided, payment: undefined };
  // The question was asked.
  const agreed: Context = { ...context, flags: { ...context.flags, yes: true } };
  return { approval: decided, payment: await createPayment({ ...plan, allowDuplicate }, agreed) };
};

/** Looks whether it may be approved from here, before there is a key and with it. */
type Begun = { readonly account: Account; readonly journal: Journal };
const begin = async (approval: Approval, context: Pick<Context, "account" | "journal" | "flags" | "env">): Promise<Begun> => {
  checkOpen(approval, givenBaseUrl(context));
  const journal = await context.journal();
  const { name, roles } = await requireRole(["checker"], journal);
  if (roles !== undefined && approval.proposedBy === name) throw ownProposal(approval.id);
  const account = await context.account();
  checkOpen(approval, account.baseUrl);
  return { account, journal };
};

/** The address that is asked for, whether there is a key for it or not. */
const givenBaseUrl = ({ flags, env }: Pick<Context, "flags" | "env">): string | undefined => {
  const given = flags.baseUrl ?? (flags.profile === undefined ? env["PAYMENTS_BASE_URL"] : undefined);
  return given === undefined || given.trim() === "" ? undefined : baseUrlText(parseBaseUrl(given));
};

const checkOpen = (approval: Approval, baseUrl: string | undefined): void => {
  if (baseUrl !== undefined && approval.baseUrl !== baseUrl)
    throw usageError(
      `Approval ${approval.id} belongs to ${approval.baseUrl}, not to ${baseUrl}; nothing was sent`,
      "Use a profile for that address: --profile NAME",
    );
  if (!waits(approval)) throw closedApproval(approval);
};

/** By the policies of this moment: they may have changed since it was proposed. */
const isComplete = async (approval: Approval, { approvals }: Pick<Journal, "approvals">): Promise<boolean> =>
  hasApprovals(approval, await approvals.policies());

const shown = ["payee", "reference", "amount", "currency"] as const;

/** The stored request after the checks of its command, as they are now. */
const planOf = async (approval: Approval, passphraseStdin: boolean, context: Pick<Context, "client" | "signal">, journal: Journal): Promise<PaymentPlan> => {
  const [item] = await journal.approvals.items(approval.id);
  const operation = approval.operation === "withdraw" ? "withdraw" : "b2c";
  const checked = item === undefined ? undefined : await planFromBody(operation, item.body, context);
  // The payment that is sent is the one that the proposal showed to those who approved it.
  const isShown = shown.every((name) => checked?.[name] === approval[name]);
  if (item === undefined || checked === undefined || !isShown || guardKeyOf(checked) !== item.guardKey) throw changed(approval);
  return {
    ...checked,
    passphraseStdin,
    approvalId: approval.id,
    idempotencyKey: approval.idempotencyKey,
    allowDuplicate: approval.allowDuplicate,
    dryRun: false,
  };
};

const changed = ({ id }: Approval): CliError =>
  usageError(`The stored payment of approval ${id} was changed after it was proposed; nothing was sent`, "Propose it again");

export type BatchApproving = {
  readonly concurrency: number;
  /** Shows the rows and asks. Throws CliError interrupted where it is declined. */
  readonly ask: (rows: readonly BatchRow[], plan: RunPlan, lines: readonly string[]) => Promise<void>;
  readonly onProgress: (done: number, rows: number) => void;
};
export type ApprovedBatch = { readonly approval: Approval; readonly rows: readonly BatchRow[]; readonly batchId: string; readonly end: BatchEnd | undefined };

/** The same for a file of payouts. One that was cut off goes on; a row that is paid stays so. */
export const approveBatch = async (approval: Approval, approving: BatchApproving, context: Context): Promise<ApprovedBatch> => {
  const { account, journal } = await begin(approval, context);
  const rows = (await journal.approvals.items(approval.id)).map(toRow);
  const fileId = approval.batch?.fileId ?? "";
  if (rows.length !== approval.rows || fileIdOf(rows, account.baseUrl) !== fileId) throw changed(approval);
  const done = await journal.exclusively(fileId, () => approveRows({ approval, rows, fileId, approving }, context));
  if (done !== undefined) return done;
  throw new CliError("duplicate", "Another process is paying this file right now, so this one sent nothing.", {
    hint: "Wait until it ends, then approve it again to see what is left.",
  });
};

/** More would push what they come to off the screen. */
const rowsShown = 30;

type Rows = {
  readonly approval: Approval;
  readonly rows: readonly BatchRow[];
  readonly fileId: string;
  readonly approving: BatchApproving;
};

const approveRows = async ({ approval, rows, fileId, approving }: Rows, context: Context): Promise<ApprovedBatch> => {
  const journal = await context.journal();
  const { allowDuplicate, batch, isBegun } = approval;
  // What was cut off goes on: a new run would pay its rows once more.
  const choice = isBegun && batch?.choice !== "retry-failed" ? "resume" : (batch?.choice ?? "plain");
  const { concurrency } = approving;
  const command = (): readonly string[] => ["approval", "show", approval.id];
  const plan = await planRun({ rows, fileId, choice, allowDuplicate, concurrency, isResultShort: () => isBegun, command }, context);
  const left = formatMinor(totalOf(rows.filter(({ row }) => plan.pays.has(row))));
  const more = rows.length > rowsShown ? [`And ${groupedCount(rows.length - rowsShown)} more: approval show ${approval.id} shows all rows`] : [];
  const shown = [...rowLines(rows.slice(0, rowsShown), plan.before), ...more];
  await approving.ask(rows, plan, await approvalLines({ ...approval, amount: left }, shown, context));
  const decided = await journal.approvals.decide(approval.id, "approved");
  if (!(await isComplete(decided, journal))) return { approval: decided, rows, batchId: plan.batchId, end: undefined };
  const onProgress = (finished: number): void => approving.onProgress(finished, rows.length);
  const end = await runBatch({ rows, plan: { ...plan, approvalId: approval.id }, concurrency, onResult: () => undefined, onProgress }, context);
  const isLeft = end.results.some(({ state }) => state === "unknown" || state === "notSent");
  if (!isLeft) await journal.approvals.finish(approval.id);
  return { approval: decided, rows, batchId: plan.batchId, end };
};

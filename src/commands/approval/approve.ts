import type { Run } from "../../command.ts";
import type { CliError } from "../../errors.ts";
import type { Approval } from "../../journal/approval.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";
import type { Outcome } from "../../outcome.ts";
import { asCliError } from "../../output/error-text.ts";
import { progressLine } from "../../output/progress-line.ts";
import { approveBatch, approvePayment } from "../../payments/approvals/approve.ts";
import { waitForRows } from "../../payments/batch/wait-rows.ts";
import { requireWithdrawalKey } from "../../payments/consent.ts";
import type { Context } from "../../ports.ts";
import { outcomeOf } from "../b2c/batch-outcome.ts";
import { askConsent } from "../b2c/batch-question.ts";
import { findApproval } from "./approval.ts";
import { approvalOutcome, approvalsOutcome, noteSecondLook } from "./approval-view.ts";
import type { approvalApproveSpec } from "./spec.ts";

type Options = { readonly waitMs: number | undefined; readonly passphraseStdin: boolean };
type Done = { readonly approval: Approval; readonly verdict?: CliError | undefined; readonly made?: Outcome["made"] };

const concurrency = 8;

/** One after the other. With several, the first that fails ends it, and what was approved before is printed. */
export const run: Run<typeof approvalApproveSpec> = async ({ flags, args }, context) => {
  const options = { waitMs: flags.wait, passphraseStdin: flags.passphraseStdin };
  if (options.passphraseStdin) requireWithdrawalKey(await context.account());
  await noteSecondLook(context);
  const journal = await context.journal();
  const done: Done[] = [];
  for (const id of new Set(args.id.map((typed) => typed.trim()))) {
    try {
      const approval = await findApproval(id, journal);
      const one = approval.operation === "batch" ? await approveFile(approval, options, context) : await approveOne(approval, options, context);
      done.push({ ...one, approval: await findApproval(id, journal) });
    } catch (error) {
      if (done.length === 0) throw error;
      return outcomeOfAll(done, asCliError(error));
    }
  }
  return outcomeOfAll(done, done.find(({ verdict }) => verdict !== undefined)?.verdict);
};

const outcomeOfAll = (done: readonly Done[], verdict: CliError | undefined): Outcome => {
  const [only, second] = done;
  const made = done.find((one) => one.made !== undefined)?.made;
  // What was sent before the one that failed exists all the same.
  const isCancelled = verdict?.kind === "interrupted" && verdict.sent === "no";
  const cancelled = isCancelled ? { message: "Cancelled. What is listed was approved before that." } : {};
  const said = made !== undefined && verdict?.sent === "no" ? verdict.with({ sent: "yes", ...cancelled }) : verdict;
  const ends = { ...(made === undefined ? {} : { made }), ...(said === undefined ? {} : { verdict: () => said }) };
  if (only !== undefined && second === undefined) return { ...approvalOutcome(only.approval), ...ends };
  const approvals = done.map(({ approval }) => approval);
  return { ...approvalsOutcome(approvals, "Nothing was approved."), ...ends };
};

const awaitsOthers = (approval: Approval, { note }: Pick<Context, "note">): Done => {
  note("Approved. It is sent once the other approvers have approved it.");
  return { approval };
};

const approveOne = async (approval: Approval, { waitMs, passphraseStdin }: Options, context: Context): Promise<Done> => {
  const { approval: decided, payment } = await approvePayment(approval, passphraseStdin, context);
  if (payment === undefined) return awaitsOthers(decided, context);
  const { attempt, answer } = payment;
  const made = { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id };
  const transactionId = attempt.transactionId ?? textOf(fieldOf(answer.body, "transactionId"));
  if (waitMs === undefined || transactionId === undefined || attempt.operation !== "b2c") return { approval: decided, made };
  const { awaitFinal } = await import("../../payments/await-final.ts");
  const { verdict } = await awaitFinal({ transactionId, operation: attempt.operation, waitMs, attemptId: attempt.id }, context);
  return { approval: decided, made, verdict };
};

const approveFile = async (approval: Approval, { waitMs }: Options, context: Context): Promise<Done> => {
  const path = approval.reference;
  const progress = context.progress();
  const startedMs = context.clock.monotonic();
  const approved = await approveBatch(
    approval,
    {
      concurrency,
      ask: (rows, plan, lines) => askConsent({ path, rows, plan, isRetry: approval.batch?.choice === "retry-failed", lines }, context),
      onProgress: (done, rows) => progress.update(progressLine({ done, total: rows, startedMs, nowMs: context.clock.monotonic() })),
    },
    context,
  ).finally(() => progress.end());
  const { end, rows, batchId } = approved;
  if (end === undefined) return awaitsOthers(approved.approval, context);
  const { results, stopped } = end;
  if (waitMs !== undefined) await waitForRows(results, { waitMs, concurrency }, context, () => undefined);
  const again = ["approval", "approve", approval.id, ...(context.flags.yes ? ["--yes"] : [])];
  const command = (choice: "again" | "resume" | "retry-failed"): readonly string[] => (choice === "again" ? again : ["approval", "show", approval.id]);
  const { verdict, made } = outcomeOf({ path, batchId, rows, results, end: { stopped, unwritten: undefined, command } }, context.flags);
  return { approval: approved.approval, verdict: verdict?.(), made };
};

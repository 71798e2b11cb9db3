import { type CliError, withoutNotSent } from "../../errors.ts";
import { approvalRequired, findPolicy, noRole, type Policy } from "../../journal/approval.ts";
import type { Attempt, Journal, JournalUser, Role } from "../../journal/port.ts";
import { addDecimals, toDecimal, toFixedText } from "../../money/money.ts";
import type { Context } from "../../ports.ts";
import { isMoneyOut, type Operation } from "../../service/contract/routes.ts";
import type { PaymentPlan } from "../draft.ts";

// Which money out needs approval (rules.md, Together). The journal looks once more when the payment is opened.

type Payment = Pick<PaymentPlan, "amount" | "currency"> & { readonly operation: Operation };
type Policies = { readonly approvals: Pick<Journal["approvals"], "policies"> };

const policyOf = async ({ operation, amount, currency }: Payment, { approvals }: Policies): Promise<Policy | undefined> =>
  isMoneyOut(operation) ? findPolicy(await approvals.policies(), { amount, currency }) : undefined;

const words: Readonly<Record<Operation, string>> = { stk: "A push", b2c: "A payout", collect: "A collection", withdraw: "A withdrawal" };

/** Throws CliError approval-required (14) if the login of a shared journal has none of these roles: before anything is asked. On one machine all may do all. */
export const requireRole = async (
  needed: readonly [Role, ...Role[]],
  { approvals }: { readonly approvals: Pick<Journal["approvals"], "user"> },
): Promise<JournalUser> => {
  const user = await approvals.user();
  if (user.roles?.every((role) => !needed.includes(role)) !== true) return user;
  throw noRole({ name: user.name, role: user.roles.join(" and ") || "none", needs: needed[0] });
};
/** Who may pay and propose. */
export const payers = ["maker", "checker"] as const;

/** Throws CliError approval-required (14) if a policy asks for an approval that the payment does not have. Rows of a batch were asked about together. */
export const requireApproval = async (plan: Payment & Partial<Pick<PaymentPlan, "approvalId" | "batch">>, journal: Policies): Promise<void> => {
  if (plan.approvalId !== undefined || plan.batch !== undefined) return;
  const policy = await policyOf(plan, journal);
  if (policy !== undefined) throw approvalRequired(policy, words[plan.operation]);
};

/** The same for the sum of a payout file, in KES. */
export const requireBatchApproval = async (amount: string, journal: Pick<Journal, "approvals">): Promise<void> => {
  await requireRole(payers, journal);
  const policy = await policyOf({ operation: "b2c", amount, currency: "KES" }, journal);
  if (policy !== undefined) throw approvalRequired(policy, "A file of payouts");
};

/** For `--dry-run`: a sentence if the payment needs approval. Makes no journal. */
export const approvalNote = async (payment: Payment, context: Pick<Context, "existingJournal">): Promise<string | undefined> => {
  if (!isMoneyOut(payment.operation)) return undefined;
  const journal = await context.existingJournal();
  const policy = journal === undefined ? undefined : await policyOf(payment, journal);
  return policy === undefined ? undefined : `Approval is needed: ${withoutNotSent(approvalRequired(policy, "money out").message)}.`;
};

/** Why an attempt that was never approved may not be sent again: its amount, or the sum of its batch, falls under a policy. */
export const heldBackAttempt = async (attempt: Attempt, journal: Policies & Pick<Journal, "list">): Promise<CliError | undefined> => {
  if (attempt.approvalId !== undefined || !isMoneyOut(attempt.operation)) return undefined;
  const policies = await journal.approvals.policies();
  if (!policies.some(({ currency }) => currency === attempt.currency.toUpperCase())) return undefined;
  const { batchId, baseUrl } = attempt;
  const batch = batchId === undefined ? [attempt] : await journal.list({ batchId, baseUrl });
  const sum = batch.flatMap(({ amount }) => toDecimal(amount) ?? []).reduce(addDecimals, { digits: 0n, scale: 0 });
  const policy = findPolicy(policies, { amount: toFixedText(sum, sum.scale), currency: attempt.currency });
  if (policy === undefined) return undefined;
  return approvalRequired(policy, `Attempt ${attempt.id} was never approved, and money out`, {
    journalId: attempt.id,
    hint: `Find out at the service what became of it; then payments-cli journal resume ${attempt.id} --mark accepted (or refused) closes it.`,
  }).with({ sent: "unknown", idempotencyKey: attempt.idempotencyKey });
};

import { parseExact, present, stringifyExact } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Outcome } from "../outcome.ts";
import type { Account, Context } from "../ports.ts";
import { operationRoutes } from "../service/contract/routes.ts";
import { approvalNote } from "./approvals/require-approval.ts";
import { duplicateNote } from "./create-payment.ts";
import type { PaymentPlan } from "./draft.ts";

type Request = {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** For people: `KES 1,500.00`. */
  readonly amount?: string | undefined;
  /** Why it would need another person's approval. */
  readonly needsApproval?: string | undefined;
};

/** A request as it would be sent, the API key masked. */
export const requestOutcome = (request: Request, account: Pick<Account, "baseUrl" | "keyHint">): Outcome => {
  const { method, path, body, idempotencyKey, amount, needsApproval } = request;
  const parsed = body === undefined ? undefined : parseExact(body);
  const lines = [
    `${method} ${account.baseUrl.replace(/\/+$/, "")}${path}`,
    `Authorization: Bearer ${account.keyHint}`,
    ...(idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`]),
    ...(parsed === undefined ? [] : ["Content-Type: application/json", "", ...stringifyExact(parsed, 2).split("\n")]),
    "",
    ...(amount === undefined ? [] : [`Amount: ${amount}`]),
    ...(needsApproval === undefined ? [] : [needsApproval]),
    "Dry run: nothing was sent.",
  ];
  return {
    rows: [present({ method, path, body: parsed, idempotencyKey, approvalRequired: needsApproval === undefined ? undefined : true })],
    single: true,
    view: { kind: "blocks", blocks: () => [{ kind: "text", lines, verbatim: true }] },
  };
};

/** `--dry-run` of a creation: nothing is recorded or sent. */
export const dryRunOutcome = async (plan: PaymentPlan, context: Context): Promise<Outcome> => {
  const { operation, body, currency, idempotencyKey = context.random.uuid() } = plan;
  const amount = `${currency} ${groupedAmount(plan.amount, currency)}`;
  const needsApproval = await approvalNote(plan, context);
  const duplicate = await duplicateNote(plan, context);
  if (duplicate !== undefined) context.note(duplicate);
  return requestOutcome({ ...operationRoutes[operation], body, idempotencyKey, amount, needsApproval }, await context.account());
};

import { parseExact, stringifyExact } from "../json/exact-json.ts";
import type { Outcome } from "../outcome.ts";
import type { Context } from "../ports.ts";
import { operationRoutes } from "../service/contract/routes.ts";
import type { PaymentPlan } from "./create-payment-plan.ts";

/** `--dry-run`: the request as it would be sent, the API key masked. Nothing is recorded or sent. */
export const dryRunOutcome = async (plan: PaymentPlan, context: Pick<Context, "account" | "random">): Promise<Outcome> => {
  const account = await context.account();
  const { method, path } = operationRoutes[plan.operation];
  const idempotencyKey = plan.idempotencyKey ?? context.random.uuid();
  const body = parseExact(plan.body);
  const lines = [
    `${method} ${account.baseUrl.replace(/\/+$/, "")}${path}`,
    `Authorization: Bearer ${account.keyHint}`,
    "Content-Type: application/json",
    `Idempotency-Key: ${idempotencyKey}`,
    "",
    ...stringifyExact(body, 2).split("\n"),
    "",
    "Dry run: nothing was created.",
  ];
  return {
    rows: [{ method, path, body, idempotencyKey }],
    view: { kind: "blocks", blocks: () => [{ kind: "text", lines, verbatim: true }] },
  };
};

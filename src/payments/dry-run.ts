import { parseExact, stringifyExact } from "../json/exact-json.ts";
import type { Outcome } from "../outcome.ts";
import type { Account, Context } from "../ports.ts";
import { operationRoutes } from "../service/contract/routes.ts";
import { approvalNote } from "./approvals/require-approval.ts";
import type { Draft } from "./draft.ts";

type Request = {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Why it would need another person's approval. */
  readonly needsApproval?: string | undefined;
};

/** A request as it would be sent, the API key masked. */
export const requestOutcome = ({ method, path, body, idempotencyKey, needsApproval }: Request, account: Pick<Account, "baseUrl" | "keyHint">): Outcome => {
  const parsed = body === undefined ? undefined : parseExact(body);
  const lines = [
    `${method} ${account.baseUrl.replace(/\/+$/, "")}${path}`,
    `Authorization: Bearer ${account.keyHint}`,
    ...(idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`]),
    ...(parsed === undefined ? [] : ["Content-Type: application/json", "", ...stringifyExact(parsed, 2).split("\n")]),
    "",
    ...(needsApproval === undefined ? [] : [needsApproval]),
    "Dry run: nothing was sent.",
  ];
  return {
    rows: [
      {
        method,
        path,
        ...(parsed === undefined ? {} : { body: parsed }),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(needsApproval === undefined ? {} : { approvalRequired: true }),
      },
    ],
    single: true,
    view: { kind: "blocks", blocks: () => [{ kind: "text", lines, verbatim: true }] },
  };
};

/** `--dry-run` of a creation: nothing is recorded or sent. */
export const dryRunOutcome = async (
  draft: Pick<Draft, "operation" | "body" | "amount" | "currency"> & { readonly idempotencyKey?: string | undefined },
  context: Pick<Context, "account" | "random" | "existingJournal">,
): Promise<Outcome> => {
  const { operation, body, idempotencyKey = context.random.uuid() } = draft;
  const needsApproval = await approvalNote(draft, context);
  return requestOutcome({ ...operationRoutes[operation], body, idempotencyKey, needsApproval }, await context.account());
};

import { CliError, usageError } from "../../errors.ts";
import { isObject, type Json } from "../../json/exact-json.ts";
import { type Approval, alreadyProposed, approvalRequired, closedApproval, noRole, noSuchApproval, ownProposal } from "../approval.ts";
import { importedBy, keyIsTaken, likeAppeared, underWay } from "../attempt-errors.ts";

/** What payments.apply refused: its word for it and what it says more. */
export type Refusal = { readonly what: string; readonly more: Json };
type Find = (id: string) => Promise<Approval | undefined>;

/** The same errors as those of a file. */
export const toError = async ({ what, more }: Refusal, find: Find): Promise<CliError> => {
  const text = (name: string): string => (isObject(more) ? String(more[name] ?? "") : "");
  const attempt = { id: text("id"), idempotencyKey: text("key") };
  const policy = { currency: text("currency"), from: text("from"), approvers: Number(text("approvers")) };
  const approval = async (otherwise: (found: Approval) => CliError): Promise<CliError> => {
    const found = await find(attempt.id);
    return found === undefined ? noSuchApproval(attempt.id) : otherwise(found);
  };
  switch (what) {
    case "like":
      return likeAppeared(attempt);
    case "taken":
      return keyIsTaken(attempt);
    case "under-way":
      return underWay(attempt);
    case "not-found":
      return new CliError("not-found", `No attempt ${attempt.id} in the journal`);
    case "too-old":
      return new CliError("outcome-unknown", `Attempt ${attempt.id} is 24 hours old or nearly so by the database's clock, and the service may forget its key`, {
        journalId: attempt.id,
        idempotencyKey: attempt.idempotencyKey,
      });
    case "imported":
      return importedBy(text("by"), attempt);
    case "other-key":
      return usageError(`Attempt ${attempt.id} names an API key that another login of the shared journal has used; nothing was sent`);
    case "approval-required":
      return approvalRequired(policy, "Money out", { journalId: attempt.id });
    case "own-proposal":
      return ownProposal(attempt.id);
    case "others-needed":
      return new CliError("approval-required", `You have approved ${attempt.id} already: ${text("needed")} people have to; nothing was sent`);
    case "no-role":
      return noRole({ name: text("name"), role: text("role"), needs: text("needs") });
    case "no-approval":
      return noSuchApproval(attempt.id);
    case "closed":
      return await approval(closedApproval);
    case "proposed":
      return await approval(alreadyProposed);
    case "decided":
      return usageError(`You have decided about approval ${attempt.id} already.`);
    case "not-yours":
      return usageError(`Approval ${attempt.id} was proposed by ${text("by")}, who alone can cancel it.`, "Decline it instead.");
    case "not-durable":
      return usageError(
        "The database does not keep what it has committed (fsync or synchronous_commit is off); nothing was sent",
        "Turn both on in PostgreSQL's settings.",
      );
    case "other-request":
      return new CliError("bug", `The request of ${attempt.id} is not of the amount that is recorded with it; nothing was sent`);
    default:
      return new CliError("bug", `The shared journal refused this in a way that this program does not know: ${what}`);
  }
};

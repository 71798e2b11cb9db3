import { CliError, usageError } from "../../errors.ts";
import { isObject, type Json } from "../../json/exact-json.ts";
import { type Approval, alreadyProposed, approvalRequired, closedApproval, noRole, noSuchApproval, ownProposal } from "../approval.ts";
import { importedBy, keyIsTaken, likeAppeared, noSuchAttempt, notTheProposer, underWay } from "../attempt-errors.ts";

/** What payments.apply refused: its word for it and what it says more. */
export type Refusal = { readonly what: string; readonly more: Json };
/** What it says more, by name. `id` is that of an attempt or of a proposal. */
type Said = { readonly id: string; readonly idempotencyKey: string; readonly text: (name: string) => string };

const errors: Readonly<Record<string, (said: Said) => CliError>> = {
  like: likeAppeared,
  taken: keyIsTaken,
  "under-way": underWay,
  "not-found": ({ id }) => noSuchAttempt(id),
  "too-old": ({ id, idempotencyKey }) =>
    new CliError("outcome-unknown", `Attempt ${id} is 24 hours old or nearly so by the database's clock, and the service may forget its key`, {
      journalId: id,
      idempotencyKey,
    }),
  imported: (said) => importedBy(said.text("by"), said),
  "other-key": ({ id }) => usageError(`Attempt ${id} names an API key that another login of the shared journal has used; nothing was sent`),
  "approval-required": ({ id, text }) =>
    approvalRequired({ currency: text("currency"), from: text("from"), approvers: Number(text("approvers")) }, "Money out", { journalId: id }),
  "own-proposal": ({ id }) => ownProposal(id),
  "others-needed": ({ id, text }) => new CliError("approval-required", `You have approved ${id} already: ${text("needed")} people have to; nothing was sent`),
  "no-role": ({ text }) => noRole({ name: text("name"), role: text("role"), needs: text("needs") }),
  "no-approval": ({ id }) => noSuchApproval(id),
  decided: ({ id }) => usageError(`You have decided about approval ${id} already.`),
  "not-yours": ({ id, text }) => notTheProposer(id, text("by")),
  "not-durable": () =>
    usageError(
      "The database does not keep what it has committed (fsync or synchronous_commit is off); nothing was sent",
      "Turn both on in PostgreSQL's settings.",
    ),
  "other-request": ({ id }) => new CliError("bug", `The request of ${id} is not of the amount that is recorded with it; nothing was sent`),
};
/** Those for which the proposal has to be read. */
const errorsOfApprovals: Readonly<Record<string, (found: Approval) => CliError>> = { closed: closedApproval, proposed: alreadyProposed };

/** The same errors as those of a file. */
export const toError = async ({ what, more }: Refusal, find: (id: string) => Promise<Approval | undefined>): Promise<CliError> => {
  const text = (name: string): string => (isObject(more) ? String(more[name] ?? "") : "");
  const id = text("id");
  const ofApproval = errorsOfApprovals[what];
  if (ofApproval !== undefined) {
    const approval = await find(id);
    return approval === undefined ? noSuchApproval(id) : ofApproval(approval);
  }
  const unknown = new CliError("bug", `The shared journal refused this in a way that this program does not know: ${what}`);
  return errors[what]?.({ id, idempotencyKey: text("key"), text }) ?? unknown;
};

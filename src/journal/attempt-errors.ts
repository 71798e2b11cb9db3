import { CliError, type Sent, usageError } from "../errors.ts";
import type { Attempt } from "./port.ts";

// Why an attempt may not be begun or changed at this moment, whatever journal keeps it.

type Named = Pick<Attempt, "id" | "idempotencyKey">;
const duplicateOf = ({ id, idempotencyKey }: Named, message: string, hint: string, sent?: Sent): CliError =>
  new CliError("duplicate", message, { hint, command: ["journal", "show", id], sent, idempotencyKey, journalId: id });

/** `sent` is unknown: somebody is sending it. */
export const underWay = (attempt: Named): CliError => {
  const who = "by another process or another part of this one";
  const message = `This payment is being sent at this moment, ${who} (journal ${attempt.id}); it was not sent a second time`;
  return duplicateOf(attempt, message, "Wait until that process ends. To see the payment then", "unknown");
};

/** What another login has imported it may have written by hand: it is not sent again with anybody else's key. */
export const importedBy = (login: string, { id, idempotencyKey }: Named): CliError =>
  new CliError("outcome-unknown", `Attempt ${id} was imported by ${login}, who alone may send it again`, { idempotencyKey, journalId: id });

export const keyIsTaken = (attempt: Named): CliError => {
  const message = `Another process has just begun a payment with the key ${attempt.idempotencyKey} (journal ${attempt.id}); nothing was sent`;
  return duplicateOf(attempt, message, "Run the same command again to continue it. To see it");
};

export const likeAppeared = (attempt: Named): CliError =>
  duplicateOf(
    attempt,
    `Another process has just begun the same payment (journal ${attempt.id}); nothing was sent`,
    "--allow-duplicate sends another one. To look at the earlier one",
  );

export const noSuchAttempt = (id: string): CliError => new CliError("not-found", `No attempt ${id} in the journal`);

export const notTheProposer = (id: string, proposer: string): CliError =>
  usageError(`Approval ${id} was proposed by ${proposer}, who alone can cancel it.`, "Decline it instead.");

import { CliError } from "../errors.ts";
import type { Attempt } from "./port.ts";

// Why an attempt may not be begun or changed at this moment, whatever journal keeps it.

type Named = Pick<Attempt, "id" | "idempotencyKey">;

/** `sent` is unknown: somebody is sending it. */
export const underWay = ({ id, idempotencyKey }: Named): CliError =>
  new CliError(
    "duplicate",
    `This payment is being sent at this moment, by another process or another part of this one (journal ${id}); it was not sent once more`,
    { hint: "Wait for that to end. To look at it then", command: ["journal", "show", id], sent: "unknown", idempotencyKey, journalId: id },
  );

export const keyIsTaken = ({ id, idempotencyKey }: Named): CliError =>
  new CliError("duplicate", `Another process has just begun a payment with the key ${idempotencyKey} (journal ${id}); nothing was sent`, {
    hint: "The same command again goes on with it. To look at it",
    command: ["journal", "show", id],
    idempotencyKey,
    journalId: id,
  });

export const likeAppeared = ({ id, idempotencyKey }: Named): CliError =>
  new CliError("duplicate", `Another process has just begun the same payment (journal ${id}); nothing was sent`, {
    hint: "--allow-duplicate sends another one. To look at the earlier one",
    command: ["journal", "show", id],
    idempotencyKey,
    journalId: id,
  });

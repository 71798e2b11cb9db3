import { CliError } from "../errors.ts";
import { present } from "../json/exact-json.ts";
import type { Attempt, AttemptEnd, NewAttempt, Try } from "./port.ts";

// How an attempt changes, whatever journal keeps it. All of it throws CliError outcome-unknown for a damaged one, which a person alone closes.

export const damagedError = ({ id, idempotencyKey }: Pick<Attempt, "id" | "idempotencyKey">): CliError =>
  new CliError("outcome-unknown", `The journal's record of attempt ${id} is damaged, so its outcome is unknown and it is not sent again`, {
    hint: `Look for it at the service; once you know, close it with payments-cli journal resume ${id} --mark accepted (or refused)`,
    journalId: id,
    ...(idempotencyKey === "" ? {} : { idempotencyKey }),
  });
/** Nobody knows its outcome: it was begun and not closed, or its answer decided nothing. */
export const isUnsettled = ({ state }: Pick<Attempt, "state">): boolean => state === "started" || state === "unknown";

const whole = (attempt: Attempt): Attempt => {
  if (attempt.damaged === true) throw damagedError(attempt);
  return attempt;
};

export const openedAttempt = (attempt: NewAttempt, heldBy: string): Attempt => ({ ...attempt, state: "started", tries: [], unanswered: false, heldBy });

/** A payment that is known to exist stays known. A refused attempt begins afresh; of an open one a request may be under way. */
export const reopenedAttempt = (attempt: Attempt, heldBy: string): Attempt => {
  if (attempt.state === "accepted") return attempt;
  const { closedAt: _, ...rest } = whole(attempt);
  return { ...rest, state: "started", unanswered: attempt.state !== "refused", heldBy };
};

export const triedAttempt = (attempt: Attempt, tried: Try): Attempt => ({
  ...whole(attempt),
  tries: [...attempt.tries, toStoredTry(tried)],
  unanswered: attempt.unanswered || tried.outcome === "unanswered",
});

export const closedAttempt = (before: Attempt, end: AttemptEnd, nowIso: string): Attempt => {
  const known = end.byHand === true ? before : whole(before);
  const attempt = end.tried === undefined ? known : triedAttempt(known, end.tried);
  if (attempt.state === "accepted" && end.state !== "accepted") return attempt;
  const state = end.state === "refused" && attempt.unanswered && end.byHand !== true ? "unknown" : end.state;
  const { closedAt: _closedAt, heldBy: _heldBy, damaged: _damaged, ...rest } = attempt;
  return {
    ...rest,
    state,
    // What a person says, no answer has said: nobody knows whether a request of it arrived.
    unanswered: attempt.unanswered || end.byHand === true,
    ...(state === "unknown" ? {} : { closedAt: nowIso }),
    ...present({ transactionId: end.transactionId, status: end.status, answer: end.answer }),
  };
};

export const withStatus = (attempt: Attempt, status: string): Attempt => ({ ...whole(attempt), status });

/** What the guard and a resume need stays: guard key, reference, amount, state, transaction id. The payee keeps its last three digits. */
export const prunedAttempt = (attempt: Attempt): Attempt => {
  const { answer: _answer, evidence: _evidence, ...rest } = attempt;
  return { ...rest, body: null, payee: attempt.payee === "" ? "" : `…${attempt.payee.slice(-3)}` };
};

/** As it is recorded. */
export const toStoredTry = ({ atMs, httpStatus, error }: Try): Attempt["tries"][number] => ({
  at: new Date(atMs).toISOString(),
  ...present({ httpStatus, error }),
});

import type { Attempt, AttemptEnd, NewAttempt, Try } from "./port.ts";

/** How an attempt changes, whatever journal keeps it. */

export const openedAttempt = (attempt: NewAttempt, heldBy: string): Attempt => ({ ...attempt, state: "started", tries: [], unanswered: false, heldBy });

/** A payment that is known to exist stays known. A refused attempt begins afresh; of an open one a request may be under way. */
export const reopenedAttempt = (attempt: Attempt, heldBy: string): Attempt => {
  if (attempt.state === "accepted") return attempt;
  const { closedAt: _, ...rest } = attempt;
  return { ...rest, state: "started", unanswered: attempt.state !== "refused", heldBy };
};

export const triedAttempt = (attempt: Attempt, tried: Try): Attempt => ({
  ...attempt,
  tries: [...attempt.tries, toStoredTry(tried)],
  unanswered: attempt.unanswered || tried.open,
});

export const closedAttempt = (before: Attempt, end: AttemptEnd, nowIso: string): Attempt => {
  const attempt = end.tried === undefined ? before : triedAttempt(before, end.tried);
  if (attempt.state === "accepted" && end.state !== "accepted") return attempt;
  const state = end.state === "refused" && attempt.unanswered && end.byHand !== true ? "unknown" : end.state;
  const { closedAt: _closedAt, heldBy: _heldBy, ...rest } = attempt;
  return {
    ...rest,
    state,
    ...(state === "unknown" ? {} : { closedAt: nowIso }),
    ...(end.transactionId === undefined ? {} : { transactionId: end.transactionId }),
    ...(end.status === undefined ? {} : { status: end.status }),
    ...(end.answer === undefined ? {} : { answer: end.answer }),
  };
};

/** What the guard and a resume need stays: guard key, reference, amount, state, transaction id. The payee keeps its last three digits. */
export const prunedAttempt = (attempt: Attempt): Attempt => {
  const { answer: _answer, evidence: _evidence, ...rest } = attempt;
  return { ...rest, body: null, payee: attempt.payee === "" ? "" : `…${attempt.payee.slice(-3)}` };
};

const toStoredTry = (tried: Try): Attempt["tries"][number] => ({
  at: new Date(tried.atMs).toISOString(),
  ...(tried.httpStatus === undefined ? {} : { httpStatus: tried.httpStatus }),
  ...(tried.error === undefined ? {} : { error: tried.error }),
});

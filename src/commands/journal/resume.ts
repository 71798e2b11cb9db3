import type { Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { isUnsettled } from "../../journal/attempt.ts";
import type { Attempt, Journal } from "../../journal/port.ts";
import { present } from "../../json/exact-json.ts";
import { groupedAmount } from "../../money/grouped.ts";
import type { Outcome } from "../../outcome.ts";
import { requireWithdrawalKey } from "../../payments/consent.ts";
import { isMarked, markAttempt, type Settled, settleAttempts, unsettledError } from "../../payments/settle.ts";
import type { Context } from "../../ports.ts";
import { attemptRow, attemptsOutcome } from "./attempt-rows.ts";
import { findAttempt } from "./journal.ts";
import type { journalResumeSpec } from "./spec.ts";

export const run: Run<typeof journalResumeSpec> = async ({ flags, args }, context) => {
  const { all, mark, passphraseStdin } = flags;
  if (passphraseStdin) requireWithdrawalKey(await context.account());
  const journal = await context.journal();
  const { id } = args;
  if (mark !== undefined) return outcomeOf([{ attempt: await markOne(id, mark, journal) }]);
  if (id !== undefined && all) throw usageError("Give an ID or --all, not both");
  const attempts = id === undefined ? await openAttempts(all, context, journal) : [await findAttempt(id, journal)];
  if (attempts.length === 0) return outcomeOf([]);
  const byId = id !== undefined || !all;
  const settled = await settleAttempts(attempts, context, { byId, passphraseStdin });
  for (const one of settled) tell(one, context);
  const error = unsettledError(settled, context.flags);
  if (error !== undefined) throw error;
  return outcomeOf(settled);
};

const markOne = async (id: string | undefined, mark: string, journal: Journal): Promise<Attempt> => {
  if (!isMarked(mark)) throw usageError(`--mark is accepted or refused, not ${mark}`);
  if (id === undefined) throw usageError("--mark closes one attempt: give its ID");
  return markAttempt(await findAttempt(id, journal), mark, journal);
};

/** All that is open; without `--all` the only one, or the one that is chosen on a terminal. */
const openAttempts = async (all: boolean, context: Pick<Context, "terminal" | "prompt">, journal: Journal): Promise<readonly Attempt[]> => {
  const unsorted = [...(await journal.list({ state: "unknown" })), ...(await journal.list({ state: "started" }))];
  // Oldest first: what came first is settled first.
  const open = unsorted.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  if (all || open.length <= 1) return open;
  if (!context.terminal.interactive) {
    const [state, ...others] = new Set(open.map((attempt) => attempt.state));
    const command = ["journal", "list", ...(state === undefined || others.length > 0 ? [] : ["--state", state])];
    throw new CliError("usage", `${open.length} attempts are not settled: give an ID, or --all`, { hint: "To see them", command });
  }
  const chosen = await context.prompt.choose({
    message: "Which attempt?",
    words: ({ id }) => [id],
    choices: open.map((value) => ({ value, name: nameOf(value) })),
  });
  return [chosen];
};

const nameOf = ({ operation, currency, amount, reference }: Attempt): string =>
  `${operation} ${currency} ${groupedAmount(amount, currency)} ${reference}`.trim();

const tell = ({ attempt, why, contradiction, evidence }: Settled, context: Pick<Context, "note">): void => {
  const what = nameOf(attempt);
  if (isUnsettled(attempt)) context.note(`${what} (${attempt.id}): still unknown${why === undefined ? "" : `, ${why}`}`);
  if (contradiction !== undefined) context.note(`${what} (${attempt.id}): ${contradiction}`);
  if (evidence !== undefined) context.note(evidence);
};

/** The first that is known by now to have been accepted: a payment exists. */
const madeOf = (settled: readonly Settled[]): Pick<Outcome, "made"> => {
  const accepted = settled.find(({ attempt }) => attempt.state === "accepted")?.attempt;
  return accepted === undefined ? {} : { made: { idempotencyKey: accepted.idempotencyKey, journalId: accepted.id } };
};

const outcomeOf = (settled: readonly Settled[]): Outcome => {
  const attempts = settled.map(({ attempt }) => attempt);
  const rows = settled.map(({ attempt, contradiction, evidence }) => ({ ...attemptRow(attempt), ...present({ contradiction, evidence }) }));
  return { ...madeOf(settled), ...attemptsOutcome(attempts, { rows, empty: "Nothing to settle: the outcome of every attempt is known." }) };
};

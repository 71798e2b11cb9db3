import type { Attempt } from "../../journal/port.ts";
import { fieldOf, type Json, type JsonObject, parseExact, present } from "../../json/exact-json.ts";
import type { Cell, Column, Outcome, Tone } from "../../outcome.ts";
import { money, timeCell } from "../../output/format.ts";
import { fieldText, idColumn, listOutcome, textColumn } from "../../output/outcomes.ts";

/** An attempt as `journal list --json` has it (rules.md, JSON and CSV). */
export const attemptRow = (attempt: Attempt): JsonObject => {
  const { id, startedAt, profile, operation, reference, amount, currency, idempotencyKey, state, transactionId, status, damaged } = attempt;
  return present({ id, startedAt, profile, operation, reference, amount, currency, idempotencyKey, state, transactionId, status, damaged });
};
const fields = "id startedAt profile operation reference amount currency idempotencyKey state transactionId status".split(" ");

/** Text that is JSON as it is, else the text itself: what a service answered may be anything. */
const jsonOrText = (text: string | null | undefined): Json => {
  if (text === null || text === undefined) return null;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
};

/** An attempt as `journal show --json` has it. `body` is null once it was pruned, `answer` where none was readable. */
export const attemptDetail = (attempt: Attempt): JsonObject => {
  const { endpoint, baseUrl, payee, closedAt, batchId, batchRow } = attempt;
  const tries = attempt.tries.map(({ at, httpStatus, error = "no answer" }) => (httpStatus === undefined ? { at, error } : { at, httpStatus }));
  const [body, answer] = [jsonOrText(attempt.body), jsonOrText(attempt.answer)];
  return { ...attemptRow(attempt), ...present({ endpoint, baseUrl, payee, body, tries, answer, closedAt, batchId, batchRow }) };
};

const tones: Readonly<Record<string, Tone>> = { accepted: "good", refused: "bad", unknown: "waiting", started: "waiting" };

export const stateCell = (state: string, damaged: boolean): Cell =>
  damaged ? { text: `${state}, damaged`, tone: "bad" } : { text: state, tone: tones[state] ?? "plain" };

const shortestPrefix = 8;

/** The length at which the beginnings of these ids differ: `journal show` and `journal resume` take a beginning for the id. */
const prefixLength = (ids: readonly string[]): number => {
  let length = shortestPrefix;
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length += 1;
  return length;
};

export const attemptColumns = (attempts: readonly Pick<Attempt, "id">[]): readonly Column[] => [
  idColumn(prefixLength(attempts.map(({ id }) => id))),
  { heading: "Started", isTime: true, cell: (row, style) => timeCell(fieldOf(row, "startedAt"), style), sheds: 2 },
  textColumn("Kind", "operation"),
  textColumn("Reference", "reference"),
  { heading: "Amount", cell: (row) => money(fieldOf(row, "amount"), fieldText("currency")(row)), align: "right" },
  { heading: "State", cell: (row) => stateCell(fieldText("state")(row), fieldOf(row, "damaged") === true) },
  textColumn("Last seen", "status", { sheds: 3 }),
  textColumn("Transaction", "transactionId", { whole: true, sheds: 4 }),
  textColumn("Profile", "profile", { sheds: 5 }),
];

type Listed = { readonly rows?: readonly Json[]; readonly empty: string; readonly footer?: (rows: number) => string | undefined };
/** Attempts as a list; `rows` say more of each. */
export const attemptsOutcome = (attempts: readonly Attempt[], { rows = attempts.map(attemptRow), ...listed }: Listed): Outcome =>
  listOutcome("attempts", rows, fields, { columns: attemptColumns(attempts), ...listed });

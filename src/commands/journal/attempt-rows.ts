import type { Attempt } from "../../journal/port.ts";
import { fieldOf, isObject, type Json, type JsonObject, parseExact, textOf } from "../../json/exact-json.ts";
import type { Cell, Column, Tone } from "../../outcome.ts";
import { money, timeCell } from "../../output/format.ts";

/** An attempt as `journal list --json` has it (rules.md, JSON and CSV). */
export const attemptRow = (attempt: Attempt): JsonObject => ({
  id: attempt.id,
  startedAt: attempt.startedAt,
  profile: attempt.profile,
  operation: attempt.operation,
  reference: attempt.reference,
  amount: attempt.amount,
  currency: attempt.currency,
  idempotencyKey: attempt.idempotencyKey,
  state: attempt.state,
  ...(attempt.transactionId === undefined ? {} : { transactionId: attempt.transactionId }),
  ...(attempt.status === undefined ? {} : { status: attempt.status }),
  ...(attempt.damaged === undefined ? {} : { damaged: attempt.damaged }),
});

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
export const attemptDetail = (attempt: Attempt): JsonObject => ({
  ...attemptRow(attempt),
  endpoint: attempt.endpoint,
  baseUrl: attempt.baseUrl,
  payee: attempt.payee,
  body: jsonOrText(attempt.body),
  tries: attempt.tries.map(({ at, httpStatus, error }) => ({
    at,
    ...(httpStatus === undefined ? { error: error ?? "no answer" } : { httpStatus }),
  })),
  answer: jsonOrText(attempt.answer),
  ...(attempt.closedAt === undefined ? {} : { closedAt: attempt.closedAt }),
  ...(attempt.batchId === undefined ? {} : { batchId: attempt.batchId }),
  ...(attempt.batchRow === undefined ? {} : { batchRow: attempt.batchRow }),
});

const tones: Readonly<Record<string, Tone>> = { accepted: "good", refused: "bad", unknown: "waiting", started: "waiting" };

export const stateCell = (state: string, damaged: boolean): Cell =>
  damaged ? { text: `${state}, damaged`, tone: "bad" } : { text: state, tone: tones[state] ?? "plain" };

const field = (name: string) => (row: Json) => textOf(fieldOf(row, name)) ?? "";
/** Wide enough for whole ids beside everything else. */
const wideColumns = 150;
const shortestPrefix = 8;

/** The length at which the beginnings of these ids differ: `journal show` and `journal resume` take a beginning for the id. */
const prefixLength = (ids: readonly string[]): number => {
  let length = shortestPrefix;
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length += 1;
  return length;
};

export const attemptColumns = (attempts: readonly Pick<Attempt, "id">[]): readonly Column[] => {
  const length = prefixLength(attempts.map(({ id }) => id));
  const id: Column["cell"] = (row, { width }) => ({ text: width < wideColumns ? field("id")(row).slice(0, length) : field("id")(row), tone: "quiet" });
  return [
    { heading: "ID", whole: true, cell: id },
    { heading: "Started", isTime: true, cell: (row, style) => timeCell(fieldOf(row, "startedAt"), style), sheds: 2 },
    { heading: "Kind", cell: field("operation") },
    { heading: "Reference", cell: field("reference") },
    { heading: "Amount", cell: (row) => money(fieldOf(row, "amount"), field("currency")(row)), align: "right" },
    { heading: "State", cell: (row) => stateCell(field("state")(row), fieldOf(row, "damaged") === true) },
    { heading: "Status", cell: field("status"), sheds: 3 },
    { heading: "Transaction", whole: true, cell: field("transactionId"), sheds: 4 },
    { heading: "Profile", cell: field("profile"), sheds: 5 },
  ];
};
export const attemptColumnNames = [
  "id",
  "startedAt",
  "profile",
  "operation",
  "reference",
  "amount",
  "currency",
  "idempotencyKey",
  "state",
  "transactionId",
  "status",
];

/** `name: value` lines of an object, for people. */
export const linesOf = (value: Json | undefined): readonly string[] =>
  isObject(value) ? Object.entries(value).map(([name, inner]) => `${name}: ${textOf(inner) ?? JSON.stringify(inner)}`) : [];

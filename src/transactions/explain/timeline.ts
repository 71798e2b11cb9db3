import type { Attempt } from "../../journal/port.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { money } from "../../output/format.ts";
import { fieldWords } from "../../output/views/transaction.ts";
import { failureWords } from "../../service/transport.ts";
import { failureReasonOf, fieldsOf, findReceipt } from "../fields.ts";
import type { Story, StoryEvent } from "./story.ts";
import { callbackWords } from "./verdict.ts";

const verbs = { stk: "Push prompt", b2c: "Payout", collect: "Collection", withdraw: "Withdrawal" } as const;

/** What happened, oldest first. Events of one moment keep the order journal, service, ledger, callback, mirror. */
export const timelineOf = (story: Story): readonly StoryEvent[] =>
  [
    ...story.attempts.filter((attempt) => mayBeOf(attempt, story)).flatMap(attemptEvents),
    ...serviceEvents(story),
    ...story.ledger.map((entry) => ledgerEvent(entry, textOf(fieldOf(entry, "type")) ?? "Entry", story)),
    ...story.holds.map((hold) => ledgerEvent(hold, `Hold (${textOf(fieldOf(hold, "holdType")) ?? "no type"})`, story)),
    ...(story.evidence === undefined ? [] : [{ at: story.readAt, source: "ledger", event: story.evidence } as const]),
    ...story.callbacks.map((callback): StoryEvent => ({ at: callback.at, source: "callback", event: `Callback ${callbackWords(callback)}` })),
    ...(story.firstSeenAt === undefined ? [] : [{ at: story.firstSeenAt, source: "mirror", event: "First seen by tx sync" } as const]),
    ...(story.contradicted === undefined ? [] : [{ at: story.readAt, source: "mirror", event: `An earlier look saw ${story.contradicted}` } as const]),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));

/** The attempt that made another transaction with the same reference has a story of its own. */
const mayBeOf = ({ transactionId }: Attempt, { transaction }: Story): boolean =>
  transactionId === undefined || transaction === undefined || transactionId === transaction.id;

const attemptEvents = (attempt: Attempt): readonly StoryEvent[] => [
  {
    at: attempt.startedAt,
    source: "journal",
    event: `${verbs[attempt.operation]} of ${money(attempt.amount, attempt.currency)} started for ${attempt.payee === "" ? "the payer" : attempt.payee} (journal ${attempt.id})`,
  },
  ...attempt.tries.map(
    ({ at, httpStatus, error }): StoryEvent => ({
      at,
      source: "journal",
      event: httpStatus === undefined ? `No answer: ${failureWords(error)}` : `The service answered ${httpStatus}`,
    }),
  ),
  ...(attempt.closedAt === undefined
    ? []
    : [
        {
          at: attempt.closedAt,
          source: "journal",
          event: `Recorded as ${attempt.state}${attempt.transactionId === undefined ? "" : `, transaction ${attempt.transactionId}`}`,
        } as const,
      ]),
];

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Assumed: a field of the transaction or its metadata that holds an ISO 8601 time says when what its name says happened; the document shows none. */
const timeEvents = (transaction: Json): readonly StoryEvent[] =>
  fieldsOf(transaction).flatMap(([name, value]): StoryEvent[] =>
    typeof value === "string" && isTime.test(value) && !Number.isNaN(Date.parse(value))
      ? [{ at: new Date(value).toISOString(), source: "service", event: fieldWords(name) }]
      : [],
  );

const serviceEvents = ({ transaction, isLive, readAt, others }: Story): readonly StoryEvent[] => {
  const same = others.map(
    ({ id = "", status = "no status" }): StoryEvent => ({
      at: readAt,
      source: "service",
      event: `Another transaction has the same reference: ${id}, ${status}`,
    }),
  );
  if (transaction === undefined) return same;
  const { status = "no status", body } = transaction;
  const receipt = findReceipt(body)?.text;
  const reason = failureReasonOf(body);
  const details = [...(receipt === undefined ? [] : [`receipt ${receipt}`]), ...(reason === undefined ? [] : [reason])];
  const says = [isLive ? `The service says ${status}` : `Your local copy has ${status}`, ...details].join(", ");
  return [...timeEvents(body), { at: readAt, source: isLive ? "service" : "mirror", event: says }, ...same];
};

/** Most entries name the reference alone: which of several payments with it one belongs to, nobody can say. */
const ledgerEvent = (entry: Json, name: string, { readAt, transaction, others }: Story): StoryEvent => {
  const at = textOf(fieldOf(entry, "createdAt")) ?? "";
  const isSure = others.length === 0 || textOf(fieldOf(entry, "reference")) === transaction?.id;
  const whose = isSure ? "" : `, for this payment or ${others.map(({ id }) => id ?? "").join(" or ")}: they have one reference`;
  return {
    at: Number.isNaN(Date.parse(at)) ? readAt : new Date(at).toISOString(),
    source: "ledger",
    event: `${name} of ${money(fieldOf(entry, "amount"), "KES")}${whose}`,
  };
};

import type { Run } from "../../command.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, type Json, stringifyExact, textOf } from "../../json/exact-json.ts";
import type { Block } from "../../outcome.ts";
import { money } from "../../output/format.ts";
import { attemptDetail, linesOf, stateCell } from "./attempt-rows.ts";
import { findAttempt } from "./find-attempt.ts";
import type { journalShowSpec } from "./spec.ts";

export const run: Run<typeof journalShowSpec> = async ({ args }, context) => {
  const attempt = await findAttempt(args.id, await context.journal());
  const detail = attemptDetail(attempt);
  return { rows: [detail], single: true, view: { kind: "blocks", blocks: () => blocksOf(attempt, detail) } };
};

const blocksOf = (attempt: Attempt, detail: Json): readonly Block[] => {
  const tries = fieldOf(detail, "tries");
  return [
    {
      kind: "card",
      title: `Attempt ${attempt.id}`,
      pairs: [
        ["State", stateCell(attempt.state, attempt.damaged === true)],
        ["What", `${attempt.operation} of ${money(attempt.amount, attempt.currency)}`],
        ["Reference", attempt.reference],
        ["Payee", attempt.payee],
        ["Started", attempt.startedAt],
        ...(attempt.closedAt === undefined ? [] : ([["Closed", attempt.closedAt]] as const)),
        ["Profile", `${attempt.profile} at ${attempt.baseUrl}`],
        ["Idempotency key", attempt.idempotencyKey],
        ...(attempt.transactionId === undefined ? [] : ([["Transaction", attempt.transactionId]] as const)),
        ...(attempt.status === undefined ? [] : ([["Status", attempt.status]] as const)),
      ],
    },
    {
      kind: "text",
      lines: ["", attempt.endpoint, ...(attempt.body === null ? ["The request was pruned."] : linesOf(fieldOf(detail, "body")))],
    },
    {
      kind: "table",
      title: "Tries",
      columns: [
        { heading: "At", cell: (row) => textOf(fieldOf(row, "at")) ?? "" },
        { heading: "Result", cell: (row) => textOf(fieldOf(row, "httpStatus")) ?? textOf(fieldOf(row, "error")) ?? "" },
      ],
      rows: Array.isArray(tries) ? tries : [],
      empty: "None was recorded.",
    },
    ...(attempt.answer === undefined
      ? []
      : [{ kind: "text", lines: ["Answer", ...stringifyExact(fieldOf(detail, "answer"), 2).split("\n")], verbatim: true } as const]),
  ];
};

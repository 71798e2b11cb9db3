import type { Run } from "../../command.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, type Json, stringifyExact, textOf } from "../../json/exact-json.ts";
import type { Block, Style } from "../../outcome.ts";
import { money, timeCell, zonedTime } from "../../output/format.ts";
import { attemptDetail, linesOf, stateCell } from "./attempt-rows.ts";
import { findAttempt } from "./find-attempt.ts";
import type { journalShowSpec } from "./spec.ts";

export const run: Run<typeof journalShowSpec> = async ({ args }, context) => {
  const attempt = await findAttempt(args.id, await context.journal());
  const detail = attemptDetail(attempt);
  return { rows: [detail], single: true, view: { kind: "blocks", blocks: (_, style) => blocksOf(attempt, detail, style) } };
};

const blocksOf = (attempt: Attempt, detail: Json, style: Style): readonly Block[] => {
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
        ["Started", zonedTime(attempt.startedAt, style)],
        ...(attempt.closedAt === undefined ? [] : ([["Closed", zonedTime(attempt.closedAt, style)]] as const)),
        ["Profile", `${attempt.profile} at ${attempt.baseUrl}`],
        ["Idempotency key", attempt.idempotencyKey],
        ...(attempt.transactionId === undefined ? [] : ([["Transaction", attempt.transactionId]] as const)),
        ...(attempt.status === undefined ? [] : ([["Status", attempt.status]] as const)),
      ],
    },
    {
      kind: "text",
      lines: [attempt.endpoint, ...(attempt.body === null ? ["The request was pruned."] : linesOf(fieldOf(detail, "body")))],
    },
    {
      kind: "table",
      title: "Tries",
      columns: [
        { heading: "At", isTime: true, cell: (row, shown) => timeCell(fieldOf(row, "at"), shown) },
        { heading: "Result", cell: (row) => [fieldOf(row, "httpStatus"), fieldOf(row, "error")].flatMap((part) => textOf(part) ?? []).join(" ") },
      ],
      rows: Array.isArray(tries) ? tries : [],
      empty: "None was recorded.",
    },
    ...(attempt.answer === undefined
      ? []
      : [{ kind: "text", lines: ["Answer", ...stringifyExact(fieldOf(detail, "answer"), 2).split("\n")], verbatim: true } as const]),
  ];
};

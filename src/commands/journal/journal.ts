import { existsSync } from "node:fs";
import { join } from "node:path";
import { profileWords, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Attempt, Journal } from "../../journal/port.ts";
import { fieldOf, isObject, type Json, present, stringifyExact, textOf } from "../../json/exact-json.ts";
import { countOf } from "../../money/grouped.ts";
import type { Block, Style } from "../../outcome.ts";
import { money, timeCell, zonedTime } from "../../output/format.ts";
import { cardOutcome, linesOutcome, objectOutcome } from "../../output/outcomes.ts";
import { isGlobal } from "../../service/contract/routes.ts";
import { createdRecordOf } from "../../service/judge.ts";
import { failureWords } from "../../service/transport.ts";
import { commandLine } from "../../shell.ts";
import { findByPrefix, shortestPrefix } from "../id-prefix.ts";
import { attemptDetail, attemptsOutcome, stateCell } from "./attempt-rows.ts";
import type { journalImportSpec, journalListSpec, journalPruneSpec, journalShowSpec, journalStatusSpec } from "./spec.ts";

const tableRows = 50;
const otherRows = 1_000;

export const list: Run<typeof journalListSpec> = async ({ flags }, context) => {
  const limit = flags.limit ?? (context.flags.output === "table" ? tableRows : otherRows);
  const { state, operation } = flags;
  const wanted = present({ state, operation, day: parseDay(flags.day), reference: flags.reference?.trim() });
  const attempts = await (await context.journal()).list({ limit, ...wanted });
  const footer = (rows: number): string | undefined => (rows === limit ? `The newest ${rows}; --limit N shows more.` : undefined);
  return attemptsOutcome(attempts, { empty: "No payment attempts here yet.", footer });
};

const parseDay = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) throw usageError(`--day is a date like 2026-03-01 (UTC), not ${text}`);
  return text;
};

const searchedMax = 100_000;

/**
 * The attempt of an id, of the beginning of one, or of an idempotency key. Throws CliError not-found (4), and usage if several ids begin
 * like that.
 */
export const findAttempt = async (idOrKey: string, journal: Pick<Journal, "find" | "list">): Promise<Attempt> => {
  const attempt = (await journal.find(idOrKey.trim())) ?? (await findByPrefix(idOrKey, () => journal.list({ limit: searchedMax })));
  if (attempt !== undefined) return attempt;
  const short = idOrKey.trim().length < shortestPrefix ? `; the beginning of an id has ${shortestPrefix} characters or more` : "";
  throw new CliError("not-found", `No attempt ${idOrKey} in the journal${short}`, { hint: "To list the attempts", command: ["journal", "list"] });
};

export const show: Run<typeof journalShowSpec> = async ({ args }, context) => {
  const attempt = await findAttempt(args.id, await context.journal());
  const detail = attemptDetail(attempt);
  const [body, answer, tries] = [fieldOf(detail, "body"), fieldOf(detail, "answer"), fieldOf(detail, "tries")];
  const fields = isObject(body) ? Object.entries(body).map(([name, value]) => `${name}: ${textOf(value) ?? JSON.stringify(value)}`) : [];
  return objectOutcome(detail, (style): readonly Block[] => [
    {
      kind: "card",
      title: `Attempt ${attempt.id}`,
      pairs: [
        ["State", stateCell(attempt.state, attempt.damaged === true)],
        ["What", `${attempt.operation} of ${money(attempt.amount, attempt.currency)}`],
        ["Reference", attempt.reference],
        ["Payee", attempt.payee],
        ["Started", zonedTime(attempt.startedAt, style)],
        ["Closed", attempt.closedAt === undefined ? undefined : zonedTime(attempt.closedAt, style)],
        ["Profile", `${attempt.profile} at ${attempt.baseUrl}`],
        ["Recorded by", attempt.recordedBy?.login],
        ["Idempotency key", attempt.idempotencyKey],
        ["Transaction", attempt.transactionId],
        ["Status when last seen", statusSeen(attempt, answer, style)],
      ],
    },
    ...statusNow(attempt, style),
    { kind: "text", lines: [attempt.endpoint, ...(attempt.body === null ? ["The request was pruned."] : fields)] },
    {
      kind: "table",
      title: "Tries",
      columns: [
        { heading: "At", isTime: true, cell: (row, shown) => timeCell(fieldOf(row, "at"), shown) },
        { heading: "Result", cell: (row) => textOf(fieldOf(row, "httpStatus")) ?? failureWords(textOf(fieldOf(row, "error"))) },
      ],
      rows: Array.isArray(tries) ? tries : [],
      empty: "No answer was recorded.",
    },
    { kind: "text", lines: attempt.answer === undefined ? [] : ["Answer", ...stringifyExact(answer, 2).split("\n")], verbatim: true },
  ]);
};

/** With its time if it is the one that the answer to the creation gave. */
const statusSeen = ({ operation, status, closedAt }: Attempt, answer: Json | undefined, style: Style): string | undefined =>
  status !== undefined && closedAt !== undefined && createdRecordOf(operation, answer ?? null).status === status
    ? `${status}, at ${zonedTime(closedAt, style)}`
    : status;

/** The journal asks nobody: what it shows is as old as the last command that looked. */
const statusNow = ({ operation, transactionId, profile }: Attempt, { shell }: Style): readonly Block[] => {
  if (transactionId === undefined || isGlobal(operation)) return [];
  const command = commandLine(["tx", "get", transactionId, ...(profileWords(profile) ?? [])], shell);
  return [{ kind: "text", lines: [{ text: `For its status now: ${command}`, tone: "quiet" }] }];
};

export const prune: Run<typeof journalPruneSpec> = async ({ flags }, context) => {
  const { olderThan: days } = flags;
  if (days === undefined) throw usageError("How old? Give --older-than DAYS");
  const pruned = await (await context.journal()).prune(days * 86_400_000);
  return linesOutcome({ pruned }, [`${countOf(pruned, "attempt")} pruned.`]);
};

export const status: Run<typeof journalStatusSpec> = async (_input, context) => {
  const { journal, where, who, role, attempts, open } = await (await context.journal()).status();
  return cardOutcome({ journal, where, who, role, attempts, open }, [
    ["Journal", journal === "file" ? "a file on this machine" : "PostgreSQL, shared by a team"],
    ["Where", where],
    ["You are", journal === "file" ? who : `${who} (${role})`],
    ["Attempts", String(attempts)],
    ["Not settled", String(open)],
  ]);
};

/** So many share one commit. */
const importedTogether = 500;

export const importFile: Run<typeof journalImportSpec> = async ({ flags }, context) => {
  const { importAttempt } = await context.journal();
  if (importAttempt === undefined)
    throw usageError("There is no shared journal to import into.", "Set PAYMENTS_JOURNAL_URL, or the profile's with profile set NAME --journal-url URL.");
  const [{ openJournal }, { hasJournal, journalFileName }] = await Promise.all([import("../../journal/journal.ts"), import("../../journal/journal-file.ts")]);
  const dataFolder = flags.from ?? context.paths.data;
  if (!existsSync(dataFolder) || !hasJournal(dataFolder)) {
    if (flags.from === undefined) return linesOutcome({ imported: 0, known: 0 }, ["This machine has no attempts of its own yet: nothing to import."]);
    throw usageError(`There is no ${journalFileName} in ${join(dataFolder)}.`, "Name the folder that has it: --from DIR");
  }
  const file = await openJournal({ dataFolder, clock: context.clock });
  const ends: boolean[] = [];
  try {
    // The oldest first, so that the order of opening stays.
    const attempts = (await file.list({})).toReversed();
    const damaged = attempts.find((attempt) => attempt.damaged === true);
    if (damaged !== undefined) {
      const close = `payments-cli journal resume ${damaged.id} --mark accepted (or refused)`;
      throw usageError(`Attempt ${damaged.id} of that journal is damaged: close it first.`, close);
    }
    for (let at = 0; at < attempts.length; at += importedTogether) {
      ends.push(...(await Promise.all(attempts.slice(at, at + importedTogether).map(importAttempt))));
    }
    const open = (await file.approvals.list()).filter(({ state }) => state === "open").length;
    const again = open === 1 ? "it: propose it again" : "them: propose them again";
    if (open > 0) context.note(`${countOf(open, "open proposal stays", "open proposals stay")} on this machine, as nobody can vouch for who made ${again}.`);
  } finally {
    file.dispose();
  }
  const imported = ends.filter(Boolean).length;
  const known = ends.length - imported;
  return linesOutcome({ imported, known }, [`${countOf(imported, "attempt")} imported, ${known} known already.`]);
};

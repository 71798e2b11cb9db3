import { CliError, type ErrorDetails, usageError } from "../../errors.ts";
import type { Journal } from "../../journal/port.ts";
import { countOf, groupedAmount, groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import type { Context } from "../../ports.ts";
import { clockLagMs } from "../../service/retry.ts";
import { hasEndedUnpaid, isPaid } from "../../transactions/status.ts";
import { type BatchRow, settleOthers, totalOf } from "./batch-plan.ts";
import { findNewestRun, findOthers, isLeft, type KnownRow, type Run, runIdOf } from "./find-run.ts";
import { type KnownRows, lookUpRows, lookUpTwice } from "./look-up.ts";

export type RunChoice = "plain" | "resume" | "retry-failed" | "new-run";
export type PlanInput = {
  readonly rows: readonly BatchRow[];
  readonly fileId: string;
  readonly choice: RunChoice;
  readonly allowDuplicate: boolean;
  readonly concurrency: number;
  /** Whether the result file of this very run lacks rows: a run that was killed is not finished before they are there. */
  readonly isResultShort: (plan: RunPlan) => boolean;
  /** The command as typed, with another of the three ways to go on. */
  readonly command: (choice: "resume" | "retry-failed") => readonly string[];
};
export type RunPlan = {
  readonly batchId: string;
  /** What is known of rows before this run; for a new run, nothing. */
  readonly known: KnownRows;
  /** Rows that this run sends, or settles where they were sent already. */
  readonly pays: ReadonlySet<number>;
  /** An earlier run goes on. */
  readonly goesOn: boolean;
  readonly allowDuplicate: boolean;
  /** Earlier runs of the file, which this one pays once more. */
  readonly replaced: ReadonlySet<string>;
  /** Rows that were sent before and are paid once more, as a duplicate is allowed: with their earlier payment. */
  readonly sentBefore: KnownRows;
  /** Rows of this file, or of the run that is paid once more, as the journal has them. */
  readonly before: KnownRows;
  /** Every transaction that the journal knows of them. */
  readonly transactionIds: ReadonlySet<string>;
};
export type Planning = Pick<Context, "client" | "clock" | "signal" | "journal" | "paths" | "account">;

const dayMs = 24 * 60 * 60 * 1000;
/** How long the counts of a finished run may be looked up, ms. */
const countPatienceMs = 10_000;

/**
 * Decides which rows a run pays (rules.md, Running a batch again). Throws CliError duplicate, with the counts of the earlier run,
 * where a person has to choose how to go on.
 */
export const planRun = async (input: PlanInput, context: Planning): Promise<RunPlan> => {
  const journal = await context.journal();
  const newest = await findNewestRun(input.fileId, input.rows.length, journal);
  if (input.choice === "new-run") return await planNewRun(input, newest, context, journal);
  if (input.choice === "retry-failed") return await planRetry(input, newest, context);
  const plan = await planOn(input, newest, context, journal);
  if (input.choice === "resume") return plan;
  if (plan.pays.size === 0 && !input.isResultShort(plan)) throw await finished(input, plan, newest, context);
  if (newest !== undefined && plan.pays.size > 0) await requireYoung(input, plan, newest, context);
  return plan;
};

const earlierRuns = (fileId: string, number: number): ReadonlySet<string> => new Set(Array.from({ length: number }, (_, at) => runIdOf(fileId, at + 1)));
const idsOf = (rows: KnownRows): readonly string[] => [...rows.values()].flatMap(({ transactionId }) => transactionId ?? []);

/** The first run of a file, or its newest one from where it stopped. */
const planOn = async (input: PlanInput, newest: Run | undefined, context: Planning, journal: Journal): Promise<RunPlan> => {
  const { baseUrl } = await context.account();
  const own = newest?.rows ?? new Map<number, KnownRow>();
  const isOpenToOthers = (known: KnownRow | undefined): boolean => known?.state !== "accepted" && known?.state !== "unknown";
  const unsettled = input.rows.filter(({ row }) => isOpenToOthers(own.get(row)));
  const except = earlierRuns(input.fileId, newest?.number ?? 0);
  const find = (): Promise<KnownRows> => findOthers(unsettled, { baseUrl, except }, journal);
  let others = await find();
  if (others.size > 0 && !input.allowDuplicate) {
    // They stand in the way unless they are seen to have ended unpaid.
    await lookUpTwice(others, { ...input, patienceMs: countPatienceMs }, context);
    others = await find();
  }
  const known = new Map(input.allowDuplicate ? own : [...own, ...others]);
  const mayBeSent = ({ row }: BatchRow): boolean => isLeft(own.get(row)) && (input.allowDuplicate || !others.has(row));
  return {
    batchId: newest?.batchId ?? input.fileId,
    known,
    pays: new Set(input.rows.filter(mayBeSent).map(({ row }) => row)),
    goesOn: newest !== undefined,
    allowDuplicate: input.allowDuplicate,
    replaced: earlierRuns(input.fileId, (newest?.number ?? 1) - 1),
    sentBefore: input.allowDuplicate ? others : new Map(),
    before: new Map([...own, ...others]),
    transactionIds: new Set([...(newest?.transactionIds ?? []), ...idsOf(others)]),
  };
};

const planRetry = async (input: PlanInput, newest: Run | undefined, context: Planning): Promise<RunPlan> => {
  if (newest === undefined) throw usageError("This file was never paid from here, so none of its rows failed; nothing was sent.", "Leave --retry-failed out.");
  const known = await lookUpTwice(newest.rows, input, context);
  const failed = [...known.values()].filter((row) => row.state === "refused" || hasFailed(row)).map(({ row }) => row);
  return {
    batchId: newest.batchId,
    known,
    pays: new Set(failed),
    goesOn: true,
    allowDuplicate: input.allowDuplicate,
    replaced: earlierRuns(input.fileId, newest.number - 1),
    sentBefore: new Map(),
    before: newest.rows,
    transactionIds: newest.transactionIds,
  };
};

const planNewRun = async (input: PlanInput, newest: Run | undefined, context: Planning, journal: Journal): Promise<RunPlan> => {
  const { baseUrl } = await context.account();
  const others = await findOthers(input.rows, { baseUrl, except: new Set() }, journal);
  if (!input.allowDuplicate && (newest !== undefined || others.size > 0)) {
    const before = newest?.rows ?? others;
    const total = `${countOf(input.rows.length, "row")}, KES ${groupedAmount(formatMinor(totalOf(input.rows)), "KES")}`;
    throw await runError(`Rows of this file were sent before, the last on ${lastTime(before)}`, { ...input, known: before }, context, () => ({
      hint: `--retry-failed sends again only what was refused or ended unpaid. --new-run pays all of it once more (${total}), and needs --allow-duplicate too`,
    }));
  }
  return {
    batchId: runIdOf(input.fileId, (newest?.number ?? 0) + 1),
    known: new Map(),
    pays: new Set(input.rows.map(({ row }) => row)),
    goesOn: false,
    allowDuplicate: input.allowDuplicate,
    replaced: earlierRuns(input.fileId, newest?.number ?? 0),
    sentBefore: others,
    before: newest?.rows ?? others,
    transactionIds: new Set([...(newest?.transactionIds ?? []), ...idsOf(others)]),
  };
};

const hasFailed = ({ state, status }: KnownRow): boolean => state === "accepted" && hasEndedUnpaid(status, "out");

const ends = ["paid", "ended unpaid", "refused", "open", "not sent"] as const;
const endOf = (row: KnownRow | undefined): (typeof ends)[number] => {
  if (row === undefined || row.state === "notSent") return "not sent";
  if (row.state === "refused") return "refused";
  if (hasFailed(row)) return "ended unpaid";
  return row.state === "accepted" && isPaid(row.status) ? "paid" : "open";
};

/** The refusal of a run, with how its rows ended by what the service says now: `2 paid, 1 ended unpaid, 0 refused, 0 open`. */
const runError = async (
  what: string,
  { rows, concurrency, known }: Pick<PlanInput, "rows" | "concurrency"> & { readonly known: KnownRows },
  context: Planning,
  remedy: (failed: number) => ErrorDetails,
): Promise<CliError> => {
  const { rows: now, isWhole } = await lookUpRows(known, { concurrency, patienceMs: countPatienceMs }, context);
  const counts = new Map(ends.map((end) => [end, 0]));
  for (const { row } of rows) {
    const end = endOf(now.get(row));
    counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  const words = [...counts].flatMap(([end, count]) => (end === "not sent" && count === 0 ? [] : [`${groupedCount(count)} ${end}`]));
  if (!isWhole) words.push("as last seen: the service could not be asked about all of them");
  const failed = (counts.get("refused") ?? 0) + (counts.get("ended unpaid") ?? 0);
  return new CliError("duplicate", `${what}. Of ${countOf(rows.length, "row")}: ${words.join(", ")}. Nothing was sent.`, remedy(failed));
};

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
const lastTime = (rows: KnownRows): string => timeOf([...rows.values()].reduce((last, { atMs }) => Math.max(last, atMs), 0));

const finished = async (input: PlanInput, plan: RunPlan, newest: Run | undefined, context: Planning): Promise<CliError> => {
  const what =
    newest === undefined
      ? `Nothing of this file is left to pay: other runs have sent each payee and reference, the last on ${lastTime(plan.known)}`
      : `This batch is finished, its last row was on ${timeOf(newest.lastAtMs)}`;
  return await runError(what, { ...input, known: plan.known }, context, (failed) => {
    if ([...plan.known.values()].some(({ isOthers }) => isOthers)) return settleOthers;
    const again = newest !== undefined && failed > 0;
    return {
      hint: `${again ? "--resume shows each row; " : ""}--new-run with --allow-duplicate would pay all rows once more. ${again ? "To send again only what was refused or ended unpaid" : "To see each row, paying nothing"}`,
      command: input.command(again ? "retry-failed" : "resume"),
    };
  });
};

/** Within a day of its last row an unfinished run goes on by itself; later, or where the age is not known, a person says so. */
const requireYoung = async (input: PlanInput, plan: RunPlan, newest: Run, context: Planning): Promise<void> => {
  const journal = await context.journal();
  const [nowMs, newestTime] = [await journal.nowMs(), await journal.newestTime()];
  const isBehind = newestTime !== undefined && nowMs + clockLagMs < Date.parse(newestTime);
  if (!isBehind && nowMs - newest.lastAtMs <= dayMs) return;
  const why = isBehind ? "this machine's clock is behind the journal's, so its age is not known" : "more than 24 hours ago";
  const what = `A run of this file stopped on ${timeOf(newest.lastAtMs)}, ${why}`;
  throw await runError(what, { ...input, known: plan.known }, context, () => ({
    hint: "--retry-failed sends again only what was refused or ended unpaid; --new-run with --allow-duplicate pays all rows once more. To continue where it stopped",
    command: input.command("resume"),
  }));
};

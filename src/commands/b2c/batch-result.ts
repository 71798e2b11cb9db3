import { type BigIntStats, closeSync, constants, openSync, writeFileSync } from "node:fs";
import { copyFile, lstat, open, readFile, realpath, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { CliError, errorCode, usageError } from "../../errors.ts";
import type { Journal } from "../../journal/port.ts";
import { csvCell } from "../../output/csv.ts";
import type { BatchRow, RowResult } from "../../payments/batch/batch-plan.ts";
import type { Random } from "../../ports.ts";
import { renameOver } from "../../storage/safe-file.ts";
import { createRowReader } from "../../tables/delimited.ts";

/** What lies at the place of the result before this run. */
export type EarlierResult = {
  /** The whole lines by row, each as its first cells: row, state, transactionId, status, quote, reason. */
  readonly lines: ReadonlyMap<number, readonly string[]>;
  readonly exists: boolean;
  /** Why the result cannot be written there, whatever this run knows. */
  readonly problem?: CliError;
};

const ownCells = ["row", "state", "transactionId", "status", "quote", "reason"];
const states: readonly string[] = ["accepted", "refused", "unknown", "notSent"];
const nothing = { lines: new Map<number, readonly string[]>(), exists: false };

/** Reads what an earlier run left at `path`. A last line that was cut off counts for nothing. */
export const readEarlierResult = async (path: string, inputPath: string): Promise<EarlierResult> => {
  try {
    const found = await lstat(path, { bigint: true }).catch(absent);
    if (found === undefined) return nothing;
    if (!found.isFile()) return { ...nothing, problem: unwritable(path, ": it is not a plain file") };
    const input = await stat(inputPath, { bigint: true }).catch(absent);
    if (input !== undefined && isSame(input, found)) return { ...nothing, problem: unwritable(path, ": it is the file that is read") };
    return { lines: await readLines(path), exists: true };
  } catch (cause) {
    return { ...nothing, problem: unwritable(path, cause instanceof CliError ? ": there is a file that is not the result of a batch" : whyOf(cause)) };
  }
};

/** One name for a file, however its path was written: two runs must not write to it at once. */
export const nameOfResult = async (path: string): Promise<string> => {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
  return `result ${hostname()} ${join(folder, basename(path))}`;
};

const absent = (cause: unknown): undefined => {
  if (errorCode(cause) === "ENOENT" || errorCode(cause) === "ENOTDIR") return undefined;
  throw cause;
};
const isSame = (one: BigIntStats, other: BigIntStats): boolean => one.dev === other.dev && one.ino === other.ino;
const whyOf = (cause: unknown): string => {
  const code = errorCode(cause);
  return code === undefined ? `: ${cause instanceof Error ? cause.message : String(cause)}` : ` (${code})`;
};
const unwritable = (path: string, why: string): CliError =>
  usageError(`The result cannot be written to ${path}${why}, so nothing was sent.`, "Name another file: --result FILE");

const readLines = async (path: string): Promise<ReadonlyMap<number, readonly string[]>> => {
  const lines = new Map<number, readonly string[]>();
  const foreign = usageError("It does not begin like a result.");
  const text = await readFile(path, { encoding: "utf8", flag: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) });
  if (text !== "" && !text.startsWith(ownCells.join().slice(0, text.length))) throw foreign;
  let isHeader = true;
  const reader = createRowReader(",", ({ cells }) => {
    const own = cells.slice(0, ownCells.length);
    if (!isHeader && !(/^\d+$/.test(own[0] ?? "") && states.includes(own[1] ?? ""))) throw foreign;
    if (!isHeader) lines.set(Number(own[0]), own);
    isHeader = false;
  });
  reader.push(text);
  return lines;
};

/** What a run knows of the rows from before: those with an attempt, and every transaction. */
export type Knowledge = { readonly attempted: ReadonlySet<number>; readonly transactionIds: ReadonlySet<string> };

/** True where this run knows all that the earlier result says. */
export const knowsAll = ({ lines }: EarlierResult, { attempted, transactionIds }: Knowledge): boolean => {
  const ids = new Set(Array.from(transactionIds, asRead));
  return [...lines].every(([row, [, state, transactionId = ""]]) =>
    transactionId === "" ? state === "notSent" || attempted.has(row) : ids.has(transactionId),
  );
};
/** A text as it comes back from a cell that was written. */
const asRead = (text: string): string => csvCell(text).replace(/^"([\s\S]*)"$/, (_, inner: string) => inner.replaceAll('""', '"'));

/** True where the journal has every attempt that the earlier result names, whatever batch they belong to. */
export const isInJournal = async ({ lines }: EarlierResult, journal: Pick<Journal, "list" | "find">): Promise<boolean> => {
  for (const [, state, transactionId = "", , , reason = ""] of lines.values()) {
    const attemptId = /\(journal (\S+?)[,)]/.exec(reason)?.[1];
    const isKnown =
      transactionId === ""
        ? state === "notSent" || (attemptId !== undefined && (await journal.find(attemptId)) !== undefined)
        : (await journal.list({ transactionId, limit: 1 })).length > 0;
    if (!isKnown) return false;
  }
  return true;
};

/** Copies the result of another run to the first free name, `pay.csv.result.1.csv`, and returns that name. Throws CliError usage. */
export const keepEarlierResult = async (path: string): Promise<string> => {
  for (let number = 1; ; number++) {
    const kept = path.replace(/(\.csv)?$/, `.${number}$1`);
    try {
      await copyFile(path, kept, constants.COPYFILE_EXCL);
      return kept;
    } catch (cause) {
      if (errorCode(cause) !== "EEXIST") throw unwritable(path, `: the result that is there cannot be copied to ${kept}${whyOf(cause)}`);
    }
  }
};

type Making = {
  readonly path: string;
  readonly headings: readonly string[];
  readonly rows: readonly BatchRow[];
  readonly earlier: EarlierResult;
  readonly random: Pick<Random, "uuid">;
};

/**
 * The result beside the input, 0600: what is known at first, then a line a row as it happens, at the end all rows in their order.
 * It is put in place as a whole, at the beginning and at the end: no moment loses what was there. Throws CliError usage where it
 * can't be made: nothing was sent.
 */
export const openResultFile = async (making: Making, known: Iterable<RowResult>) => {
  const { path, rows, earlier } = making;
  const lineOf = (result: RowResult): string => line([...cellsOf(result, earlier), ...(rows[result.row - 1]?.cells ?? [])]);
  const replace = async (results: Iterable<RowResult>): Promise<void> => {
    await putInPlace(making, [line([...ownCells, ...making.headings.map((heading) => heading.trim())]), ...Array.from(results, lineOf)]);
  };
  let descriptor: number | undefined;
  let place: BigIntStats;
  try {
    await replace(known);
    descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
    place = await lstat(path, { bigint: true });
  } catch (cause) {
    throw unwritable(path, whyOf(cause));
  }
  let failure: CliError | undefined;
  const fail = (cause: unknown): void => {
    failure ??= new CliError("usage", `The result cannot be written to ${path}${whyOf(cause)}.`, { cause, sent: "unknown" });
  };
  return {
    /**
     * Never throws: rows are paid by then, and `failure` says that their lines are not there. The line is the system's when this returns,
     * which takes some microseconds, and many times that by way of another thread.
     */
    write: (result: RowResult): void => {
      if (failure !== undefined || descriptor === undefined) return;
      try {
        writeFileSync(descriptor, lineOf(result));
      } catch (cause) {
        fail(cause);
      }
    },
    /** Why the file is not whole, a full disk most of all. */
    failure: (): CliError | undefined => failure,
    /** Ends with one line a row, in the order of the input. Never throws. */
    finish: async (results: readonly RowResult[]): Promise<void> => {
      try {
        if (descriptor !== undefined) closeSync(descriptor);
      } catch (cause) {
        fail(cause);
      }
      descriptor = undefined;
      try {
        if (!isSame(await lstat(path, { bigint: true }), place)) throw new Error("another program has replaced it");
        await replace(results);
        failure = undefined;
      } catch (cause) {
        fail(cause);
      }
    },
  };
};

/** What an earlier line says more of the same payment, its fee and why it ended, stays. */
const cellsOf = ({ row, state, transactionId = "", status = "", quote = "", reason = "" }: RowResult, { lines }: EarlierResult): readonly string[] => {
  const cells = [String(row), state, transactionId, status, quote, reason];
  const before = lines.get(row);
  if (before === undefined || transactionId === "" || before[1] !== state || before[2] !== transactionId || before[3] !== status) return cells;
  return cells.map((cell, at) => (cell === "" ? (before[at] ?? "") : cell));
};

const putInPlace = async ({ path, random }: Making, lines: readonly string[]): Promise<void> => {
  const staged = `${path}.${random.uuid().slice(0, 8)}.tmp`;
  try {
    const handle = await open(staged, "wx", 0o600);
    try {
      await handle.writeFile(lines.join(""));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameOver(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
};

const line = (cells: readonly string[]): string => `${cells.map((cell) => csvCell(cell)).join(",")}\n`;

import { join } from "node:path";
import { CliError } from "../errors.ts";
import { type Database, databaseFault, inTransaction, isRow, openWithTables } from "../storage/sqlite.ts";
import { receiptKey } from "./receipts.ts";
import { emptyRecord, type FileRecord } from "./record.ts";

/** `<data>/reconciled.db`: what earlier runs paired, and rows here that stayed open. Scopes are kept apart: a base URL, a profile and a kind of file. */
const schema = `
  CREATE TABLE IF NOT EXISTS scopes (scope INTEGER PRIMARY KEY, base TEXT NOT NULL, profile TEXT NOT NULL, kind TEXT NOT NULL, UNIQUE (base, profile, kind)) STRICT;
  CREATE TABLE IF NOT EXISTS paired (scope INTEGER NOT NULL, id TEXT NOT NULL, reference TEXT, day TEXT, PRIMARY KEY (scope, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS carried (scope INTEGER NOT NULL, name TEXT NOT NULL, day TEXT NOT NULL, file TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY (scope, name)) STRICT, WITHOUT ROWID;
`;
const fileName = "reconciled.db";

export type MemoryScope = { readonly baseUrl: string; readonly profile: string; readonly kind: string };
/** The day of the row here that a row there was paired with, or the file's name if that row had no date. Files of earlier versions may have neither. */
export type PairedWith = { readonly day: string } | { readonly file: string | undefined };
/** A row there that was paired. */
export type Remembered = { readonly id: string; readonly reference: string | undefined; readonly with: PairedWith };
/** A row here that stayed open, the file it stood in, and its day or that of the run. */
export type CarriedRow = { readonly record: FileRecord; readonly file: string; readonly day: string };

/** More rows than anybody follows up; the newest are kept. */
export const carriedMax = 10_000;

/** What a carried row is known by: its receipt, else its reference with its day, as the same rent is due every month. */
export const carriedName = ({ receipt, reference, at = "" }: FileRecord): string | undefined => {
  const key = receiptKey(receipt);
  if (key !== undefined) return `receipt ${key}`;
  return reference === undefined ? undefined : `reference ${reference} ${at.slice(0, 10)}`;
};

/** Opens the memory of one scope, made if absent. Throws CliError usage where the file cannot be used. */
export const openMemory = async (dataFolder: string, scope: MemoryScope): Promise<Memory> => {
  const path = join(dataFolder, fileName);
  const database = await openWithTables(path, schema, (cause) => brokenMemory(path, cause));
  try {
    return createMemory(database, scope);
  } catch (error) {
    database.close();
    throw error;
  }
};

const brokenMemory = (path: string, cause: unknown): CliError => {
  if (cause instanceof CliError) return cause;
  const { reason, hint } = databaseFault(path, cause, "move that file away: what earlier runs paired is then forgotten");
  return new CliError("usage", `What was paired is not remembered: ${path} cannot be used (${reason}).`, { cause, hint });
};

const createMemory = (database: Database, { baseUrl, profile, kind }: MemoryScope) => {
  const scope = scopeOf(database, [baseUrl, profile, kind]);
  const selectPaired = database.prepare("SELECT reference, day FROM paired WHERE scope = ? AND id = ?");
  // One transaction for all reads: a million that each take the file's lock cost more than the comparison.
  database.exec("BEGIN");
  const isEmpty = database.prepare("SELECT 1 FROM paired WHERE scope = ? LIMIT 1").get(scope) === undefined;
  return {
    /** Starts anew for this base URL and profile, whatever kind of file was compared. */
    forget: (): void => {
      const scopes = "(SELECT scope FROM scopes WHERE base = ? AND profile = ?)";
      database.exec("COMMIT");
      for (const table of ["paired", "carried"]) database.prepare(`DELETE FROM ${table} WHERE scope IN ${scopes}`).run(baseUrl, profile);
      database.exec("BEGIN");
    },
    /** What an earlier run paired this transaction with. One of another reference is another transaction: the service began anew. */
    pairedBefore: ({ id, reference }: Pick<FileRecord, "id" | "reference">): Remembered | undefined => {
      const row = isEmpty || id === undefined ? undefined : selectPaired.get(scope, id);
      if (id === undefined || !isRow(row) || (row["reference"] ?? undefined) !== reference) return undefined;
      return { id, reference, with: toPairedWith(row["day"]) };
    },
    carried: (): readonly CarriedRow[] =>
      database
        .prepare("SELECT day, file, row FROM carried WHERE scope = ? ORDER BY day, name")
        .all(scope)
        .flatMap((row) => toCarried(row)),
    /** Saves the end of a run, all of it or nothing. `gone`: names of carried rows that are open no more. */
    save: (run: { readonly paired: Iterable<Remembered>; readonly open: Iterable<CarriedRow>; readonly gone: Iterable<string> }): void => {
      const pair = database.prepare(
        "INSERT INTO paired VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET reference = excluded.reference, day = excluded.day WHERE day IS NOT excluded.day OR reference IS NOT excluded.reference",
      );
      const drop = database.prepare("DELETE FROM carried WHERE scope = ? AND name = ?");
      const carry = database.prepare("INSERT OR REPLACE INTO carried VALUES (?, ?, ?, ?, ?)");
      const saveAll = (): void => {
        for (const { id, reference, with: place } of run.paired)
          pair.run(scope, id, reference ?? null, "day" in place ? place.day : `${fileMark}${place.file}`);
        for (const name of run.gone) drop.run(scope, name);
        for (const { record, file, day } of run.open) {
          const name = carriedName(record);
          if (name !== undefined) carry.run(scope, name, day, file, rowOf(record));
        }
        database
          .prepare("DELETE FROM carried WHERE scope = ?1 AND name IN (SELECT name FROM carried WHERE scope = ?1 ORDER BY day DESC, name LIMIT -1 OFFSET ?2)")
          .run(scope, carriedMax);
      };
      database.exec("COMMIT");
      inTransaction(database, saveAll);
    },
    dispose: (): void => database.close(),
  };
};
export type Memory = ReturnType<typeof createMemory>;

/** Where a day would stand in the column `day`. */
const fileMark = "file ";
const toPairedWith = (day: unknown): PairedWith => {
  if (typeof day !== "string") return { file: undefined };
  return day.startsWith(fileMark) ? { file: day.slice(fileMark.length) } : { day };
};

const scopeOf = (database: Database, names: readonly [string, string, string]): number => {
  database.prepare("INSERT OR IGNORE INTO scopes (base, profile, kind) VALUES (?, ?, ?)").run(...names);
  const row = database.prepare("SELECT scope FROM scopes WHERE base = ? AND profile = ? AND kind = ?").get(...names);
  return isRow(row) ? Number(row["scope"]) : 0;
};

type StoredRow = Omit<FileRecord, "amountMinor" | "whole" | "joined"> & { readonly amount: string };
const rowOf = ({ whole: _whole, joined: _joined, amountMinor, ...rest }: FileRecord): string =>
  JSON.stringify({ ...rest, amount: amountMinor.toString() } satisfies StoredRow);

const toCarried = (row: unknown): readonly CarriedRow[] => {
  if (!isRow(row)) return [];
  const { amount, ...rest }: StoredRow = JSON.parse(String(row["row"]));
  const day = String(row["day"]);
  return [{ record: { ...emptyRecord, ...rest, amountMinor: BigInt(amount), carried: day }, file: String(row["file"]), day }];
};

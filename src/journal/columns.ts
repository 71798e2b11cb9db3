import { isRow, type Row, type SqlValue } from "../storage/sqlite.ts";

/**
 * How a member is kept: a text, one that may be absent or null, a whole number, yes or no, the tries of an attempt, or one of some
 * words (any other one is read as the last of them).
 */
type Kind = "text" | "text?" | "text|null" | "integer" | "integer?" | "flag" | "tries" | readonly string[];
/** The members of what a table keeps. A column is named like its member, in small letters with `_`. */
export type Columns = Readonly<Record<string, Kind>>;

type StoredTry = { readonly at: string; readonly httpStatus?: number; readonly error?: string };
type Values = {
  readonly text: string;
  readonly "text?": string;
  readonly "text|null": string | null;
  readonly integer: number;
  readonly "integer?": number;
  readonly flag: boolean;
  readonly tries: readonly StoredTry[];
};
type ValueOf<K> = K extends keyof Values ? Values[K] : K extends readonly (infer Word)[] ? Word : never;
/** What the columns keep, as the program has it. */
export type Kept<C extends Columns> = { readonly [N in keyof C as C[N] extends `${string}?` ? never : N]: ValueOf<C[N]> } & {
  readonly [N in keyof C as C[N] extends `${string}?` ? N : never]?: ValueOf<C[N]>;
};

export const toColumn = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const columnNames = (columns: Columns): readonly string[] => Object.keys(columns).map(toColumn);

/** The columns as CREATE TABLE names them. `checks`: the table itself refuses other words. */
export const columnsSql = (columns: Columns, { checks }: { readonly checks: boolean }): string =>
  Object.entries(columns)
    .map(([member, kind]) => {
      const name = toColumn(member);
      const type = kind === "flag" || kind === "integer" || kind === "integer?" ? "integer" : "text";
      const isOptional = kind === "text?" || kind === "text|null" || kind === "integer?";
      const check = checks && typeof kind === "object" ? ` CHECK (${name} IN (${kind.map((word) => `'${word}'`).join(", ")}))` : "";
      return `${name} ${type}${isOptional ? "" : " NOT NULL"}${check}`;
    })
    .join(",\n  ");

/** SQLite keeps text as UTF-8, which has no halves of surrogate pairs. */
const toSqlValue = (value: unknown): SqlValue => {
  if (typeof value === "string") return value.replace(/\p{Surrogate}/gu, "\uFFFD");
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  return value === undefined || value === null ? null : JSON.stringify(value);
};

/** A value by the names of its columns. */
export const toRow = (columns: Columns, value: Readonly<Record<string, unknown>>): Readonly<Record<string, SqlValue>> =>
  Object.fromEntries(Object.keys(columns).map((member) => [toColumn(member), toSqlValue(value[member])]));

const isStoredTry = (value: unknown): value is StoredTry => isRow(value) && typeof value["at"] === "string";
const toTries = (json: string): readonly StoredTry[] => {
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.filter(isStoredTry) : [];
  } catch {
    // Only of a damaged row, and that is shown.
    return [];
  }
};

const toValue = (kind: Kind, stored: unknown): unknown => {
  const text = typeof stored === "string" ? stored : undefined;
  if (typeof kind === "object") return kind.find((word) => word === text) ?? kind.at(-1);
  if (kind === "text") return text ?? "";
  if (kind === "text?") return text;
  if (kind === "text|null") return text ?? null;
  if (kind === "tries") return toTries(text ?? "");
  if (kind === "flag") return Number(stored) >= 1;
  return stored === null || stored === undefined ? undefined : Number(stored);
};

/** What a row keeps. A text that is not there is empty: only a damaged row has one. */
export const fromRow = <const C extends Columns>(columns: C, row: Row): Kept<C> =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([member, kind]) => {
      const value = toValue(kind, row[toColumn(member)]);
      return value === undefined ? [] : [[member, value]];
    }),
  ) as Kept<C>;

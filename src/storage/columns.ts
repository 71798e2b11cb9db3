import type { Row, SqlValue } from "./sqlite.ts";

/**
 * How a member is kept: a text, one that may be absent or null, a whole number, yes or no, one of some words (any other one is read as
 * the last of them), or as JSON that the function reads.
 */
export type Kind = "text" | "text?" | "text|null" | "integer" | "integer?" | "flag" | readonly string[] | ((json: string) => unknown);

type Values = {
  readonly text: string;
  readonly "text?": string;
  readonly "text|null": string | null;
  readonly integer: number;
  readonly "integer?": number;
  readonly flag: boolean;
};
type ValueOf<K> = K extends keyof Values ? Values[K] : K extends readonly (infer Word)[] ? Word : K extends (json: string) => infer Read ? Read : never;
type Kept<C> = { readonly [N in keyof C as C[N] extends `${string}?` ? never : N]: ValueOf<C[N]> } & {
  readonly [N in keyof C as C[N] extends `${string}?` ? N : never]?: ValueOf<C[N]>;
};

const columnSql = (name: string, kind: Kind): string => {
  const type = kind === "flag" || kind === "integer" || kind === "integer?" ? "integer" : "text";
  const isOptional = kind === "text?" || kind === "text|null" || kind === "integer?";
  return `${name} ${type}${isOptional ? "" : " NOT NULL"}`;
};

/** SQLite keeps text as UTF-8, which has no halves of surrogate pairs, and reads it to its first NUL. PostgreSQL refuses both. */
const toSqlValue = (value: unknown): SqlValue => {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\uFFFD");
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  return value === undefined || value === null ? null : JSON.stringify(value);
};

const toText = (stored: unknown): string | undefined => (typeof stored === "string" ? stored : undefined);
const readers: { readonly [K in keyof Values]: (stored: unknown) => unknown } = {
  text: (stored) => toText(stored) ?? "",
  "text?": toText,
  "text|null": (stored) => toText(stored) ?? null,
  integer: (stored) => (stored === null || stored === undefined ? undefined : Number(stored)),
  "integer?": (stored) => (stored === null || stored === undefined ? undefined : Number(stored)),
  flag: (stored) => Number(stored) >= 1,
};
const readerOf = (kind: Kind): ((stored: unknown) => unknown) => {
  if (typeof kind === "string") return readers[kind];
  if (typeof kind === "function") return (stored) => kind(toText(stored) ?? "");
  return (stored) => kind.find((word) => word === stored) ?? kind.at(-1);
};

export const toColumn = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns of a table by the members that they keep. A column is named like its member. */
export const describeColumns = <const C extends Readonly<Record<string, Kind>>>(members: C) => {
  const columns = Object.entries(members).map(([member, kind]) => ({ member, kind, name: toColumn(member), read: readerOf(kind) }));
  return {
    names: columns.map(({ name }) => name),
    /** As CREATE TABLE names them. */
    sql: columns.map(({ name, kind }) => columnSql(name, kind)).join(",\n  "),
    /** A value by the names of its columns. */
    toRow: (value: Readonly<Record<string, unknown>>): Readonly<Record<string, SqlValue>> =>
      Object.fromEntries(columns.map(({ member, name }) => [name, toSqlValue(value[member])])),
    /** What a row keeps. A text that is not there is empty: only a damaged row lacks one. */
    fromRow: (row: Row): Kept<C> => {
      const kept: Record<string, unknown> = {};
      for (const { member, name, read } of columns) {
        const value = read(row[name]);
        if (value !== undefined) kept[member] = value;
      }
      return kept as Kept<C>;
    },
  };
};

import type { CommandSpec, Entry, Flag, Flags, Run } from "../../command.ts";
import { fieldOf, type Json, type JsonObject, textOf } from "../../json/exact-json.ts";
import type { commandsSpec } from "./spec.ts";

/** As it would be typed: a time is kept in milliseconds and given in seconds. */
const asTyped = (value: unknown, { placeholder }: Flag): string | number | undefined => {
  if (typeof value === "number") return placeholder === "SECONDS" ? value / 1000 : value;
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** What counts without the flag, and what counts if it stands without a value. */
const unsaid = (flag: Flag): JsonObject => {
  const [byDefault, bare] = [flag.type === "boolean" ? false : (flag.usual ?? asTyped(flag.default, flag)), asTyped(flag.bare, flag)];
  return { ...(byDefault === undefined ? {} : { default: byDefault }), ...(bare === undefined ? {} : { bare }) };
};

const flagRows = (flags: Flags): readonly JsonObject[] =>
  Object.entries(flags).map(([name, flag]) => {
    const { type, summary, placeholder, choices, short, hidden } = flag;
    return {
      name,
      type,
      repeats: type === "strings",
      summary,
      ...unsaid(flag),
      ...(placeholder === undefined ? {} : { placeholder }),
      ...(choices === undefined ? {} : { choices }),
      ...(short === undefined ? {} : { short }),
      ...(hidden === undefined ? {} : { hidden }),
    };
  });

const argumentRows = (spec: CommandSpec): readonly JsonObject[] =>
  (spec.arguments ?? []).map(({ name, summary, required, variadic, choices }) => ({
    name,
    summary,
    required: required ?? false,
    variadic: variadic ?? false,
    ...(choices === undefined ? {} : { choices }),
  }));

const toRow = (spec: CommandSpec): JsonObject => ({
  path: spec.path.join(" "),
  summary: spec.summary,
  ...(spec.details === undefined ? {} : { details: spec.details }),
  arguments: argumentRows(spec),
  flags: flagRows(spec.flags),
  examples: spec.examples.map(({ line, says }) => ({ line, says })),
  exitCodes: [...new Set([0, 1, 2, ...spec.exitCodes])].sort((a, b) => a - b),
});

const cellOf = (name: string) => (row: Json) => textOf(fieldOf(row, name)) ?? "";

/** The command tree as data (rules.md, `commands`): from the same specs that parse and explain them. */
export const createRun =
  (registry: readonly Entry[], globalFlags: Flags): Run<typeof commandsSpec> =>
  async () => ({
    rows: registry.map(({ spec }) => toRow(spec)),
    document: (rows) => ({ commands: rows, globalFlags: flagRows(globalFlags) }),
    view: {
      kind: "table",
      columns: [
        { heading: "Command", cell: (row) => ({ text: cellOf("path")(row), tone: "strong" }) },
        { heading: "What it does", cell: cellOf("summary") },
      ],
      empty: "There are no commands.",
    },
  });

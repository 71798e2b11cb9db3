import type { CommandSpec, Entry, Flag, Flags, Run } from "../../command.ts";
import { fieldOf, type Json, type JsonObject, textOf } from "../../json/exact-json.ts";
import type { commandsSpec } from "./spec.ts";

/** As it would be typed: a time is kept in milliseconds and given in seconds. */
const typedDefault = ({ default: value, placeholder }: Flag): JsonObject => {
  if (typeof value === "number") return { default: placeholder === "SECONDS" ? value / 1000 : value };
  return typeof value === "string" ? { default: value } : {};
};

const flagRows = (flags: Flags): readonly JsonObject[] =>
  Object.entries(flags).map(([name, flag]) => {
    const { type, summary, placeholder, choices, short, hidden } = flag;
    return {
      name,
      type,
      repeats: type === "strings",
      summary,
      ...typedDefault(flag),
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

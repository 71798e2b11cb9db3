import type { CommandSpec, Entry, Flag, Flags, Run } from "../../command.ts";
import { type JsonObject, present } from "../../json/exact-json.ts";
import { fieldText, textColumn } from "../../output/outcomes.ts";
import type { commandsSpec } from "./spec.ts";

/** As it would be typed: a time is kept in milliseconds and given in seconds. */
const asTyped = (value: unknown, { placeholder }: Flag): string | number | undefined => {
  if (typeof value === "number") return placeholder === "SECONDS" ? value / 1000 : value;
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** What counts without the flag, and what counts if it stands without a value. */
const unsaid = (flag: Flag): JsonObject => {
  const [byDefault, bare] = [flag.type === "boolean" ? false : (flag.usual ?? asTyped(flag.default, flag)), asTyped(flag.bare, flag)];
  return present({ default: byDefault, bare });
};

const flagRows = (flags: Flags): readonly JsonObject[] =>
  Object.entries(flags).map(([name, flag]) => {
    const { type, summary, placeholder, choices, short } = flag;
    return present({ name, type, repeats: type === "strings", summary, ...unsaid(flag), placeholder, choices, short });
  });

const toRow = ({ path, summary, details, arguments: known = [], flags, examples, exitCodes }: CommandSpec): JsonObject =>
  present({
    path: path.join(" "),
    summary,
    details,
    arguments: known.map(({ name, summary: says, required = false, variadic = false, choices }) =>
      present({ name, summary: says, required, variadic, choices }),
    ),
    flags: flagRows(flags),
    examples: examples.map(({ line, says }) => ({ line, says })),
    exitCodes: [...new Set([0, 1, 2, ...exitCodes])].sort((a, b) => a - b),
  });

/** The command tree as data (rules.md, `commands`): from the same specs that parse and explain them. */
export const createRun =
  (registry: readonly Entry[], globalFlags: Flags): Run<typeof commandsSpec> =>
  async () => ({
    rows: registry.map(({ spec }) => toRow(spec)),
    document: (rows) => ({ commands: rows, globalFlags: flagRows(globalFlags) }),
    view: {
      kind: "table",
      columns: [{ heading: "Command", cell: (row) => ({ text: fieldText("path")(row), tone: "strong" }) }, textColumn("What it does", "summary")],
      empty: "There are no commands.",
    },
  });

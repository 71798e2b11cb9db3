import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { scripts } from "./scripts.ts";

/** `completion SHELL`: the script of one shell. */
export const run: Run = async (input) => {
  const shell = input.args[0] ?? "";
  const raw = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (raw === undefined) throw usageError(`SHELL is one of ${Object.keys(scripts).join(", ")}.`);
  return { rows: [], raw, view: { kind: "table", columns: [], empty: "" } };
};

import type { Run } from "../../command.ts";
import { scripts } from "./scripts.ts";
import type { completionSpec } from "./spec.ts";

/** `completion SHELL`: the script of one shell. */
export const run: Run<typeof completionSpec> = async ({ args }) => {
  return { rows: [], raw: scripts[args.shell], view: { kind: "table", columns: [], empty: "" } };
};

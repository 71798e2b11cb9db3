import { CliError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import type { Outcome } from "../../outcome.ts";
import type { LayoutData } from "../../reconcile/layout-schema.ts";

/** Exit 4. */
export const unknownLayout = (name: string, hint: string): CliError =>
  new CliError("not-found", `There is no layout "${name}".`, { hint, command: ["tx", "layout", "list"] });

/** A layout as it is written in its file. */
export const layoutOutcome = (layout: LayoutData, said?: string): Outcome => {
  // A layout is JSON: its schema allows nothing else.
  const json: Json = JSON.parse(JSON.stringify(layout));
  const lines = [...(said === undefined ? [] : [said]), ...JSON.stringify(layout, undefined, 2).split("\n")];
  return { rows: [json], single: true, view: { kind: "blocks", blocks: () => [{ kind: "text", lines, verbatim: true }] } };
};

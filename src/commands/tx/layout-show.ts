import type { Run } from "../../command.ts";
import { allLayouts } from "../../reconcile/find-layout.ts";
import { openKeptLayouts } from "../../reconcile/kept-layouts.ts";
import { layoutOutcome, unknownLayout } from "./layout-outcome.ts";
import type { txLayoutShowSpec } from "./spec-layout.ts";

export const run: Run<typeof txLayoutShowSpec> = async ({ args }, context) => {
  const layouts = await allLayouts(openKeptLayouts(context.paths.config));
  const layout = layouts.find(({ name }) => name === args.name.toLowerCase());
  if (layout === undefined) throw unknownLayout(args.name, "To see those there are");
  return layoutOutcome(layout);
};

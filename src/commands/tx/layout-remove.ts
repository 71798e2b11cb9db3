import type { Run } from "../../command.ts";
import { openKeptLayouts } from "../../reconcile/kept-layouts.ts";
import { layoutOutcome, unknownLayout } from "./layout-outcome.ts";
import type { txLayoutRemoveSpec } from "./spec-layout.ts";

export const run: Run<typeof txLayoutRemoveSpec> = async ({ args }, context) => {
  const kept = openKeptLayouts(context.paths.config);
  const layout = (await kept.list()).find(({ name }) => name === args.name.toLowerCase());
  if (layout === undefined) throw unknownLayout(args.name, "Only kept layouts can be removed. To see which they are");
  await kept.remove(layout.name);
  return layoutOutcome(layout, "Removed.");
};

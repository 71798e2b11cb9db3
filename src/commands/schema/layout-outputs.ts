import * as z from "zod";
import { layoutSchema } from "../../reconcile/layout-schema.ts";

/** What the commands of `tx layout` print. Loose: keys may be added, those here stay. */
export const layoutOutputs = {
  "tx-layout-list": {
    of: "tx layout list --json",
    schema: z.looseObject({
      layouts: z.array(
        z.looseObject({
          name: z.string().describe("What --layout takes"),
          title: z.string().describe("What it reads"),
          kind: layoutSchema.shape.kind.describe("What a file of it holds"),
          source: z.enum(["kept", "built-in"]).describe("Where it comes from"),
        }),
      ),
    }),
  },
  "tx-layout-show": { of: "tx layout show, save and remove with --json", schema: z.looseObject(layoutSchema.shape) },
} as const;

import { z } from "zod";
import { fieldNames } from "./columns.ts";

/** A pattern without regard to case. It is tried on cells of at most 500 characters. */
const pattern = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => {
    try {
      new RegExp(text, "iu");
      return true;
    } catch {
      return false;
    }
  }, "is not a regular expression");
const patterns = z.array(pattern).max(50);
const words = z.array(z.string().min(1).max(60)).max(100);
const heading = z.union([z.string().min(1).max(120), z.int().min(1).max(1000)]);

/** A layout: how files of one kind are read. */
export const layoutSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/, "must be small letters, digits and hyphens"),
  title: z.string().min(1).max(120),
  kind: z.enum(["statement", "orders"]),
  recognise: z.strictObject({ headings: z.array(words).min(1).max(20), preamble: words.optional() }).optional(),
  columns: z.partialRecord(z.enum(fieldNames), z.array(heading).min(1).max(20)),
  status: z.strictObject({ paid: words.optional(), open: words.optional(), unpaid: words.optional() }).optional(),
  directions: z.strictObject({ in: words.optional(), out: words.optional(), none: words.optional() }).optional(),
  amounts: z.enum(["signed", "in", "out"]).optional(),
  rows: z
    .strictObject({
      charge: patterns.optional(),
      internal: patterns.optional(),
      reversal: patterns.optional(),
      other: patterns.optional(),
    })
    .optional(),
  narrative: z.strictObject({ reference: patterns.optional(), receipt: patterns.optional(), phone: patterns.optional() }).optional(),
  items: z.boolean().optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "is a code of three capitals")
    .optional(),
  zone: z.string().min(1).max(60).optional(),
  dates: z.enum(["dmy", "mdy"]).optional(),
  decimal: z.enum(["point", "comma"]).optional(),
});
/** The data of a layout. Lists of headings are in the order in which they are looked for. */
export type LayoutData = z.infer<typeof layoutSchema>;

import { isUnique } from "./columns.ts";
import type { Layout } from "./layout.ts";
import type { LayoutData } from "./layout-schema.ts";

/** What the user said of the file beside its columns. */
type Told = { readonly currency?: string | undefined; readonly zone?: string | undefined };

/**
 * The layout that reads files like this one: the columns as they were found or told, what the cells prove of marks and days, and
 * what the layout that read it knows of words and rows. It is recognised by the headings of all these columns.
 */
export const toLayoutData = (name: string, layout: Layout, { currency, zone }: Told, layouts: readonly LayoutData[]): LayoutData => {
  const base = layouts.find((each) => each.name === layout.name);
  const columns = Object.fromEntries(
    Object.entries(layout.columns).map(([field, column]) => {
      const heading = (layout.header[column] ?? "").trim();
      return [field, [isUnique(layout.header, column) && heading.length <= 120 ? heading : column + 1]];
    }),
  );
  const headings = Object.values(columns).flatMap(([heading]) => (typeof heading === "string" && heading.length <= 60 ? [[heading]] : []));
  const { name: _, title: __, columns: ___, recognise: ____, ...words } = base ?? { name, title: name, columns: {}, kind: layout.kind };
  return {
    ...words,
    name,
    title: `Kept from ${layout.kind}`,
    kind: layout.kind,
    ...(headings.length < 2 ? {} : { recognise: { headings: headings.slice(0, 20) } }),
    columns,
    ...(layout.status === undefined ? {} : { status: layout.status }),
    ...(layout.directions === undefined ? {} : { directions: layout.directions }),
    ...(currency === undefined ? {} : { currency }),
    ...(zone === undefined ? {} : { zone }),
    ...layout.proved,
  };
};

import { readFile } from "node:fs/promises";
import { CliError, errorCode, usageError } from "../errors.ts";
import { type KeptLayouts, parseLayout } from "./kept-layouts.ts";
import type { LayoutData } from "./layout-schema.ts";

/** Every layout, the merchant's own first: one that has the name of a built-in one takes its place. */
export const allLayouts = async (kept: KeptLayouts): Promise<readonly LayoutData[]> => {
  const [own, { readAssets }] = await Promise.all([kept.list(), import("./layouts.ts")]);
  const builtIn = Object.values(readAssets()).map((text): LayoutData => JSON.parse(text));
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...builtIn.filter(({ name }) => !names.has(name))];
};

/** The layout of that name, or of a JSON file. Throws CliError usage. */
export const findLayout = async (wanted: string, layouts: readonly LayoutData[], flag: string): Promise<LayoutData> => {
  if (!/\.json$|[/\\]/i.test(wanted)) {
    const found = layouts.find(({ name }) => name === wanted.toLowerCase());
    if (found !== undefined) return found;
    throw new CliError("usage", `${flag}: there is no layout "${wanted}".`, { hint: "To list them", command: ["tx", "layout", "list"] });
  }
  let text: string;
  try {
    text = await readFile(wanted, "utf8");
  } catch (cause) {
    throw usageError(`${flag}: ${wanted} cannot be read: ${errorCode(cause) ?? "unknown reason"}.`);
  }
  return await parseLayout(text, wanted);
};

import { basename } from "node:path";
import { retyped } from "../../command.ts";
import type { Context } from "../../ports.ts";
import { layoutOf, type OpenInput } from "../../reconcile/input.ts";
import { openKeptLayouts } from "../../reconcile/kept-layouts.ts";
import { isRefusal } from "../../reconcile/layout.ts";
import { columnWord } from "../../reconcile/resolve-layout.ts";
import type { Refused } from "../../reconcile/settle-sides.ts";
import { toLayoutData } from "../../reconcile/to-layout-data.ts";
import { type ReconcileInput, refusalError } from "./reconcile-inputs.ts";

const rowsShown = 3;
const rowLengthMax = 160;

/** The first rows of a file with its headings, as they are. */
const preview = ({ scanned }: OpenInput, headings: readonly string[]): readonly string[] => {
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell) => cell.trim())
      .join(" | ")
      .slice(0, rowLengthMax);
  const rows = scanned.rows.filter(({ cells }) => cells.filter((cell) => cell.trim() !== "").length > 1 && line(cells) !== line(headings));
  return [line(headings), ...rows.slice(0, rowsShown).map(({ cells }) => line(cells))];
};

/** Fields by their columns, as --columns takes them; without those that no column has. */
const listed = (fields: ReadonlyMap<string, string>): string =>
  [...fields].flatMap(([field, column]) => (column === "" ? [] : [`${field}=${column}`])).join(",");

/**
 * Asks about each field that nothing proves, with the first rows in view and the likeliest column first. Resolves with the same
 * command as it would be typed with the answers. Throws CliError usage for a file that no answer can help to read.
 */
export const askColumns = async (input: ReconcileInput, refused: readonly Refused[], { prompt }: Pick<Context, "prompt">): Promise<ReconcileInput> => {
  if (refused.some(({ refusal }) => refusal.proposal.length === 0)) throw refusalError(input, refused);
  let asked = input;
  for (const { input: file, refusal } of refused) {
    const view = preview(file, refusal.headings);
    const isOurs = file.options.sheetFlag === "--sheet";
    const kind = file.options.as ?? refusal.kind;
    const prefix = isOurs ? "--" : "--against-";
    const wordsFor = (columns: string): readonly string[] => [...(file.options.as === undefined ? [`${prefix}as`, kind] : []), `${prefix}columns`, columns];
    // What follows from the columns is asked once they are known.
    const proposed = refusal.open.length === 0 ? refusal.proposal : refusal.proposal.filter((each) => !/^(?:decimal|dates)=/.test(each));
    const fields = new Map(proposed.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]));
    if (refusal.open.length === 0) {
      const agreed = await prompt.confirm({
        message: [`${file.name}: ${refusal.problem}`, ...view, `Read it with ${refusal.proposal.join(", ")}?`],
        initial: true,
        words: (yes) => (yes ? wordsFor(listed(fields)) : []),
      });
      if (!agreed) throw refusalError(input, refused);
    }
    for (const [index, { field, candidates }] of refusal.open.entries()) {
      const others = refusal.headings.map((_, column) => column).filter((column) => !candidates.includes(column));
      const columns = [...candidates, ...others].map((column) => ({
        value: columnWord(refusal.headings, column),
        name: (refusal.headings[column] ?? "").trim() === "" ? `column ${column + 1}` : `${refusal.headings[column]?.trim()} (column ${column + 1})`,
      }));
      const choices = candidates.length === 0 ? [{ value: "", name: "none of them" }, ...columns] : columns;
      const isLast = index === refusal.open.length - 1;
      // The last answer completes the one flag that they all make.
      const words = (column: string): readonly string[] => (isLast ? wordsFor(listed(new Map(fields).set(field, column))) : []);
      fields.set(field, await prompt.choose({ message: [`Which column of ${file.name} is the ${field}?`, ...view], choices, words }));
    }
    const columns = listed(fields);
    const flags = isOurs ? { ...asked.flags, columns: [columns], as: kind } : { ...asked.flags, againstColumns: [columns], againstAs: kind };
    asked = { ...asked, flags, words: retyped(asked, { add: wordsFor(columns) }) };
  }
  return asked;
};

/** Offers to keep the answers, so that the next file of this kind is read without questions. */
export const offerLayout = async (file: OpenInput, context: Pick<Context, "prompt" | "paths" | "note">): Promise<void> => {
  const layout = await layoutOf(file);
  if (isRefusal(layout)) return;
  const { prompt } = context;
  if (!(await prompt.confirm({ message: `Keep these answers as a layout, so that files like ${file.name} are read without questions?`, initial: true })))
    return;
  const initial = basename(file.name)
    .toLowerCase()
    .replace(/\.[a-z]+$/, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  const check = (text: string): string | undefined =>
    /^[a-z0-9][a-z0-9-]{0,40}$/.test(text.trim()) ? undefined : "A name has small letters, digits and hyphens.";
  const name = (await prompt.text({ message: "Name of the layout", ...(check(initial) === undefined ? { initial } : {}), check })).trim();
  const { options } = file;
  await openKeptLayouts(context.paths.config).save(toLayoutData(name, layout, { ...options, zone: undefined }, options.layouts));
  context.note(`Kept. payments-cli tx layout show ${name} shows it.`);
};

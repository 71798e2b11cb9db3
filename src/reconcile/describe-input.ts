import type { Json, JsonObject } from "../json/exact-json.ts";
import { countOf, groupedMinor } from "../money/grouped.ts";
import { formatMinor } from "../money/money.ts";
import type { Columns } from "./columns.ts";
import type { Control, ControlFault } from "./control.ts";
import { sampleMax } from "./draft.ts";
import type { FileSide } from "./input.ts";
import { countOpposites } from "./order-rows.ts";

const columnNames = (columns: Columns, header: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(columns).map(([field, index]) => [field, (header[index] ?? "").trim() || `column ${index + 1}`]));

/** One of `inputs` of the JSON document. */
export const inputOf = (side: FileSide): JsonObject => {
  const { name, table, layout, records, notRecords, period, control, faults, unrecognised } = side;
  return {
    file: name,
    kind: layout.kind,
    layout: layout.name ?? null,
    columns: columnNames(layout.columns, layout.header),
    rows: records.length,
    period: period === undefined ? null : { from: period.from, to: period.to },
    notes: notesOf(side),
    unrecognised: Object.fromEntries(unrecognised),
    format: table.kind,
    encoding: table.encoding,
    bom: table.bom,
    ...(table.delimiter === undefined ? {} : { delimiter: table.delimiter }),
    decimal: layout.decimal,
    headerLine: layout.headerLine,
    notRecords: notRecords.slice(0, 1000).map(({ line, why }) => ({ line, why })),
    ...(control === undefined ? {} : { control: controlOf(control, faults) }),
  };
};

/** The service as one of `inputs`: every input has the same members. */
export const serviceInput = (service: { readonly baseUrl: string; readonly flow: string; readonly rows: number }, notes: readonly string[]): JsonObject => ({
  file: null,
  kind: "service",
  layout: null,
  columns: {},
  period: null,
  notes,
  unrecognised: {},
  ...service,
});

const controlOf = (control: Control, faults: readonly ControlFault[]): Json => ({
  ...Object.fromEntries(Object.entries(control).map(([key, value]) => [key, formatMinor(value)])),
  holds: faults.length === 0,
  ...(faults.length === 0 ? {} : { faults: faults.map(({ what, said, found }) => ({ what, said: formatMinor(said), found: formatMinor(found) })) }),
});

/** What everybody should know about how the file was read, also under --json. */
export const notesOf = (side: FileSide): readonly string[] => {
  const { table, layout, records, unrecognised, faults, continued, mirrored, breaks, above, loose, titles } = side;
  const named = Object.entries(columnNames(layout.columns, layout.header)).map(([field, heading]) => `${field}=${heading}`);
  const by = layout.name === undefined ? "" : `, by the layout ${layout.name}`;
  const notes = [
    ...table.notes.map((note) => `The file ${note}.`),
    `Read as ${layout.kind}${by}: ${countOf(records.length, "row")} (${named.join(", ")}).`,
    ...layout.notes,
  ];
  if (above.length > 0)
    notes.push(
      `${countOf(above.length, "row")} above the headings (${above.length === 1 ? "line" : "lines"} ${above.slice(0, 10).join(", ")}), like records by their look, are not read.`,
    );
  const first = records.slice(0, sampleMax);
  const opposite = countOpposites(first);
  if (opposite > 5 && opposite * 2 > first.length)
    notes.push(
      `${opposite} of ${countOf(first.length, "row")} have the opposite amount of another row of their reference: if the list has bills and their payments, money in or out here is not what was paid.`,
    );
  if (mirrored > 0) notes.push(`Not counted, as the other side of the booking above: ${countOf(mirrored, "row")}.`);
  if (continued > 0)
    notes.push(
      layout.wrapped === undefined
        ? `${countOf(continued, "row continues the order above it", "rows continue the order above them")}.`
        : `${countOf(continued, "line continues", "lines continue")} the text of the row ${layout.wrapped.toward}.`,
    );
  if (loose.count > 0)
    notes.push(
      `${countOf(loose.count, "line has", "lines have")} a text and neither a date nor an amount (lines ${loose.lines.join(", ")}), and nothing proves which row it belongs to: it is not read.`,
    );
  for (const { line, text, state, way } of titles)
    notes.push(`"${text}" on line ${line} says of the rows below it that they are ${way === undefined ? state : `money ${way}`}.`);
  for (const [word, count] of unrecognised) {
    const meaning = layout.kind === "orders" ? "counts as open" : "makes a row unreadable";
    const remedy =
      layout.columns.status === undefined || word === ""
        ? ""
        : ` To say what it means, add paid=${word}, open=${word} or unpaid=${word} to --columns (--against-columns for the second file).`;
    notes.push(`The word ${word === "" ? "(empty)" : `"${word}"`} is not known, in ${countOf(count, "row")}; it ${meaning}.${remedy}`);
  }
  const processing = records.filter(({ state, status }) => layout.kind === "orders" && state === "open" && /^(?:wc-)?processing$/i.test(status ?? "")).length;
  if (processing > 0) notes.push(`"processing" counts as open, in ${countOf(processing, "row")}; in some shops it means paid.`);
  // The reader of MT940 has said it, and for each account.
  for (const { what, said, found } of table.kind === "mt940" ? [] : faults)
    notes.push(`${what} says ${groupedMinor(said)}, the rows give ${groupedMinor(found)}: rows are missing or changed.`);
  for (const { after, line, missingMinor } of breaks)
    notes.push(`The balance moves by ${groupedMinor(missingMinor)} more than the row says, between lines ${after} and ${line}: a row may be missing.`);
  return notes;
};

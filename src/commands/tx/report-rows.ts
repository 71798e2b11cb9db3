import { escapeHtml } from "../../html.ts";
import { groupedCount, groupedMinor } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import { localTime } from "../../output/format.ts";
import { sanitize } from "../../output/sanitize.ts";
import { groupBy } from "../../reconcile/group-by.ts";
import { isDifference, type Result } from "../../reconcile/judge.ts";
import { sumOf } from "../../reconcile/order-rows.ts";
import type { Summary } from "../../reconcile/reconcile.ts";
import type { FileRecord } from "../../reconcile/record.ts";
import type { Titles } from "./reconcile-words.ts";

/** All text of files and of the service is data: nothing of it becomes markup or turns a line around. */
export const shown = (text: string): string => escapeHtml(sanitize(text));

/** More rows than a page is read through for; a browser with 200,000 of them stands still. */
const rowsMax = 2000;

/** So many rows, some of each kind: rows come by kind, and the first kind alone must not fill the page. */
export const rowsForPage = (rows: readonly Result[]): readonly Result[] => {
  if (rows.length <= rowsMax) return rows;
  const byKind = groupBy(rows, ({ category }) => category);
  const kept: Result[] = [];
  // The kinds with fewest rows first, so that what they leave goes to the larger ones.
  const lists = [...byKind.values()].sort((a, b) => a.length - b.length);
  for (const [index, list] of lists.entries()) kept.push(...list.slice(0, Math.floor((rowsMax - kept.length) / (lists.length - index))));
  const shown = new Set(kept);
  return rows.filter((row) => shown.has(row));
};

type Shown = { readonly titles: Titles; readonly zone: string };
/** The rows with their filter, and buttons that print the page or save what is shown as CSV. */
export const rowsTable = (rows: readonly Result[], summary: Summary, { titles, zone }: Shown): string => {
  const kinds = [...summary].filter(([category]) => isDifference(category));
  const options = kinds.map(([category, { count }]) => `<option value="${category}">${titles[category]} (${count})</option>`).join("");
  return `<form class="filter" role="search"><label>Show <select id="kind"><option value="">everything</option>${options}</select></label> <label>Containing <input id="text" type="search" autocomplete="off"></label> <output id="shown">${rows.length} of ${rows.length}</output> <button type="button" id="csv">Save as CSV</button> <button type="button" id="print">Print</button></form>
<table class="rows" id="rows"><thead><tr><th scope="col">What</th><th scope="col">Reference</th><th scope="col">Here</th><th scope="col">There</th><th scope="col">Why</th></tr></thead><tbody>${rows.map((row) => rowHtml(row, { titles, zone })).join("\n")}</tbody></table>`;
};

const rowHtml = ({ category, reference = "", ours, theirs, reason, suggestions = [] }: Result, { titles, zone }: Shown): string => {
  const perhaps = suggestions.map(
    ({ because, records }) =>
      `<div class="perhaps">Perhaps: ${shown(because)}${records
        .slice(0, 5)
        .map((record) => recordHtml(record, zone))
        .join("")}${records.length > 5 ? `<small>and ${groupedCount(records.length - 5)} more</small>` : ""}</div>`,
  );
  return `<tr data-kind="${category}"><td><span class="dot ${category}" aria-hidden="true"></span>${titles[category]}</td><td>${shown(reference)}</td><td>${recordsHtml(ours, zone)}</td><td>${recordsHtml(theirs, zone)}</td><td data-why="${shown(reason)}">${shown(reason)}${perhaps.join("")}</td></tr>`;
};

const recordsHtml = (records: readonly FileRecord[], zone: string): string => records.map((record) => recordHtml(record, zone)).join("") || "&ndash;";

/** A record for people; what the CSV needs of it is in its attributes. */
const recordHtml = (record: FileRecord, zone: string): string => {
  const { line, id, receipt, phone, reference, amountMinor, unreadable, at } = record;
  const when = at === undefined ? undefined : localTime(at, { zone });
  const data = { reference, receipt, phone, amount: unreadable === undefined ? formatMinor(amountMinor) : undefined, date: when, line, id };
  const attributes = Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [` data-${name}="${shown(String(value))}"`]));
  return `<div class="record"${attributes.join("")}>${recordText(record, when)}</div>`;
};

const recordText = ({ line, id, receipt, phone, amountMinor, unreadable, state, status, carried }: FileRecord, when: string | undefined): string => {
  const idName = id === undefined || line === undefined ? id : `id ${id}`;
  const lineName = line === undefined ? "" : `line ${line}${carried === undefined ? "" : ` of the file of ${carried}`}`;
  const names = [lineName, idName ?? "", receipt ?? "", phone ?? ""].filter((name) => name !== "").map(shown);
  if (unreadable !== undefined) return `${names.join(", ")}: ${shown(unreadable)}`;
  // A file's own word for the state is in its row; the service's is shown.
  const word = line === undefined ? (status ?? state) : state;
  return `<b>${shown(groupedMinor(amountMinor))}</b> ${shown(word)} <small>${names.join(", ")}</small>${when === undefined ? "" : ` <small>${shown(when)}</small>`}`;
};

/** Rows that earlier files left open. */
export const carriedHtml = (carried: readonly FileRecord[], zone: string, currency: string): string => {
  if (carried.length === 0) return "";
  const more = carried.length > rowsMax ? ` The first ${groupedCount(rowsMax)} are below.` : "";
  const rows = carried
    .slice(0, rowsMax)
    .map((record) => `<tr><td>${shown(record.carried ?? "")}</td><td>${shown(record.reference ?? "")}</td><td>${recordHtml(record, zone)}</td></tr>`);
  return `<h2>Carried from earlier files</h2><p>Rows that have no match there yet: ${groupedCount(carried.length)}, ${currency} ${groupedMinor(sumOf(carried))}. They are not part of the figures above.${more}</p>
<table class="carried"><thead><tr><th scope="col">From</th><th scope="col">Reference</th><th scope="col">Row</th></tr></thead><tbody>${rows.join("\n")}</tbody></table>
`;
};

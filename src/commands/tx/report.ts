import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { CliError } from "../../errors.ts";
import { escapeHtml } from "../../html.ts";
import { fieldOf, isObject, type Json, stringifyExact, textOf } from "../../json/exact-json.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { sanitize } from "../../output/sanitize.ts";
import { type Category, categories, isDifference } from "../../reconcile/reconcile.ts";
import { nextSteps, titles } from "./reconcile-words.ts";
import { reportScript, reportStyle } from "./report-assets.ts";

export type ReportFacts = {
  readonly madeAt: string;
  readonly zone: string;
  /** What delivers the missed callbacks, and how many ids are in none of these commands. */
  readonly commands?: { readonly lines: readonly string[]; readonly more: number } | undefined;
};

/** Writes the page, for the owner's eyes alone (0600): it holds references and amounts. Throws CliError usage where it can't. */
export const writeReport = async (path: string, document: Json, facts: ReportFacts): Promise<void> => {
  try {
    // A link is not followed, as for other results: what it leads to was not named.
    const file = await open(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
      0o600,
    );
    try {
      // An older file of that name keeps its mode otherwise. The mode of a device (/dev/null) is not ours to change.
      if (process.platform !== "win32" && (await file.stat()).isFile()) await file.chmod(0o600);
      await file.writeFile(reportPage(document, facts));
    } finally {
      await file.close();
    }
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    throw new CliError("usage", `The report ${path} cannot be written (${code}).`, { cause });
  }
};

/** All text of files and of the service is data: nothing of it becomes markup or turns a line around. */
const shown = (text: string): string => escapeHtml(sanitize(text));

const at = (value: Json | undefined, name: string): string => textOf(fieldOf(value, name)) ?? "";
const listAt = (value: Json | undefined, name: string): readonly Json[] => {
  const found = fieldOf(value, name);
  return Array.isArray(found) ? found : [];
};
const grouped = (count: number): string => count.toLocaleString("en");
const kes = (amount: string): string => groupedAmount(amount, "KES");

/** More rows than a page is read through for; a browser with 200,000 of them stands still. */
const rowsMax = 2000;

/** So many rows, some of each kind: rows come by kind, and the first kind alone must not fill the page. */
const rowsForPage = (rows: readonly Json[]): readonly Json[] => {
  if (rows.length <= rowsMax) return rows;
  const byKind = new Map<string, Json[]>();
  for (const row of rows) {
    const kind = at(row, "category");
    const list = byKind.get(kind);
    if (list === undefined) byKind.set(kind, [row]);
    else list.push(row);
  }
  const kept: Json[] = [];
  // The kinds with fewest rows first, so that what they leave goes to the larger ones.
  const lists = [...byKind.values()].sort((a, b) => a.length - b.length);
  for (const [index, list] of lists.entries()) kept.push(...list.slice(0, Math.floor((rowsMax - kept.length) / (lists.length - index))));
  const shown = new Set(kept);
  return rows.filter((row) => shown.has(row));
};

type Sum = { readonly category: Category; readonly count: string; readonly amount: string; readonly ours: Json | undefined; readonly theirs: Json | undefined };
const sumsOf = (document: Json): readonly Sum[] => {
  const summary = fieldOf(document, "summary");
  return categories.flatMap((category) => {
    const sum = fieldOf(summary, category);
    return sum === undefined
      ? []
      : [{ category, count: at(sum, "count"), amount: at(sum, "amount"), ours: fieldOf(sum, "ours"), theirs: fieldOf(sum, "theirs") }];
  });
};

/** One self-contained page: figures first, then where the money stands, then the rows with a filter. */
export const reportPage = (document: Json, facts: ReportFacts): string => {
  const sums = sumsOf(document);
  const differences = sums.reduce((count, sum) => (isDifference(sum.category) ? count + Number(sum.count) : count), 0);
  const all = listAt(document, "rows");
  const rows = rowsForPage(all);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Reconciliation</title><style>${reportStyle}</style></head><body><main>
<h1>Reconciliation</h1>
<p class="inputs">${listAt(document, "inputs").map(inputText).join(" &middot; against &middot; ")}<br>Made ${shown(facts.madeAt.slice(0, 19).replace("T", " "))} UTC, times without a zone read as ${shown(facts.zone)}</p>
<p class="verdict ${differences === 0 ? "good" : "bad"}">${differences === 0 ? "No differences" : `${differences} difference${differences === 1 ? "" : "s"}`}</p>
<h2>Figures</h2>${figures(sums)}
<h2>Where the money stands</h2>${chart(sums)}
${deliverText(facts)}<h2>What differs</h2>${rows.length < all.length ? `<p class="cut">This page has ${grouped(rows.length)} of the ${grouped(all.length)} rows that differ, some of each kind. The figures above count all of them; <code>tx reconcile -o csv</code> writes them all.</p>` : ""}${rows.length === 0 ? "<p>Nothing.</p>" : rowsTable(rows, sums)}
</main><script>${reportScript}</script></body></html>
`;
};

const deliverText = ({ commands }: ReportFacts): string => {
  if (commands === undefined || commands.lines.length === 0) return "";
  const more = commands.more === 0 ? "" : `<p>And ${grouped(commands.more)} more: <code>tx reconcile --json</code> lists them as transactionId.</p>`;
  return `<h2>Deliver the missed callbacks</h2>${commands.lines.map((line) => `<p class="command"><code>${shown(line)}</code></p>`).join("")}${more}\n`;
};

const inputText = (input: Json): string => {
  const name = at(input, "file") === "" ? `the service at ${at(input, "baseUrl")}` : at(input, "file");
  const period = fieldOf(input, "period");
  const days = isObject(period) ? `, ${at(period, "from")} to ${at(period, "to")}` : "";
  const control = fieldOf(input, "control");
  const broken = isObject(control) && control["holds"] === false ? ' <strong class="bad">its own totals do not add up</strong>' : "";
  return `<strong>${shown(name)}</strong> (${shown(at(input, "kind"))}, ${shown(at(input, "records"))} rows${shown(days)})${broken}`;
};

const figures = (sums: readonly Sum[]): string =>
  `<table class="figures"><thead><tr><th scope="col">What</th><th scope="col" class="n">Count</th><th scope="col" class="n">KES</th><th scope="col" class="n">Here</th><th scope="col" class="n">There</th><th scope="col">Next</th></tr></thead><tbody>${sums
    .map(
      ({ category, count, amount, ours, theirs }) =>
        `<tr><th scope="row"><span class="dot ${category}" aria-hidden="true"></span>${titles[category]}</th><td class="n">${count}</td><td class="n">${kes(amount)}</td><td class="n">${sideText(ours)}</td><td class="n">${sideText(theirs)}</td><td>${shown(nextSteps[category])}</td></tr>`,
    )
    .join("")}</tbody></table>`;
const sideText = (side: Json | undefined): string => `${kes(at(side, "amount"))} <small>(${at(side, "rows")})</small>`;

/** Bars by amount, without sign: money out is money too. Plain SVG, so that it prints as it looks. */
const chart = (sums: readonly Sum[]): string => {
  const size = ({ amount }: Sum): number => Math.abs(Number(amount));
  const most = Math.max(...sums.map(size), 0);
  if (most === 0) return "<p>No amounts.</p>";
  const bars = sums
    .map((sum, index) => {
      const width = Math.max(size(sum) > 0 ? 2 : 0, Math.round((size(sum) / most) * 430));
      const y = index * 28;
      return `<g><text x="0" y="${y + 17}">${titles[sum.category]}</text><rect class="${sum.category}" x="150" y="${y + 3}" width="${width}" height="20" rx="2"/><text x="${158 + width}" y="${y + 17}">${kes(sum.amount)}</text></g>`;
    })
    .join("");
  return `<svg role="img" aria-label="Amounts by what became of them, in KES" viewBox="0 0 720 ${sums.length * 28}" width="720">${bars}</svg>`;
};

const rowsTable = (rows: readonly Json[], sums: readonly Sum[]): string => {
  const kinds = sums.filter(({ category }) => isDifference(category));
  const options = kinds.map(({ category, count }) => `<option value="${category}">${titles[category]} (${count})</option>`).join("");
  return `<form class="filter" role="search"><label>Show <select id="kind"><option value="">everything</option>${options}</select></label> <label>Containing <input id="text" type="search" autocomplete="off"></label> <output id="shown">${rows.length} of ${rows.length}</output></form>
<table class="rows" id="rows"><thead><tr><th scope="col">What</th><th scope="col">Reference</th><th scope="col">Here</th><th scope="col">There</th><th scope="col">Why</th></tr></thead><tbody>${rows.map(rowHtml).join("\n")}</tbody></table>`;
};

const rowHtml = (row: Json): string => {
  const category = categories.find((name) => name === at(row, "category")) ?? "unreadable";
  return `<tr data-kind="${category}"><td><span class="dot ${category}" aria-hidden="true"></span>${titles[category]}</td><td>${shown(at(row, "reference"))}</td><td>${recordsHtml(listAt(row, "ours"))}</td><td>${recordsHtml(listAt(row, "theirs"))}</td><td>${shown(at(row, "reason"))}</td></tr>`;
};

const recordsHtml = (records: readonly Json[]): string => records.map((record) => `<div>${recordText(record)}</div>`).join("") || "&ndash;";
const recordText = (record: Json): string => {
  const line = at(record, "line");
  const id = at(record, "id");
  const names = [line === "" ? "" : `line ${line}`, line === "" || id === "" ? id : `id ${id}`, at(record, "receipt")].filter((name) => name !== "").map(shown);
  const amount = fieldOf(record, "amount");
  if (amount === undefined) return `${names.join(", ")}: ${shown(at(record, "unreadable"))}`;
  const when = at(record, "at").replace("T", " ").replace("Z", " UTC");
  const state = at(record, "status") === "" ? at(record, "state") : at(record, "status");
  return `<b>${shown(kes(textOf(amount) ?? stringifyExact(amount)))}</b> ${shown(state)} <small>${names.join(", ")}</small>${when === "" ? "" : ` <small>${shown(when)}</small>`}`;
};

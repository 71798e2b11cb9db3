import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { CliError } from "../../errors.ts";
import { escapeHtml } from "../../html.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { sanitize } from "../../output/sanitize.ts";
import { type Category, isDifference, type Result } from "../../reconcile/judge.ts";
import { type CategorySum, type Compared, countDifferences, type Summary, type Total } from "../../reconcile/reconcile.ts";
import { type FileRecord, formatMinor, type SideKind } from "../../reconcile/record.ts";
import { nextSteps, titles } from "./reconcile-words.ts";
import { reportScript, reportStyle } from "./report-assets.ts";

export type ReportInput = {
  readonly name: string;
  readonly kind: SideKind;
  readonly rows: number;
  readonly period: { readonly from: string; readonly to: string } | undefined;
  /** False if a statement's own totals do not add up. */
  readonly sumsHold: boolean;
};
type ReportFacts = {
  readonly inputs: readonly ReportInput[];
  readonly madeAt: string;
  readonly zone: string;
  /** What delivers the missed callbacks, and how many ids are in none of these commands. */
  readonly commands?: { readonly lines: readonly string[]; readonly more: number } | undefined;
};

/** Writes the page, for the owner's eyes alone (0600): it holds references and amounts. Throws CliError usage where it can't. */
export const writeReport = async (path: string, page: string): Promise<void> => {
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
      await file.writeFile(page);
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

const grouped = (count: number): string => count.toLocaleString("en");
const kes = (minor: bigint): string => groupedAmount(formatMinor(minor), "KES");

/** More rows than a page is read through for; a browser with 200,000 of them stands still. */
const rowsMax = 2000;

/** So many rows, some of each kind: rows come by kind, and the first kind alone must not fill the page. */
const rowsForPage = (rows: readonly Result[]): readonly Result[] => {
  if (rows.length <= rowsMax) return rows;
  const byKind = new Map<Category, Result[]>();
  for (const row of rows) {
    const list = byKind.get(row.category);
    if (list === undefined) byKind.set(row.category, [row]);
    else list.push(row);
  }
  const kept: Result[] = [];
  // The kinds with fewest rows first, so that what they leave goes to the larger ones.
  const lists = [...byKind.values()].sort((a, b) => a.length - b.length);
  for (const [index, list] of lists.entries()) kept.push(...list.slice(0, Math.floor((rowsMax - kept.length) / (lists.length - index))));
  const shown = new Set(kept);
  return rows.filter((row) => shown.has(row));
};

/** One self-contained page: figures first, then where the money stands, then the rows with a filter. */
export const reportPage = ({ summary, differing }: Compared, facts: ReportFacts): string => {
  const differences = countDifferences(summary);
  const rows = rowsForPage(differing);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Reconciliation</title><style>${reportStyle}</style></head><body><main>
<h1>Reconciliation</h1>
<p class="inputs">${facts.inputs.map(inputText).join(" &middot; against &middot; ")}<br>Made ${shown(facts.madeAt.slice(0, 19).replace("T", " "))} UTC, times without a zone read as ${shown(facts.zone)}</p>
<p class="verdict ${differences === 0 ? "good" : "bad"}">${differences === 0 ? "No differences" : `${differences} difference${differences === 1 ? "" : "s"}`}</p>
<h2>Figures</h2>${figures(summary)}
<h2>Where the money stands</h2>${chart(summary)}
${deliverText(facts)}<h2>What differs</h2>${rows.length < differing.length ? `<p class="cut">This page has ${grouped(rows.length)} of the ${grouped(differing.length)} rows that differ, some of each kind. The figures above count all of them; <code>tx reconcile -o csv</code> writes them all.</p>` : ""}${rows.length === 0 ? "<p>Nothing.</p>" : rowsTable(rows, summary)}
</main><script>${reportScript}</script></body></html>
`;
};

const deliverText = ({ commands }: ReportFacts): string => {
  if (commands === undefined || commands.lines.length === 0) return "";
  const more = commands.more === 0 ? "" : `<p>And ${grouped(commands.more)} more: <code>tx reconcile --json</code> lists them as transactionId.</p>`;
  return `<h2>Deliver the missed callbacks</h2>${commands.lines.map((line) => `<p class="command"><code>${shown(line)}</code></p>`).join("")}${more}\n`;
};

const inputText = ({ name, kind, rows, period, sumsHold }: ReportInput): string => {
  const days = period === undefined ? "" : `, ${period.from} to ${period.to}`;
  const broken = sumsHold ? "" : ' <strong class="bad">its own totals do not add up</strong>';
  return `<strong>${shown(name)}</strong> (${kind}, ${rows} rows${days})${broken}`;
};

const figures = (summary: Summary): string =>
  `<table class="figures"><thead><tr><th scope="col">What</th><th scope="col" class="n">Count</th><th scope="col" class="n">KES</th><th scope="col" class="n">Here</th><th scope="col" class="n">There</th><th scope="col">Next</th></tr></thead><tbody>${[
    ...summary,
  ]
    .map(
      ([category, { count, amountMinor, ours, theirs }]) =>
        `<tr><th scope="row"><span class="dot ${category}" aria-hidden="true"></span>${titles[category]}</th><td class="n">${count}</td><td class="n">${kes(amountMinor)}</td><td class="n">${sideText(ours)}</td><td class="n">${sideText(theirs)}</td><td>${shown(nextSteps[category])}</td></tr>`,
    )
    .join("")}</tbody></table>`;
const sideText = ({ rows, amountMinor }: Total): string => `${kes(amountMinor)} <small>(${rows})</small>`;

/** Bars by amount, without sign: money out is money too. Plain SVG, so that it prints as it looks. */
const chart = (summary: Summary): string => {
  const sums = [...summary];
  const size = ({ amountMinor }: CategorySum): number => Math.abs(Number(amountMinor));
  const most = Math.max(...sums.map(([, sum]) => size(sum)), 0);
  if (most === 0) return "<p>No amounts.</p>";
  const bars = sums
    .map(([category, sum], index) => {
      const width = Math.max(size(sum) > 0 ? 2 : 0, Math.round((size(sum) / most) * 430));
      const y = index * 28;
      return `<g><text x="0" y="${y + 17}">${titles[category]}</text><rect class="${category}" x="150" y="${y + 3}" width="${width}" height="20" rx="2"/><text x="${158 + width}" y="${y + 17}">${kes(sum.amountMinor)}</text></g>`;
    })
    .join("");
  return `<svg role="img" aria-label="Amounts by what became of them, in KES" viewBox="0 0 720 ${sums.length * 28}" width="720">${bars}</svg>`;
};

const rowsTable = (rows: readonly Result[], summary: Summary): string => {
  const kinds = [...summary].filter(([category]) => isDifference(category));
  const options = kinds.map(([category, { count }]) => `<option value="${category}">${titles[category]} (${count})</option>`).join("");
  return `<form class="filter" role="search"><label>Show <select id="kind"><option value="">everything</option>${options}</select></label> <label>Containing <input id="text" type="search" autocomplete="off"></label> <output id="shown">${rows.length} of ${rows.length}</output></form>
<table class="rows" id="rows"><thead><tr><th scope="col">What</th><th scope="col">Reference</th><th scope="col">Here</th><th scope="col">There</th><th scope="col">Why</th></tr></thead><tbody>${rows.map(rowHtml).join("\n")}</tbody></table>`;
};

const rowHtml = ({ category, reference = "", ours, theirs, reason }: Result): string =>
  `<tr data-kind="${category}"><td><span class="dot ${category}" aria-hidden="true"></span>${titles[category]}</td><td>${shown(reference)}</td><td>${recordsHtml(ours)}</td><td>${recordsHtml(theirs)}</td><td>${shown(reason)}</td></tr>`;

const recordsHtml = (records: readonly FileRecord[]): string => records.map((record) => `<div>${recordText(record)}</div>`).join("") || "&ndash;";
const recordText = ({ line, id, receipt, amountMinor, unreadable, state, status, at = "" }: FileRecord): string => {
  const idName = id === undefined || line === undefined ? id : `id ${id}`;
  const names = [line === undefined ? "" : `line ${line}`, idName ?? "", receipt ?? ""].filter((name) => name !== "").map(shown);
  if (unreadable !== undefined) return `${names.join(", ")}: ${shown(unreadable)}`;
  const when = at.replace("T", " ").replace("Z", " UTC");
  // A file's own word for the state is in its row; the service's is shown.
  const word = line === undefined ? (status ?? state) : state;
  return `<b>${shown(kes(amountMinor))}</b> ${shown(word)} <small>${names.join(", ")}</small>${when === "" ? "" : ` <small>${shown(when)}</small>`}`;
};

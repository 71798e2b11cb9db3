import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { CliError, errorCode, usageError } from "../../errors.ts";
import { countOf, groupedCount, groupedMinor } from "../../money/grouped.ts";
import { localTime } from "../../output/format.ts";
import { type Category, isDifference } from "../../reconcile/judge.ts";
import { type CategorySum, type Compared, countDifferences, type Summary } from "../../reconcile/reconcile.ts";
import type { SideKind } from "../../reconcile/record.ts";
import { fileFault } from "../../storage/file-fault.ts";
import { isSameFile } from "../../tables/input-file.ts";
import { readAssets } from "./assets.ts";
import { type Figure, figuresOf } from "./reconcile-figures.ts";
import { signed } from "./reconcile-view.ts";
import type { Titles } from "./reconcile-words.ts";
import { carriedHtml, rowsForPage, rowsTable, shown } from "./report-rows.ts";

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
  readonly titles: Titles;
  readonly madeAt: string;
  readonly zone: string;
  /** What amounts are in. */
  readonly currency: string;
  /** Whose account was compared; absent between two files. */
  readonly profile?: string | undefined;
  /** What delivers the missed callbacks, and how many ids are in none of these commands. */
  readonly commands?: { readonly lines: readonly string[]; readonly more: number } | undefined;
};

/** Throws CliError usage where the report would replace a file that is compared. */
export const requireOtherFile = async (report: string, inputs: readonly string[]): Promise<void> => {
  for (const input of inputs)
    if (await isSameFile(report, input))
      throw usageError(`The report cannot be written to ${report}: it is a file that is read. Nothing was written.`, "Name another file: --report FILE.html");
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
    throw new CliError(
      "usage",
      `The report ${path} cannot be written: ${errorCode(cause) === "ENOENT" ? "there is no such folder" : fileFault(path, cause).reason}.`,
      { cause },
    );
  }
};

/** One self-contained page for finance: totals of both sides, where the money differs, then the rows with a filter. */
export const reportPage = (compared: Compared, facts: ReportFacts): string => {
  const { summary, differing, carried } = compared;
  const assets = readAssets();
  const differences = countDifferences(summary);
  const lines = figuresOf(compared, facts.titles);
  const rows = rowsForPage(differing);
  const cut =
    rows.length < differing.length
      ? `<p class="cut">This page has ${groupedCount(rows.length)} of the ${groupedCount(differing.length)} rows that differ, some of each kind. The figures above count all of them; <code>tx reconcile -o csv</code> writes them all.</p>`
      : "";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Reconciliation</title><style>${assets["report.css"]}</style></head><body><main>
<h1>Reconciliation</h1>
<p class="inputs">${facts.inputs.map((input, index) => `${index === 0 ? "Here" : "There"}: ${inputText(input)}<br>`).join("")}${aboutText(facts)}</p>
<p class="verdict ${differences === 0 ? "good" : "bad"}">${differences === 0 ? "No differences" : countOf(differences, "difference")}</p>
<h2>Totals</h2>${totals(summary, facts.currency)}
<h2>Figures</h2>${figures(lines)}<p>Difference: money in less money out. + if there is more of it here, - if there is more there.</p>
<h2>Where the money differs</h2>${chart(lines, facts.currency)}
${deliverText(facts)}<h2>What differs</h2>${cut}${rows.length === 0 ? "<p>Nothing.</p>" : rowsTable(rows, summary, facts)}
${carriedHtml(carried, facts.zone, facts.currency)}</main><script>${assets["report.js"]}</script></body></html>
`;
};

const daysOf = ({ from, to }: NonNullable<ReportInput["period"]>): string => (from === to ? from : `${from} to ${to}`);
const aboutText = ({ inputs, madeAt, zone, profile }: ReportFacts): string => {
  const period = inputs[0]?.period;
  const days = period === undefined ? "Days: not known" : `${period.from === period.to ? "Day" : "Days"}: ${daysOf(period)}`;
  const account = profile === undefined ? "" : `Profile: ${shown(profile)} &middot; `;
  return `${account}${days} &middot; Made ${shown(localTime(madeAt, { zone }))} &middot; All times are those of ${shown(zone)}`;
};

const deliverText = ({ commands }: ReportFacts): string => {
  if (commands === undefined || commands.lines.length === 0) return "";
  const more = commands.more === 0 ? "" : `<p>And ${groupedCount(commands.more)} more: <code>tx reconcile --json</code> lists them as transactionId.</p>`;
  return `<h2>Send the missed callbacks again</h2><p>The command asks for the address.</p>${commands.lines.map((line) => `<p class="command"><code>${shown(line)}</code></p>`).join("")}${more}\n`;
};

const rowsText = (count: number): string => countOf(count, "row");
/** Rows that are open or unreadable are compared, and add nothing. */
const compared = (count: number): string => `what is paid of ${rowsText(count)} compared, money in less money out`;
const inputText = ({ name, kind, rows, period, sumsHold }: ReportInput): string => {
  const days = period === undefined ? "" : `, ${daysOf(period)}`;
  const broken = sumsHold ? "" : ' <strong class="bad">its own totals do not add up</strong>';
  return `<strong>${shown(name)}</strong> (${kind}, ${rowsText(rows)}${days})${broken}`;
};

const isCompared = ([category]: readonly [Category, CategorySum]): boolean => isDifference(category) || category === "matched";

/** What was paid, money out taken off, over all that is compared: not what is ignored, of other days or unreadable. */
const totals = (summary: Summary, currency: string): string => {
  const sums = [...summary].filter(isCompared);
  const add = (of: (sum: CategorySum) => bigint): bigint => sums.reduce((total, [, sum]) => total + of(sum), 0n);
  const [here, there] = [add(({ ours }) => ours.paidMinor), add(({ theirs }) => theirs.paidMinor)];
  const rows = (of: (sum: CategorySum) => number): number => sums.reduce((total, [, sum]) => total + of(sum), 0);
  const lines: readonly (readonly [string, bigint, string])[] = [
    ["Paid here", here, compared(rows(({ ours }) => ours.rows))],
    ["Paid there", there, compared(rows(({ theirs }) => theirs.rows))],
    ["Net difference", here - there, "here less there"],
    ["Matched value", summary.get("matched")?.ours.paidMinor ?? 0n, "the same on both sides"],
    [
      "Other days, there",
      summary.get("other_period")?.theirs.paidMinor ?? 0n,
      `${rowsText(summary.get("other_period")?.theirs.rows ?? 0)}, in none of the above`,
    ],
  ];
  return `<table class="totals"><thead><tr><th scope="col">Total</th><th scope="col" class="n">${currency}</th><th scope="col">What it is</th></tr></thead><tbody>${lines
    .map(([name, minor, of]) => `<tr><th scope="row">${name}</th><td class="n">${groupedMinor(minor)}</td><td>${of}</td></tr>`)
    .join("")}</tbody></table>`;
};

/** By category, with the difference in money; the differences add up to the net difference. */
const figures = (lines: readonly Figure[]): string =>
  `<table class="figures"><thead><tr><th scope="col">What</th><th scope="col" class="n">Count</th><th scope="col" class="n">Here</th><th scope="col" class="n">There</th><th scope="col" class="n">Difference</th><th scope="col">Next</th></tr></thead><tbody>${lines
    .map(
      ({ category, title, next, count, ours, theirs, differenceMinor }) =>
        `<tr><th scope="row"><span class="dot ${category}" aria-hidden="true"></span>${title}</th><td class="n">${groupedCount(count)}</td><td class="n">${sideText(ours)}</td><td class="n">${sideText(theirs)}</td><td class="n">${isDifference(category) ? signed(differenceMinor) : "&ndash;"}</td><td>${shown(next)}</td></tr>`,
    )
    .join("")}</tbody></table>`;
const sideText = ({ rows, amountMinor }: Figure["ours"]): string => `${groupedMinor(amountMinor)} <small>(${groupedCount(rows)})</small>`;

/** Bars by the size of the difference, whichever side has more. Plain SVG, so that it prints as it looks. */
const chart = (lines: readonly Figure[], currency: string): string => {
  const size = ({ differenceMinor }: Figure): number => Math.abs(Number(differenceMinor));
  const differing = lines.filter((line) => size(line) > 0);
  const most = Math.max(...differing.map(size), 0);
  if (most === 0) return "<p>Nowhere: the money of both sides is the same.</p>";
  const bars = differing
    .map((line, index) => {
      const width = Math.max(2, Math.round((size(line) / most) * 230));
      const y = index * 28;
      return `<g><text x="0" y="${y + 17}">${line.title}</text><rect class="${line.category}" x="180" y="${y + 3}" width="${width}" height="20" rx="2"/><text x="${188 + width}" y="${y + 17}">${signed(line.differenceMinor)}</text></g>`;
    })
    .join("");
  return `<svg role="img" aria-label="Differences in money by what became of the rows, in ${currency}, here less there" viewBox="0 0 520 ${differing.length * 28}" width="520">${bars}</svg>`;
};

import type { TableRow } from "../tables/cell.ts";
import { isHeaderAgain } from "./draft.ts";
import { filledCells } from "./header.ts";
import type { Layout } from "./layout.ts";

const totals = /^\s*(?:(?:grand|sub|overall|page|day|daily|week(?:ly)?|month(?:ly)?|net|batch|branch)[\s-]*)?totals?\b[\s\p{L}()/.-]{0,30}:?\s*\d{0,5}\s*$/iu;
const sumWords = /^\s*(?:gesamt)?(?:summe|gesamt|total[ei]s?(?: \p{L}+)?|total g[eé]n[eé]ral|jumla(?: kuu)?|suma|sum)\s*:?\s*$/iu;
const balanceLine =
  /\b(?:opening|closing|starting|ending|brought forward|carried forward)\b.{0,12}\b(?:bal(?:ance)?|float)\b|\bbal(?:ance)?\b.{0,10}(?:\b[bc]\/?[fd]\b|\bbrought\b|\bcarried\b|\bforward\b|\bas at\b)|^\s*(?:[bc]\/[fd]|opening|closing)\s*$|^\s*salio (?:la )?(?:kuanzia|mwanzo|mwisho|kufunga)\b|^\s*(?:solde|saldo) (?:initial|inicial|final|pr[eé]c[eé]dent|anterior|ant[eé]rieur|d.ouverture|de cl[oô]ture)\b/iu;
/** The whole cell: then also an amount beside it is no payment. */
const onlyBalance =
  /^\s*(?:turnovers?|(?:anfangs|end|schluss)saldo|(?:ancien|nouveau) solde|(?:solde|saldo)(?=\s+\S)(?: (?:initial|inicial|final|pr[eé]c[eé]dent|report[eé]|anterior|ant[eé]rieur|d.ouverture|de cl[oô]ture|cr[eé]diteur|d[eé]biteur|contabil[ií]stico|dispon[ií](?:ble|vel)))?(?: (?:au|en|em|a|du) [\d./-]{6,10})?|report|[aà] reporter)\s*:?\s*$|^\s*(?:open(?:ing)?|clos(?:e|ing)|starting|ending|begin(?:ning)?|previous|brought forward|carried forward)[\s_-]*(?:ledger |available )?bal(?:ance)?(?: (?:as (?:of|at|on)|on) [\d./-]+)?\s*:?\s*$/iu;
const footer =
  /^\s*(?:\*{2,}|-{3,}|generated|printed|produced|report(?:ed)? (?:date|on|generated)|disclaimer|note[s:]?|page\b|end of|e\.?\s?o\.?\s?f|statement (?:end|period|date)|this (?:is|statement|record|document)|for (?:any|queries)|to verify|prepared by|authori[sz]ed|thank you)/iu;
const groupLabel = /^.{1,80}\s\(\d{1,7}\)\s*$/u;

const cellAt = (row: TableRow, index: number | undefined): string => (index === undefined ? "" : (row.cells[index] ?? "").trim());

/** Why a row is no record by its place or its number of cells; undefined if it may be one. */
export const whyNotByPlace = (row: TableRow, { header, headerLine, lastHeaderLine }: Layout): string | undefined => {
  if (headerLine === 0) {
    if (row.line === 0) return "header";
  } else if (row.line <= lastHeaderLine) return row.line < headerLine ? "preamble" : "header";
  const filled = filledCells(row);
  if (filled === 0) return "blank";
  if (isHeaderAgain(row.cells, header)) return "header again";
  return filled === 1 ? "single cell" : undefined;
};

/** A cell that only sums, balances and the lines around records have. */
export const isLabel = (cell: string): boolean =>
  cell.length < 60 && [totals, sumWords, balanceLine, onlyBalance, footer].some((pattern) => pattern.test(cell));

/** A word for a sum stands alone in a cell. */
export const isTotals = ({ cells }: TableRow): boolean => cells.some((cell) => cell.length < 50 && (totals.test(cell) || sumWords.test(cell)));

type Facts = {
  readonly dated: boolean;
  readonly hasReceipt: boolean;
  /** An amount that is not zero. */
  readonly hasAmount: boolean;
  /** It has the reference of an order: then a total in it is that order's. */
  readonly isOfOrder?: boolean;
};

/**
 * Why a row between records is none itself: a total, an opening or closing balance, a footer, the line of a group
 * (cases/README.md). A payer called TOTAL is no total: the word stands alone in a cell, and the row has neither receipt nor date.
 */
export const whyNotByWords = (row: TableRow, layout: Layout, { dated, hasReceipt, hasAmount, isOfOrder }: Facts): string | undefined => {
  if (row.cells.some((cell) => cell.length < 60 && (onlyBalance.test(cell) || (!hasAmount && balanceLine.test(cell))))) return "balance";
  if (layout.rows.other?.some((pattern) => row.cells.some((cell) => cell.length < 500 && pattern.test(cell.trim()))) === true) return "other";
  const first = row.cells.find((cell) => cell.trim() !== "") ?? "";
  if (footer.test(first) && (!hasAmount || !row.cells.some((cell) => /\d/.test(cell)))) return "footer";
  if (!hasAmount && isTotals(row) && row.cells.filter((cell) => cell.trim() !== "").length === 2) return "totals";
  if (dated || hasReceipt) return undefined;
  if (isOfOrder !== true && isTotals(row)) return "totals";
  if (row.cells.some((cell) => groupLabel.test(cell)) && isGroup(row, layout)) return "group";
  if (layout.kind === "statement" && !hasAmount && layout.columns.date !== undefined && layout.dated) return "footer";
  return layout.kind === "statement" && balanceLine.test(first) ? "balance" : undefined;
};

/** A label, sums, and nothing else. */
const isGroup = (row: TableRow, { columns }: Layout): boolean =>
  cellAt(row, columns.status) === "" && row.cells.filter((cell) => /\p{L}/u.test(cell)).length === 1;

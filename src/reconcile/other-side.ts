import type { Direction } from "../transactions/status.ts";
import { looseReference } from "./loose-reference.ts";
import { looksLikeReceipt, receiptKey } from "./receipts.ts";
import type { FileRecord, Side } from "./record.ts";

/** One row or transaction of the other side, as far as it proves something here. */
export type Known = {
  readonly amountMinor: bigint | undefined;
  readonly direction: Direction;
  readonly at: string | undefined;
  /** The amounts of the other rows with the same reference. */
  readonly more?: bigint[];
};

/** What the other side holds: it proves which column here is the reference, the receipt and the amount. */
export type OtherSide = {
  /** As people call it in a sentence. */
  readonly name: string;
  /** By the reference without case, spaces and punctuation. */
  readonly references: ReadonlyMap<string, Known>;
  readonly receipts: ReadonlyMap<string, Known>;
  /** Its directions are facts. Those of orders are assumed. */
  readonly isDirected: boolean;
};

const known = ({ amountMinor, direction, at }: FileRecord): Known => ({ amountMinor, direction, at });
const heldMax = 200_000;
const moreMax = 1000;
const withMore = (last: Known, before: Known | undefined): Known => {
  if (before?.amountMinor === undefined) return last;
  const more = before.more ?? [];
  if (more.length < moreMax) more.push(before.amountMinor);
  return { ...last, more };
};

export const otherSideOf = ({ kind, records }: Side, name: string): OtherSide => {
  const references = new Map<string, Known>();
  const receipts = new Map<string, Known>();
  for (const record of records) {
    if (record.unreadable !== undefined) continue;
    const reference = record.reference === undefined || references.size >= heldMax ? undefined : looseReference(record.reference);
    if (reference !== undefined && record.kind !== "charge") references.set(reference, withMore(known(record), references.get(reference)));
    const receipt = receipts.size >= heldMax ? undefined : receiptKey(record.receipt);
    if (receipt !== undefined && !receipts.has(receipt)) receipts.set(receipt, known(record));
  }
  return { name, references, receipts, isDirected: kind !== "orders" };
};

/** The words of a text as references stand in it. */
export const wordsOf = (text: string): readonly string[] => text.split(/[\s~;|,()[\]<>"]+/u).filter((word) => word !== "");

/** The values of a file whose columns are not known yet: any cell or word of it that could be a reference or a receipt. */
export const rawSideOf = (rows: readonly { readonly cells: readonly string[] }[], name: string): OtherSide => {
  const references = new Map<string, Known>();
  const receipts = new Map<string, Known>();
  const nothing: Known = { amountMinor: undefined, direction: "unknown", at: undefined };
  const add = (text: string): void => {
    if (looksLikeReceipt(text)) receipts.set(receiptKey(text) ?? text, nothing);
    const loose = looseReference(text);
    if (loose !== undefined && isTelling(text) && references.size < heldMax) references.set(loose, nothing);
  };
  for (const { cells } of rows) {
    for (const cell of cells) {
      const text = cell.trim();
      if (text === "" || text.length > 500) continue;
      if (text.length <= 60) add(text);
      const words = wordsOf(text);
      if (words.length > 1) words.forEach(add);
    }
  }
  return { name, references, receipts, isDirected: false };
};

/** Too long and too particular to be on both sides by chance: no phone, no amount, no date. */
export const isTelling = (text: string): boolean => {
  const loose = looseReference(text) ?? "";
  if (loose.length < 3 || !/\d/.test(loose)) return false;
  if (/^\d+$/.test(loose)) return !/[.,:/]/.test(text) && (loose.length >= 4 || text.startsWith("#")) && !/^(?:254|0)?[17]\d{8}$/.test(loose);
  return loose.length >= 4 || /\p{L}/u.test(loose);
};

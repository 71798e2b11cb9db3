import data from "./words.json" with { type: "json" };

/** What people write where no receipt is known. All-letter texts are not placeholders by themselves: real receipts may have no digit. */
const placeholders: ReadonlySet<string> = new Set(data["no receipt"]);
/** No receipt is shorter, unless it has a digit. */
const lettersMin = 4;

/**
 * The receipt as it is compared: without regard to case and spaces. Undefined for `N/A`, `-`, `CASH` and the like, which say that
 * no receipt is known (rules.md, Living with what is not shown).
 */
export const receiptKey = (receipt: string | undefined): string | undefined => {
  if (receipt === undefined) return undefined;
  // Nearly all receipts of a large file.
  if (/^[A-Z0-9]{4,}$/.test(receipt) && /[1-9]/.test(receipt)) return receipt;
  const key = receipt
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s\u200b\ufeff]/gu, "");
  const plain = key.replace(/[^\p{L}\p{N}]/gu, "");
  if (/^0*$/.test(plain) || placeholders.has(plain)) return undefined;
  return plain.length < lettersMin && !/\p{N}/u.test(plain) ? undefined : key;
};

/** The form of a mobile money receipt: letters, then letters and digits, eight to twelve of them. `ORD66401` is an order. */
export const looksLikeReceipt = (cell: string): boolean => {
  const text = cell.trim();
  return /^(?:[A-Z]{2}[A-Z0-9]{6,10}|[a-z]{2}[a-z0-9]{6,10})$/.test(text) && /\d/.test(text) && !/^(?:[a-z]+\d{1,4}|(?=.{1,9}$)[a-z]+\d+)$/i.test(text);
};

/** The receipts of a cell: people write several into one. */
export const receiptsOf = (cell: string): readonly string[] => {
  if (!/[\s,;/&+|]/.test(cell)) return [cell];
  const words = cell.split(/[\s,;/&+|]+|\band\b/iu).filter((word) => word !== "");
  return words.length > 1 && words.every(looksLikeReceipt) ? words : [cell];
};

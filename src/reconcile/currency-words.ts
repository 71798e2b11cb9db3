import data from "./words.json" with { type: "json" };

/** What people write for a currency, in small letters without points and spaces. Shillings are written in four countries: they say no code. */
const words = new Map(Object.entries(data.currencies).flatMap(([code, spellings]) => spellings.map((word) => [word, code] as const)));
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** Some codes are words too (`bob` is a shilling): they are read in capitals alone. */
const isCode = (text: string): boolean =>
  /^[A-Z]{3}$/i.test(text) && codes.has(text.toUpperCase()) && (text === text.toUpperCase() || !/^(?:all|top|try|cup|cop|mop|php|sos|pen|bob)$/.test(text));

/** A code that is an English word in capitals as well. */
export const isWordToo = (word: string): boolean => /^(?:all|top|try|cup|mop|pen)$/i.test(word);

/**
 * The code (ISO 4217) of the currency that a word names: `Ksh.`, `Kenya Shillings`, `kes`. `""` for a word that says shillings
 * and not whose (`Sh`, `/=`); undefined for what names no currency.
 */
export const currencyOfWord = (word: string): string | undefined => {
  const trimmed = word.trim();
  // `UGX-MTNMM`: the money of one network.
  if (isCode(trimmed.replace(/[.:]$|-[A-Z]+$/, ""))) return trimmed.slice(0, 3).toUpperCase();
  const plain = trimmed.toLowerCase().replace(/[.:\s\u00a0]/gu, "");
  return words.get(plain);
};

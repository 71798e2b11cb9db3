/** What people write for a currency, in small letters without points and spaces. Codes themselves are not listed. */
const words: Readonly<Record<string, string>> = {
  ksh: "KES",
  kshs: "KES",
  kenyashilling: "KES",
  kenyashillings: "KES",
  kenyanshilling: "KES",
  kenyanshillings: "KES",
  ush: "UGX",
  ushs: "UGX",
  ugandashillings: "UGX",
  ugandanshillings: "UGX",
  tsh: "TZS",
  tshs: "TZS",
  tanzaniashillings: "TZS",
  tanzanianshillings: "TZS",
  frw: "RWF",
  rf: "RWF",
  rwandanfrancs: "RWF",
  fbu: "BIF",
  "₦": "NGN",
  naira: "NGN",
  "₵": "GHS",
  "gh₵": "GHS",
  "gh¢": "GHS",
  cedis: "GHS",
  r: "ZAR",
  rand: "ZAR",
  zk: "ZMW",
  mk: "MWK",
  br: "ETB",
  birr: "ETB",
  fc: "CDF",
  cfa: "XOF",
  fcfa: "XOF",
  $: "USD",
  us$: "USD",
  usdollar: "USD",
  usdollars: "USD",
  "€": "EUR",
  euro: "EUR",
  euros: "EUR",
  "£": "GBP",
  "₹": "INR",
  rs: "INR",
};
/** Written in four countries: they say shillings and not whose. */
const shillings: ReadonlySet<string> = new Set(["sh", "shs", "shilling", "shillings", "/=", "/-"]);

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
  if (shillings.has(plain)) return "";
  return Object.hasOwn(words, plain) ? words[plain] : undefined;
};

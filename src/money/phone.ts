/** Why a text is no phone number: the words of cases/phones.tsv, and `not-country` for a foreign number on a rail. */
export type PhoneProblem = "empty" | "hashed" | "scientific" | "masked" | "multiple" | "non-digit" | "length" | "not-mobile" | "not-kenya" | "not-country";
export type PhoneReading =
  | { readonly phone: string /** Something was corrected that the person should know. */; readonly warning?: string }
  | { readonly problem: PhoneProblem; readonly why: string };

/** Digits without punctuation, and whether they were written with `+` or `00`. */
export type PhoneDigits = { readonly digits: string; readonly international: boolean };

const problem = (kind: PhoneProblem, why: string): { readonly problem: PhoneProblem; readonly why: string } => ({ problem: kind, why });

const isSeveral = (text: string): boolean => {
  const longParts = (separator: RegExp): number => text.split(separator).filter((part) => (part.match(/\d/g) ?? []).length >= 7).length;
  if (longParts(/[/,;|&\n]|\bor\b/i) > 1) return true;
  return longParts(/\s+/) > 1;
};

/** What surrounds a number: spaces and invisible marks of copying, a spreadsheet's text mark, `tel:`. */
const unwrap = (text: string): string =>
  text
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .trim()
    .replace(/^['\u2018\u2019]/, "")
    .replace(/^tel:\s*/i, "")
    .trim();

/** The digits of a number in any usual spelling, or why it has none. */
export const readPhoneDigits = (typed: string): PhoneDigits | { readonly problem: PhoneProblem; readonly why: string } => {
  const text = unwrap(typed);
  if (text === "") return problem("empty", "is empty: type its digits");
  if (/^[0-9a-f]{32,}$/i.test(text)) return problem("hashed", "is a hash, not a phone number. Use the number itself");
  if (/^\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(text))
    return problem("scientific", "is in scientific notation: a spreadsheet has cut off its last digits. Set the column to text, then type the number again");
  if (/[*\u2022\u00d7#]|(?<=\d)\s*x{2,}|x{3,}/i.test(text)) return problem("masked", "is masked: some digits are hidden. Use the whole number");
  if (isSeveral(text)) return problem("multiple", "contains more than one number. Give one");
  const whole = text.replace(/^(\+?\d+)\.0+$/, "$1");
  const bare = whole.replace(/[\s\u00a0\u202f().\-\u2010-\u2015\u2212]/g, "");
  const [, plus, digits] = /^(\+|00)?(\d+)$/.exec(bare) ?? [];
  if (digits === undefined) return problem("non-digit", "has a character that is not a digit. Use digits, such as 0712 345 678");
  return { digits, international: plus !== undefined };
};

const kenya = "254";
const subscriberDigits = 9;
const trunkWarning = (code: string): string => `the 0 after +${code} was left out`;

const wrongLength = (digits: number): PhoneReading =>
  problem("length", `is too ${digits < subscriberDigits ? "short" : "long"}. Use 0712 345 678 or +254 712 345 678`);

const kenyanMobile = (subscriber: string, warning?: string): PhoneReading => {
  if (subscriber.length !== subscriberDigits) return wrongLength(subscriber.length);
  if (!/^[17]/.test(subscriber)) return problem("not-mobile", "is not a mobile number. Mobile numbers begin with 07, 01, 2547 or 2541");
  return { phone: kenya + subscriber, ...(warning === undefined ? {} : { warning }) };
};

const afterCode = (digits: string): PhoneReading => {
  const rest = digits.slice(kenya.length);
  if (rest.startsWith("0") && rest.length === subscriberDigits + 1) return kenyanMobile(rest.slice(1), trunkWarning(kenya));
  return kenyanMobile(rest);
};

/** A Kenyan mobile number in any usual spelling as `2547…` or `2541…`: twelve digits (rules.md, Money safety; cases/phones.tsv). */
export const readKenyanPhone = (typed: string): PhoneReading => {
  const read = readPhoneDigits(typed);
  if ("problem" in read) return read;
  const { digits, international } = read;
  if (international) return digits.startsWith(kenya) ? afterCode(digits) : problem("not-kenya", "is not a Kenyan number. Use 0712 345 678 or +254 712 345 678");
  if (digits.startsWith("0")) return kenyanMobile(digits.slice(1));
  if (digits.startsWith(kenya) && digits.length > subscriberDigits) return afterCode(digits);
  if (digits.length === subscriberDigits) return kenyanMobile(digits);
  if (digits.length > 10 && digits.length <= 15) return problem("not-kenya", "is not a Kenyan number. Use 0712 345 678 or +254 712 345 678");
  return wrongLength(digits.length);
};

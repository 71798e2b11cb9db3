/** Letters and digits that are not mistaken for each other when read aloud or copied by hand. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Invisible characters that are part of the sign or letter before them: in emoji, flags, and scripts whose letters join. In this order. */
const partsOfSigns: readonly RegExp[] = [
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu,
  /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]/gu,
  /(?<=[0-9#*])\ufe0f(?=\u20e3)/gu,
  /(?<=\u{1f3f4})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]+\u{e007f}/gu,
  /(?<=[\p{sc=Arab}\p{sc=Syrc}\p{sc=Nkoo}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}])[\u200c\u200d]/gu,
  /(?<=[\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}])[\u200c\u200d]/gu,
  /(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/gu,
  /(?<=\p{sc=Mong})[\u180b-\u180f]/gu,
];
const control = /^[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]$/u;
/** Controls, what shows nothing, blank signs, and spaces that look like the plain one (U+3000 is as wide as a letter of its scripts). */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]|(?![ \u3000])\p{Zs}/u;

/** The first character of a text that nobody can see or tell from a plain space, as a sentence; undefined if every character can be seen. */
export const unseenProblem = (what: string, text: string): string | undefined => {
  if (/^[\x20-\x7e]*$/.test(text)) return undefined;
  const found = unseen.exec(partsOfSigns.reduce((rest, part) => rest.replace(part, (sign) => ".".repeat(sign.length)), text));
  if (found === null) return undefined;
  const [character] = found;
  const kind = control.test(character) ? "a line break or another control character" : /\p{Zs}/u.test(character) ? "a special space" : "an invisible character";
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `${what} holds ${kind} (U+${code}) at position ${[...text.slice(0, found.index)].length + 1}: type it again by hand.`;
};

/** A merchant reference as sent: trimmed. Returns the problem as a sentence instead of throwing. */
export const readReference = (typed: string): { readonly reference: string } | { readonly problem: string } => {
  // What else stands around it is named, as it would be sent where the body is the person's own.
  const reference = typed.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (reference === "") return { problem: "The reference is empty." };
  const problem = unseenProblem("The reference", reference);
  if (problem !== undefined) return { problem };
  // Quotes that a shell or a file left in place: the same reference without them would be another one.
  if (/^(?:["\u201c-\u201f].*["\u201c-\u201f]|['\u2018-\u201b].*['\u2018-\u201b])$/.test(reference) && reference.length > 1)
    return { problem: `The reference is in quotes: ${reference}. Leave them out.` };
  return { reference };
};

const alike = { from: "АВЕКМНОРСТУХЅІЈаеорсухѕіјΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", to: "ABEKMHOPCTYXSIJaeopcyxsijABEZHIKMNOPTYXo" };
const latinOf: ReadonlyMap<string, string> = new Map([...alike.from].map((letter, index) => [letter, alike.to[index] ?? letter]));
const foreignLetters = new RegExp(`[${alike.from}]`, "g");

/**
 * One text for all that people take for the same: NFC and NFD, other dashes, quotes, spaces and compatibility forms, letters of
 * other scripts that look Latin, and invisible characters. For comparing; what is sent stays as it was typed.
 */
export const lookAlikeOf = (text: string): string => {
  if (/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) return text;
  const folded = text
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cs}]/gu, "")
    .replace(/[\u2018-\u201b\u02bc\u2032\u00b4]/g, "'")
    .replace(/[\u201c-\u201f\u2033]/g, '"')
    .normalize("NFKC")
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .replace(/[\u2044\u2215]/g, "/")
    .replace(foreignLetters, (letter) => latinOf.get(letter) ?? letter)
    .replace(/[\s\u2800]+/g, " ")
    .trim();
  // One step can bring forth what another folds: U+2057 becomes four primes, and those are quotes.
  return folded === text ? text : lookAlikeOf(folded);
};

/** Whether a transaction has the reference that is asked for: blanks around it and the form of its accents aside. */
export const isSameReference = (one: string, other: string): boolean => one.trim().normalize() === other.trim().normalize();

/** A reference to offer, like `STK-20261128-AB12`. `isoDay` is YYYY-MM-DD; four random bytes choose the end. */
export const offerReference = (prefix: string, isoDay: string, bytes: Uint8Array): string => {
  const end = Array.from(bytes.slice(0, 4), (byte) => alphabet[byte % alphabet.length] ?? "2").join("");
  return `${prefix}-${isoDay.replaceAll("-", "")}-${end}`;
};

import { type CliError, usageError } from "../errors.ts";

/** Longest profile name, in characters as a person counts code points. */
const nameLengthMax = 100;

const refuse = (why: string): CliError =>
  usageError(`A profile's name ${why}.`, "Names like default, shop or test-2 are fine; so are dots, spaces inside and emoji.");

/**
 * A profile's name as it may be stored. Any text is kept as it is (`a.b`, `__proto__`, emoji), but for what could not be
 * typed, seen or distinguished again: then CliError usage says which.
 */
export const checkProfileName = (name: string): string => {
  if (name === "") throw refuse("cannot be empty");
  const length = [...name].length;
  if (length > nameLengthMax) throw refuse(`can have ${nameLengthMax} characters; this one has ${length}`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) throw refuse("cannot hold control characters or line ends");
  if (/[\u200E\u200F\u202A-\u202E\u2066-\u2069\u061C]/u.test(name)) throw refuse("cannot hold characters that turn the direction of text");
  if (/\p{Cs}/u.test(name)) throw refuse("holds half of a character");
  if (name.trim() !== name) throw refuse("cannot begin or end with a space");
  if (name.startsWith("-")) throw refuse("cannot begin with a dash: it would be taken for a flag");
  return name;
};

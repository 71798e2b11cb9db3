import { CliError, usageError } from "../errors.ts";
import { nearestOf } from "../nearest.ts";
import { unseenProblem } from "../payments/reference.ts";

/** What word processors, phones and chats put in place of hyphens and straight quotes. */
const dashes = "\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\uff0d";
const dashedWord = new RegExp(`^-?[${dashes}]+-?([a-z][a-z0-9-]*)(?:=|$)`, "i");
const flagWord = new RegExp(`^[-${dashes}]+([a-z][a-z0-9_-]*)(?:[=:]|$)`, "i");
const curlyOpening = /^[\u2018\u201a-\u201c\u201e\u201f]/;
const curlyClosing = /[\u2018\u2019\u201b-\u201d\u201f]$/;

const codePoint = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The words in which flags are looked for: after `--` all are arguments. */
const beforeTerminator = (words: readonly string[]): readonly string[] => (words.includes("--") ? words.slice(0, words.indexOf("--")) : words);

/** The error for a word like `—phone`, where two hyphens were meant; undefined where there is no such word. `isFlag` narrows it to some names. */
const typographicDash = (words: readonly string[], isFlag: (name: string) => boolean = () => true): CliError | undefined => {
  const word = beforeTerminator(words).find((each) => {
    const name = dashedWord.exec(each)?.[1];
    return name !== undefined && isFlag(name);
  });
  const character = word === undefined ? undefined : new RegExp(`[${dashes}]`).exec(word)?.[0];
  if (character === undefined) return undefined;
  const name = { "\u2013": "an en dash", "\u2014": "an em dash" }[character] ?? "a typographic dash";
  return usageError(
    `A flag begins with ${name} (${codePoint(character)}) instead of two hyphens.`,
    "Type -- by hand. Word processors and phones change two hyphens into a dash.",
  );
};

/** What copying has done to words that nothing else can be made of: another dash, a space that no shell splits at, a carriage return. */
export const pastedFault = (words: readonly string[]): CliError | undefined => {
  // A value may hold line ends; a flag's name, the first word and a word of nothing else may not.
  const names = beforeTerminator(words).flatMap((word, at) => (at === 0 || word.startsWith("-") || word.trim() === "" ? [word.split("=")[0] ?? ""] : []));
  const problem = names.flatMap((name) => unseenProblem("A word of the command line", name) ?? [])[0];
  return typographicDash(words) ?? (problem === undefined ? undefined : usageError(problem));
};

/** Names under which people give a key, a secret or a passphrase to other programs. Hyphens and underscores aside. */
const secretWords = ["apikey", "key", "token", "secret", "password", "passwd", "passphrase", "pass", "credential", "bearer", "auth", "authorization"];
const secretParts = /apikey|secretkey|accesskey|privatekey|token|secret|passw|passphrase|credential|bearer|authori[sz]ation/;

/**
 * Looks at the words before anything is read from them. A flag that names a key, also a misspelt one, is an error, as the value may
 * stand in any of the words behind it and no error repeats it; so is a known flag behind a typographic dash, which would be taken
 * for a value. `known` are the names of all flags.
 */
export const trapIn = (words: readonly string[], known: readonly string[]): CliError | undefined =>
  secretFlag(words, known) ?? typographicDash(words, (name) => known.includes(name));

const secretFlag = (words: readonly string[], known: readonly string[]): CliError | undefined => {
  const typed = beforeTerminator(words)
    .map((word) => flagWord.exec(word)?.[1]?.toLowerCase())
    .find((name) => name !== undefined && !known.includes(name) && namesSecret(name, known));
  if (typed === undefined) return undefined;
  const name = ["api-key", ...secretWords].includes(typed) ? `--${typed}` : "This flag";
  return new CliError("usage", `${name} is not accepted: others could read a key, secret or passphrase from process lists and from the shell's history.`, {
    hint: "You can set PAYMENTS_API_KEY and PAYMENTS_WEBHOOK_SECRET; a passphrase comes from standard input (--passphrase-stdin). If others may have seen the key, replace it. To store an API key",
    command: ["login"],
  });
};

const namesSecret = (typed: string, known: readonly string[]): boolean => {
  const plain = typed.replace(/[-_]/g, "");
  if (secretWords.includes(plain)) return true;
  const flag = nearestOf(typed, known);
  // `--idempotencykey` is a slip of the fingers.
  if (secretParts.test(plain) || plain.endsWith("key")) return flag === undefined || flag.slips > 2;
  const secret = nearestOf(plain, secretWords);
  return secret !== undefined && (flag === undefined || secret.slips < flag.slips);
};

/** What a shell or an editor did to a value before it came here, as the end of a sentence; undefined for any other value. */
export const valueTrap = (value: string, isFile: boolean): { readonly problem: string; readonly hint: string } | undefined => {
  if (value.length > 1 && curlyOpening.test(value) && curlyClosing.test(value))
    return { problem: "is in curly quotes, which the shell does not remove", hint: "Type straight quotes by hand: \" or '." };
  // Git's own folder in front of what was typed with a slash: `/api/v1` becomes `C:/Program Files/Git/api/v1`.
  if (!isFile && /^(?:[^=]*=)?[a-z]:[\\/](?:[^\\/]+[\\/])*?(?:portable)?(?:git|msys\d*|cygwin\d*)[\\/]/i.test(value)) return rewrittenPath;
  return undefined;
};

/** Also of a path that is known to begin with a slash, whatever folder now stands before it. */
export const rewrittenPath = {
  problem: "was changed by Git Bash, which takes a word that begins with / for a file",
  hint: "Set MSYS_NO_PATHCONV=1 for this command, or begin the word with two slashes: //api/v1/…",
} as const;

/** Curly quotes around a text with spaces: a shell has made words of it. */
export const hasCurlyQuote = (words: readonly string[]): boolean => words.some((word) => /^[\u201c\u201e]|[\u201d\u201c]$/.test(word));

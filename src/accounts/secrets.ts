import { CliError, usageError } from "../errors.ts";
import type { Prompter } from "../ports.ts";
import { unwrap } from "../unwrap.ts";

const byteOrderMark = "\uFEFF";

/**
 * A secret's text from bytes as editors and shells write them: UTF-8, or UTF-16 with a byte order mark (PowerShell's `>`).
 * Throws CliError usage for other bytes: with replaced characters, different secrets would become the same.
 */
export const decodeText = (bytes: Uint8Array): string => {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw usageError("Standard input is not text in UTF-8 or UTF-16.", "Save the text as UTF-8 and try again.");
  }
};

const refuse = (what: string, position: number): CliError =>
  usageError(
    `${what} has a character at position ${position} that no key can have, so nothing was sent.`,
    "Copy only the key, from where you got it. Word processors and chats change characters.",
  );

/**
 * An API key as pasted or piped, without the white space, byte order mark and quotes around it.
 * Throws CliError usage for an empty one, and for one with characters that cannot be in a header, naming the position
 * (from 1, in the cleaned key) and never the key. Assumed: a key is visible ASCII, as every bearer token is (RFC 6750).
 */
export const cleanSecret = (input: Uint8Array | string, what = "The key"): string => {
  const key = unwrap(typeof input === "string" ? input : decodeText(input));
  if (key === "") throw usageError(`${what} is empty.`);
  const position = [...key].findIndex((character) => !/^[\x21-\x7e]$/.test(character));
  if (position >= 0) throw refuse(what, position + 1);
  if (key.length > 4096) throw usageError(`${what} is ${key.length} characters long; no key is longer than 4096.`);
  return key;
};

/** Webhook secrets, one a line. A secret may hold spaces, so only the line's ends are trimmed; empty lines are skipped. */
export const splitSecrets = (input: Uint8Array | string): readonly string[] => {
  const text = typeof input === "string" ? input : decodeText(input);
  const lines = text.replace(byteOrderMark, "").split(/\r\n|\n|\r/);
  return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))];
};

/**
 * A passphrase as typed or piped: one line end is cut, anything else belongs to it. In NFC, as keyboards and systems write the same
 * letters in different Unicode forms. Throws CliError usage if it is blank, or has what nobody can type at the question for it:
 * more lines, or control characters (UTF-16 without its mark has them too).
 */
export const cleanPassphrase = (input: Uint8Array | string): string => {
  const passphrase = (typeof input === "string" ? input : decodeText(input)).replace(/\r?\n$/, "");
  if (passphrase.trim() === "") throw usageError("The passphrase is empty.");
  if (/\p{Cc}/u.test(passphrase)) throw usageError("The passphrase has more than one line, or control characters.");
  return passphrase.normalize("NFC");
};

/** What a check that throws finds wrong, as a sentence; undefined if nothing. */
export const problemOf = (check: () => unknown): string | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error.message;
    throw error;
  }
};
/** For a secret typed at a question: what is wrong with it, as a sentence. */
export const keyProblem = (text: string): string | undefined => problemOf(() => cleanSecret(text, "The API key"));
export const passphraseProblem = (text: string): string | undefined => problemOf(() => cleanPassphrase(text));

const passphraseCharactersMin = 8;

/** A passphrase that is about to be set. Throws CliError usage also if it is too short. */
export const cleanNewPassphrase = (input: Uint8Array | string): string => {
  const passphrase = cleanPassphrase(input);
  const length = [...passphrase].length;
  if (length < passphraseCharactersMin)
    throw usageError(`The passphrase has ${length} character${length === 1 ? "" : "s"}; it needs ${passphraseCharactersMin} or more. Nothing was stored.`);
  return passphrase;
};

/** What may be shown of a key: its last four characters where that gives nothing away. */
export const keyHintOf = (key: string): string => (key.length >= 16 ? `****${key.slice(-4)}` : "****");

const refusalsMax = 3;

type Asking<T> = {
  readonly message: string;
  readonly check: (text: string) => string | undefined;
  readonly use: (typed: string) => Promise<T>;
  readonly isRefusal: (error: CliError) => boolean;
  /** What is said before it is asked for again. */
  readonly refused: string;
};

/**
 * Asks for a secret on a terminal and gives it to `use`. If `use` refuses it, it is asked for again in place, three times in all, so that
 * the next paste does not reach the shell. Throws what `use` throws.
 */
export const askSecret = async <T>({ message, check, use, isRefusal, refused }: Asking<T>, prompt: Pick<Prompter, "secret" | "unheard">): Promise<T> => {
  for (let refusals = 1; ; refusals += 1) {
    const typed = await prompt.secret({ message: refusals === 1 ? message : [refused, message], check });
    try {
      return await prompt.unheard(() => use(typed));
    } catch (error) {
      if (!(error instanceof CliError) || !isRefusal(error) || refusals === refusalsMax) throw error;
    }
  }
};

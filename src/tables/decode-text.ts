import { usageError } from "../errors.ts";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** UTF-16 without a mark shows by zeros in every other byte: Latin text has one half of each unit zero. */
const utf16Of = (head: Uint8Array): Encoding | undefined => {
  let even = 0;
  let odd = 0;
  for (let index = 0; index < head.length; index += 1) {
    if (head[index] !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  const enough = head.length * 0.3;
  if (odd > enough && even === 0) return "utf-16le";
  if (even > enough && odd === 0) return "utf-16be";
  return undefined;
};

/** The encoding by its mark, else by content; undefined: UTF-8 if it is valid all through, else windows-1252. */
export const sniffEncoding = (head: Uint8Array): { readonly encoding: Encoding | undefined; readonly bomBytes: number } => {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", bomBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", bomBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", bomBytes: 2 };
  return { encoding: utf16Of(head.subarray(0, 4096)), bomBytes: 0 };
};

/**
 * Tells UTF-8 from windows-1252, from all bytes of a file in order. A file that holds characters of both is neither: whichever
 * is assumed, some of its characters come out as others.
 */
export const createUtf8Check = () => {
  const strict = new TextDecoder("utf-8", { fatal: true });
  let valid = true;
  let wide = false;
  const feed = (bytes: Uint8Array | undefined): void => {
    if (valid) {
      try {
        const text = bytes === undefined ? strict.decode() : strict.decode(bytes, { stream: true });
        wide ||= text.length !== bytes?.length && /[^\u0000-\u007f]/.test(text);
        return;
      } catch {
        valid = false;
        // Cut off in the middle of a character.
        wide ||= bytes === undefined;
      }
    }
    if (!wide && bytes !== undefined) wide = /[^\u0000-\u007f\ufffd]/.test(new TextDecoder("utf-8").decode(bytes));
  };
  return {
    feed,
    end: (): "utf-8" | "windows-1252" | "mixed" => {
      feed(undefined);
      return valid ? "utf-8" : wide ? "mixed" : "windows-1252";
    },
  };
};

/** Decodes a text that comes in pieces; `undefined` is its end. Throws CliError usage for what is no text, or cut off. */
export const createTextDecoder = (encoding: Encoding, name: string): ((piece: Uint8Array | undefined) => string) => {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (piece) => {
    let text: string;
    try {
      text = piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    } catch {
      throw usageError(`${name} is cut off or damaged: it holds bytes that are not ${encoding.toUpperCase()}.`, "export it again");
    }
    if (text.includes("\u0000")) throw usageError(`${name} is no text: it has zero bytes.`, "CSV, TSV, JSONL and XLSX are understood");
    return text;
  };
};

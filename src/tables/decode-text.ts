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

/** What the bytes of a file are: `mixed` is UTF-8 with bytes of windows-1252 in it, `cut` is UTF-8 that ends within a character. */
export type TextKind = "utf-8" | "windows-1252" | "mixed" | "cut";

/** Tells UTF-8 from windows-1252, from all bytes of a file in order. */
export const createUtf8Check = () => {
  const strict = new TextDecoder("utf-8", { fatal: true });
  let valid = true;
  let wide = false;
  const feed = (bytes: Uint8Array): void => {
    if (valid) {
      try {
        const text = strict.decode(bytes, { stream: true });
        wide ||= text.length !== bytes.length && /[^\u0000-\u007f]/.test(text);
        return;
      } catch {
        valid = false;
      }
    }
    if (!wide) wide = /[^\u0000-\u007f\ufffd]/.test(new TextDecoder("utf-8").decode(bytes));
  };
  const isWhole = (): boolean => {
    try {
      strict.decode();
      return true;
    } catch {
      return false;
    }
  };
  return {
    feed,
    end: (): TextKind => {
      if (!valid) return wide ? "mixed" : "windows-1252";
      return isWhole() ? "utf-8" : "cut";
    },
  };
};

/** Matches, in a text with one letter for each byte: a complete UTF-8 character beyond ASCII, a line end, or another byte beyond ASCII. */
const wideOrStray =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\n\x80-\xff]/g;

/** Decodes UTF-8 in which single bytes are windows-1252, as where two exports were joined. `onStray` gets the line of each such byte, from 1. */
export const createMixedDecoder = (onStray: (line: number) => void = () => undefined): ((piece: Uint8Array | undefined) => string) => {
  let rest = "";
  let line = 1;
  // In a stream, as Node 20 otherwise decodes a single byte as Latin-1.
  const single = new TextDecoder("windows-1252", { fatal: true });
  return (piece) => {
    const letters = rest + Buffer.from(piece ?? []).toString("latin1");
    // A character may go on in the next piece.
    const cut = piece === undefined ? -1 : letters.search(/[\xc2-\xf4][\x80-\xbf]{0,2}$/);
    rest = cut < 0 ? "" : letters.slice(cut);
    return letters.slice(0, letters.length - rest.length).replace(wideOrStray, (found) => {
      if (found === "\n") line += 1;
      else if (found.length === 1) onStray(line);
      return found.length === 1 && found !== "\n"
        ? single.decode(Buffer.from(found, "latin1"), { stream: true })
        : Buffer.from(found, "latin1").toString("utf8");
    });
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
      throw usageError(`${name} is cut off or damaged: it holds bytes that are not ${encoding.toUpperCase()}.`, "Export it again");
    }
    if (text.includes("\u0000")) throw usageError(`${name} is no text: it has zero bytes.`, "Export it as CSV, XLSX, XLS, ODS, JSONL or MT940.");
    return text;
  };
};

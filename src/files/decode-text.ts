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

/** Is every byte of these chunks part of valid UTF-8? */
export const createUtf8Check = () => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let valid = true;
  const feed = (bytes: Uint8Array | undefined): boolean => {
    if (!valid) return false;
    try {
      if (bytes === undefined) decoder.decode();
      else decoder.decode(bytes, { stream: true });
    } catch {
      valid = false;
    }
    return valid;
  };
  return { feed: (bytes: Uint8Array): boolean => feed(bytes), end: (): boolean => feed(undefined) };
};

/** A decoder that never throws and drops the byte order mark. */
export const decoderOf = (encoding: Encoding) => new TextDecoder(encoding);

/**
 * Numbers texts in the order they are first met, each exactly once. A Map of a million short strings takes some 100 bytes for
 * each; here it is the bytes themselves and about 15 more.
 */
export type Texts = {
  readonly count: () => number;
  /** The number of this text, a new one where it is new. */
  readonly idOf: (text: string) => number;
  /** The number of a text that is known; -1 else. */
  readonly find: (text: string) => number;
  readonly textOf: (id: number) => string;
};

const chunkBytes = 1 << 20;
/** Longer texts, and those beyond Latin-1, are held as strings: they are few. */
const narrowMax = 4096;
const elsewhere = 0xffff;

export const createTexts = (): Texts => {
  const chunks: Uint8Array[] = [];
  let used = chunkBytes;
  let starts = new Uint32Array(1024);
  let lengths = new Uint16Array(1024);
  let tags = new Uint8Array(1024);
  let table = new Int32Array(4096);
  const strings = new Map<number, string>();
  const stringIds = new Map<string, number>();
  let count = 0;

  const reserve = (): void => {
    if (count < starts.length) return;
    const [oldStarts, oldLengths, oldTags] = [starts, lengths, tags];
    starts = new Uint32Array(count * 2);
    starts.set(oldStarts);
    lengths = new Uint16Array(count * 2);
    lengths.set(oldLengths);
    tags = new Uint8Array(count * 2);
    tags.set(oldTags);
  };
  /** Made again from the bytes: keeping it would cost four for each text, and it is needed only while the table grows. */
  const hashHeld = (id: number): number => {
    const start = starts[id] ?? 0;
    const chunk = chunks[Math.floor(start / chunkBytes)];
    const from = start % chunkBytes;
    let hash = hashStart;
    if (chunk !== undefined) for (let index = from; index < from + (lengths[id] ?? 0); index += 1) hash = Math.imul(hash ^ (chunk[index] ?? 0), hashFactor);
    return mixed(hash);
  };
  const rehash = (): void => {
    table = new Int32Array(table.length * 2);
    const mask = table.length - 1;
    for (let id = 0; id < count; id += 1) {
      if (lengths[id] === elsewhere) continue;
      let at = hashHeld(id) & mask;
      while (table[at] !== 0) at = (at + 1) & mask;
      table[at] = id + 1;
    }
  };
  const holds = (id: number, text: string): boolean => {
    if (lengths[id] !== text.length) return false;
    const start = starts[id] ?? 0;
    const chunk = chunks[Math.floor(start / chunkBytes)];
    if (chunk === undefined) return false;
    const from = start % chunkBytes;
    for (let index = 0; index < text.length; index += 1) if (chunk[from + index] !== text.charCodeAt(index)) return false;
    return true;
  };
  const keep = (text: string, hash: number): number => {
    if (used + text.length > chunkBytes) {
      chunks.push(new Uint8Array(chunkBytes));
      used = 0;
    }
    const chunk = chunks[chunks.length - 1];
    if (chunk !== undefined) for (let index = 0; index < text.length; index += 1) chunk[used + index] = text.charCodeAt(index);
    reserve();
    starts[count] = (chunks.length - 1) * chunkBytes + used;
    lengths[count] = text.length;
    tags[count] = hash >>> 24;
    used += text.length;
    count += 1;
    return count - 1;
  };
  const keepString = (text: string): number => {
    const known = stringIds.get(text);
    if (known !== undefined) return known;
    reserve();
    lengths[count] = elsewhere;
    strings.set(count, text);
    stringIds.set(text, count);
    count += 1;
    return count - 1;
  };

  /** Where in the table the text is, or could be put. */
  const placeOf = (text: string, hash: number): number => {
    const mask = table.length - 1;
    let at = hash & mask;
    for (let held = table[at] ?? 0; held !== 0; held = table[at] ?? 0) {
      if (tags[held - 1] === hash >>> 24 && holds(held - 1, text)) return at;
      at = (at + 1) & mask;
    }
    return at;
  };

  return {
    count: () => count,
    find(text) {
      const hash = hashOf(text);
      return hash === undefined ? (stringIds.get(text) ?? -1) : (table[placeOf(text, hash)] ?? 0) - 1;
    },
    idOf(text) {
      const hash = hashOf(text);
      if (hash === undefined) return keepString(text);
      const at = placeOf(text, hash);
      const held = table[at] ?? 0;
      if (held !== 0) return held - 1;
      const id = keep(text, hash);
      table[at] = id + 1;
      if (count * 2 > table.length) rehash();
      return id;
    },
    textOf(id) {
      const length = lengths[id] ?? 0;
      if (length === elsewhere) return strings.get(id) ?? "";
      const start = starts[id] ?? 0;
      const from = start % chunkBytes;
      return String.fromCharCode(...(chunks[Math.floor(start / chunkBytes)]?.subarray(from, from + length) ?? []));
    },
  };
};

const hashStart = 0x811c9dc5;
const hashFactor = 0x01000193;
const mixed = (hash: number): number => {
  const half = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return half ^ (half >>> 15);
};

/** FNV-1a with its bits mixed once more; undefined for what is not held as bytes. */
const hashOf = (text: string): number | undefined => {
  if (text.length > narrowMax || text === "") return undefined;
  let hash = hashStart;
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    wide |= code;
    hash = Math.imul(hash ^ code, hashFactor);
  }
  if (wide > 0xff) return undefined;
  return mixed(hash);
};

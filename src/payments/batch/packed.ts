/** Texts by number from 1. A later one takes the place of an earlier. */
export type Packed = { set(at: number, text: string): void; get(at: number): string | undefined };

const chunkBytes = 1024 * 1024;
const lengthBytes = 4;
/** A place is a chunk's number times this, plus where in the chunk. */
const chunkSpan = 2 ** 32;

/**
 * Keeps texts as bytes outside the heap: what a batch has to know of each row to its end is then about as large as the file
 * itself, and nothing that the collector has to walk (issue: 100,000 rows in flat memory).
 */
export const createPacked = (): Packed => {
  const chunks: Buffer[] = [];
  let used = chunkBytes;
  // Zero where there is none.
  let places = new Float64Array(1024);
  const room = (bytes: number): { readonly chunk: Buffer; readonly from: number } => {
    let chunk = chunks.at(-1);
    if (chunk === undefined || used + bytes > chunk.length) {
      chunk = Buffer.allocUnsafeSlow(Math.max(chunkBytes, bytes));
      chunks.push(chunk);
      used = 0;
    }
    const from = used;
    used += bytes;
    return { chunk, from };
  };
  return {
    set: (at, text) => {
      const length = Buffer.byteLength(text);
      const { chunk, from } = room(lengthBytes + length);
      chunk.writeUInt32LE(length, from);
      chunk.write(text, from + lengthBytes);
      if (at >= places.length) {
        const grown = new Float64Array(Math.max(at + 1, places.length * 2));
        grown.set(places);
        places = grown;
      }
      places[at] = chunks.length * chunkSpan + from;
    },
    get: (at) => {
      const place = places[at] ?? 0;
      if (place === 0) return undefined;
      const from = place % chunkSpan;
      const chunk = chunks[(place - from) / chunkSpan - 1];
      if (chunk === undefined) return undefined;
      const start = from + lengthBytes;
      return chunk.toString("utf8", start, start + chunk.readUInt32LE(from));
    },
  };
};

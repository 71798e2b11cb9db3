/** All bytes that come, together. Throws `tooLarge()` as soon as there are more than allowed. */
export const readBytes = async (pieces: AsyncIterable<Uint8Array | string>, bytesMax: number, tooLarge: () => Error): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    total += bytes.length;
    if (total > bytesMax) throw tooLarge();
    parts.push(bytes);
  }
  return Buffer.concat(parts);
};

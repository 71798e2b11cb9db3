/** Which block has the answer kept under an id: 16 bytes for each, whatever the ids are. A block that is named may not have it after all. */
export type KeptIndex = {
  add(hash: number, block: number): void;
  /** The block of the answer that was added last with this hash. */
  find(hash: number): number | undefined;
};

/** 52 bits of an id, never 0. Of two ids with one hash the earlier answer is forgotten: among a million of them, one chance in nine thousand. */
export const hashOf = (id: string): number => {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d);
  high = Math.imul(high ^ (high >>> 13), 0x297a2d39);
  return ((high ^ (high >>> 16)) & 0xfffff) * 0x1_0000_0000 + ((low ^ (low >>> 12)) >>> 0) || 1;
};

export const createKeptIndex = (): KeptIndex => {
  let size = 1_024;
  let hashes = new Float64Array(size);
  let blocks = new Float64Array(size);
  let used = 0;
  const placeOf = (hash: number): number => {
    let at = (hash >>> 0) & (size - 1);
    for (let there = hashes[at]; there !== 0 && there !== hash; there = hashes[at]) at = (at + 1) & (size - 1);
    return at;
  };
  const put = (hash: number, block: number): void => {
    const at = placeOf(hash);
    if (hashes[at] === 0) used += 1;
    hashes[at] = hash;
    blocks[at] = block;
  };
  const grow = (): void => {
    const [oldHashes, oldBlocks] = [hashes, blocks];
    size *= 2;
    hashes = new Float64Array(size);
    blocks = new Float64Array(size);
    used = 0;
    oldHashes.forEach((hash, at) => {
      if (hash !== 0) put(hash, oldBlocks[at] ?? 0);
    });
  };
  return {
    add: (hash, block) => {
      put(hash, block);
      if (used * 2 > size) grow();
    },
    find: (hash) => {
      const at = placeOf(hash);
      return hashes[at] === hash ? blocks[at] : undefined;
    },
  };
};

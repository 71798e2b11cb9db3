import type { Entry, WalletName } from "../engine/entities.ts";
import type { Chunk } from "./blocks.ts";
import { type EntryValues, entriesOf, entryOf, entryValues } from "./lines.ts";

/** A wallet's entries that are in no block yet: those of each commit as one text, and those that are not written. Places are from 1. */
export type HotLedger = {
  readonly wallet: WalletName;
  /** So many are in blocks. */
  stored(): number;
  total(): number;
  put(entry: Entry): void;
  /** Places from + 1 to `to`, none of which is in a block, oldest first. */
  entries(from: number, to: number): readonly Entry[];
  /** What is not written yet, as it will be; empty where there is nothing. */
  text(): string;
  /** Text of the log: what is not written, or what another process wrote. */
  written(text: string): void;
  /** Chunks up to the place `last`. */
  chunksTo(last: number): readonly Chunk[];
  /** They are in blocks now. */
  storedTo(last: number): void;
  mark(): void;
  undo(): void;
};

export const createHotLedger = (wallet: WalletName, storedBefore: number): HotLedger => {
  let stored = storedBefore;
  let chunks: Chunk[] = [];
  let written = stored;
  /** The last chunk, which is looked at with nearly each commit. */
  let newest: readonly EntryValues[] = [];
  let fresh: EntryValues[] = [];
  let marked = 0;
  /** The values from the place after `from` on, of as few chunks as have them. */
  const valuesAfter = (from: number): { readonly first: number; readonly values: readonly EntryValues[] } => {
    if (from >= written) return { first: written, values: fresh };
    if (from >= written - newest.length) return { first: written - newest.length, values: [...newest, ...fresh] };
    let first = written;
    let at = chunks.length;
    while (at > 0 && first > from) {
      at -= 1;
      first -= chunks[at]?.count ?? 0;
    }
    return { first, values: [...chunks.slice(at).flatMap(({ text }) => entriesOf(text)), ...fresh] };
  };
  const chunksTo = (last: number): readonly Chunk[] => {
    const found: Chunk[] = [];
    let place = stored;
    for (const chunk of chunks) {
      place += chunk.count;
      if (place > last) break;
      found.push(chunk);
    }
    return found;
  };
  return {
    wallet,
    stored: () => stored,
    total: () => written + fresh.length,
    put: (entry) => void fresh.push(entryValues(entry)),
    entries: (from, to) => {
      if (from >= to) return [];
      const { first, values } = valuesAfter(from);
      return values.slice(from - first, to - first).map((one) => entryOf(wallet, one));
    },
    text: () => (fresh.length === 0 ? "" : JSON.stringify(fresh)),
    written: (text) => {
      newest = fresh.length > 0 ? fresh : entriesOf(text);
      chunks.push({ count: newest.length, text });
      written += newest.length;
      fresh = [];
    },
    chunksTo,
    storedTo: (last) => {
      chunks = chunks.slice(chunksTo(last).length);
      stored = last;
    },
    mark: () => {
      marked = fresh.length;
    },
    undo: () => {
      fresh.length = marked;
    },
  };
};

import type { Tables } from "../storage/tables.ts";

/**
 * What one step works with: the state, and one moment for all of it. Nothing in the engine reads a clock or rolls dice of its own.
 */
export type Unit = Tables & {
  /** The sandbox's own time, ms. */
  readonly nowMs: number;
  /** Is somebody looking at the phone simulator? */
  readonly phoneIsWatched: boolean;
};

export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A well-mixed 32-bit number of two: the engine's only chance, so the same seed and calls give the same answers. */
export const mix = (seed: number, index: number): number => {
  let hash = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 0x7f4a7c15, 0xc2b2ae35)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
};

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const lettersOf = (seed: number, index: number, count: number): string => {
  let text = "";
  let word = 0;
  for (let at = 0; at < count; at += 1) {
    if ((at & 3) === 0) word = mix(seed + (at >> 2), index * 31 + (at >> 2));
    text += alphabet[(word >>> ((at & 3) * 8)) & 31] ?? "0";
  }
  return text;
};

/** Counts one on. What calls make is counted apart from what follows, so that its ids depend on the calls before it alone. */
export const nextCount = ({ core, change }: Unit, counter: "sequence" | "postings"): number => {
  const count = core[counter] + 1;
  change({ [counter]: count });
  return count;
};

/** The id of what a call makes, or (`postings`) of what follows. Ids grow with time, which keeps their index small, and end in letters nobody guesses. */
export const nextId = (unit: Unit, prefix: string, counter: "sequence" | "postings" = "sequence"): string => {
  const count = nextCount(unit, counter);
  return `${prefix}${count.toString(36).toUpperCase().padStart(6, "0")}${lettersOf(unit.core.seed, count, 8)}`;
};
/** What an id was counted as. */
export const countOfId = (id: string): number => parseInt(id.slice(-14, -8), 36) || 0;

/** Ten capital letters and digits as on a carrier's receipt, never twice the same: the last six count. */
export const receiptOf = (seed: number, sequence: number, nowMs: number): string => {
  const date = new Date(nowMs + 3 * 3_600_000);
  const day = "123456789ABCDEFGHIJKLMNOPQRSTUV"[date.getUTCDate() - 1] ?? "1";
  const letters = `${String.fromCharCode(65 + ((date.getUTCFullYear() - 2006) % 26))}${String.fromCharCode(65 + date.getUTCMonth())}${day}`;
  const spread = (sequence * 7_919 + (mix(seed, 1) % 46_656)) % 2_176_782_336;
  return `${letters}${alphabet[mix(seed, sequence) & 31] ?? "0"}${spread.toString(36).toUpperCase().padStart(6, "0")}`;
};

import type { Entry } from "./entries.ts";

export type Key = (entry: Entry) => string | undefined;
export type Group = { readonly ours: readonly Entry[]; readonly theirs: readonly Entry[] };

/** One entry, or several: nearly every key of a large file has one, and a million lists of one would be larger than the rows. */
type Held = Entry | Entry[] | undefined;
const listOf = (held: Held): readonly Entry[] => (held === undefined ? [] : Array.isArray(held) ? held : [held]);
const add = (held: Held[], place: number, entry: Entry): void => {
  const before = held[place];
  if (before === undefined) held[place] = entry;
  else if (Array.isArray(before)) before.push(entry);
  else held[place] = [before, entry];
};

/** Calls `work` with what both sides have under each key they share; it returns what it left. Gives all that is left. */
export const eachGroup = ({ ours, theirs }: Group, key: Key, work: (group: Group) => Group): Group => {
  // Copies of a million entries are not made for keys that no entry has.
  if (!ours.some((entry) => key(entry) !== undefined)) return { ours, theirs };
  /** One map for both sides, of numbers: two of a million entries are larger than what they hold. */
  const places = new Map<string, number>();
  const here: Held[] = [];
  const oursLeft: Entry[] = [];
  const theirsLeft: Entry[] = [];
  for (const entry of ours) {
    const name = key(entry);
    if (name === undefined) {
      oursLeft.push(entry);
      continue;
    }
    const known = places.get(name);
    if (known === undefined) places.set(name, here.push(entry) - 1);
    else add(here, known, entry);
  }
  const there = new Array<Held>(here.length);
  for (const entry of theirs) {
    const name = key(entry);
    const place = name === undefined ? undefined : places.get(name);
    if (place === undefined) theirsLeft.push(entry);
    else add(there, place, entry);
  }
  here.forEach((held, place) => {
    const group = { ours: listOf(held), theirs: listOf(there[place]) };
    const left = group.theirs.length === 0 ? group : work(group);
    for (const entry of left.ours) oursLeft.push(entry);
    for (const entry of left.theirs) theirsLeft.push(entry);
  });
  return { ours: oursLeft, theirs: theirsLeft };
};

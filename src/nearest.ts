/** The closest of some names, if any is close enough to be a slip of the fingers. */
export const nearest = (typed: string, names: readonly string[]): string | undefined => nearestOf(typed, names)?.name;

/** The same, with the number of slips. */
export const nearestOf = (typed: string, names: readonly string[]): { readonly name: string; readonly slips: number } | undefined => {
  const scored = names.map((name) => ({ name, slips: distance(typed.toLowerCase(), name) })).sort((a, b) => a.slips - b.slips);
  const best = scored[0];
  return best !== undefined && best.slips <= Math.max(1, Math.floor(Math.max(typed.length, best.name.length) / 3)) ? best : undefined;
};

/** Slips between two words: a letter too many, too few, another one, or two changed about. */
const distance = (a: string, b: string): number => {
  let before: readonly number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] ? (before[column - 2] ?? 0) + 1 : substitution;
      current.push(Math.min(substitution, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
};

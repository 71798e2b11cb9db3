/** Items by a name of theirs, in the order in which they come. (`Map.groupBy` is not in Node 20.) */
export const groupBy = <Item, Name>(items: Iterable<Item>, nameOf: (item: Item) => Name): Map<Name, Item[]> => {
  const groups = new Map<Name, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
};

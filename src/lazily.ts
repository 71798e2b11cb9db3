/** Makes something when it is first asked for, and gives the same ever after. */
export const lazily = <T extends NonNullable<unknown>>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

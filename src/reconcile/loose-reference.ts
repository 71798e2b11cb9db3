/** A reference without case, spaces and punctuation; undefined if nothing is left. */
export const looseReference = (reference: string): string | undefined => {
  const loose = reference
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return loose === "" ? undefined : loose;
};

/** What banks and people write where there is no reference: two such rows have nothing in common. */
export const namesNothing = (text: string): boolean =>
  text === "" || (text.length < 15 && /^(?:not ?(?:provided|applicable)|non ?ref|none|null|nil|n\/?a|-+)$/iu.test(text));

/** A reference without case, spaces and punctuation; undefined if nothing is left. */
export const looseReference = (reference: string): string | undefined => {
  const loose = reference
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return loose === "" ? undefined : loose;
};

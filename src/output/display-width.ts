/** Columns a clean text takes on a terminal. */
export type DisplayWidth = (text: string) => number;

const plain = /^[\x20-\x7e\u2013\u2026]*$/;

/** ASCII (and our own dash and ellipsis) is as wide as it is long; only other text is worth loading the tables of wide characters for. */
export const loadDisplayWidth = async (texts: Iterable<string>): Promise<DisplayWidth> => {
  for (const text of texts) {
    if (plain.test(text)) continue;
    const { default: stringWidth } = await import("string-width");
    return (one) => (plain.test(one) ? one.length : stringWidth(one));
  }
  return (text) => text.length;
};

/** The text in pieces of at most `width` columns. Never through a grapheme. */
export const cutUp = (text: string, width: number, widthOf: DisplayWidth): readonly string[] => {
  if (widthOf(text) <= width) return [text];
  const pieces: string[] = [];
  let piece = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (piece !== "" && widthOf(piece + segment) > width) {
      pieces.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...pieces, piece];
};

/** The text cut to `width` columns, the last of them an ellipsis where something was cut. */
export const truncate = (text: string, width: number, widthOf: DisplayWidth): string => {
  if (width < 1 || widthOf(text) <= width) return width < 1 ? "" : text;
  return width === 1 ? "…" : `${cutUp(text, width - 1, widthOf)[0] ?? ""}…`;
};

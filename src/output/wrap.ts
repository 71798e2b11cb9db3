/** Less room than this and a hanging indent helps nobody. */
export const leastRoom = 20;

/** Columns, never too few: where tables of wide characters are not worth loading, wrapping a little early is harmless. */
export const columnsOf = (text: string): number => {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + (character < "\u1100" ? 1 : 2), 0);
};

/** A command is one piece up to where the sentence goes on: with a line end of ours in it, it could not be pasted. */
const pieces = /`[^`]*`\S*|(?:\$ )?\bpayments-cli (?:'[^']*'|"[^"]*"|.)*?(?=[;.,:]? {2}|; |\. |, (?!-)|: | \(|$)[;.,:]?|\S+/g;

export type Wrapping = {
  /** Columns of the terminal; Infinity (or 0) leaves the text as it is. */
  readonly width: number;
  /** Columns that are taken before the first line's text. */
  readonly start?: number;
  /** Spaces before the other lines; where not said, those of the text's own second column, else of its first. */
  readonly indent?: number;
};

/** Up to the last column of a line, as in a list of flags. */
const firstColumn = /^( *)(?:\S+(?: \S+)* {2,})+(?=\S)/;

const wrapLine = (line: string, { width, start = 0, indent }: Wrapping): string => {
  if (!(width > 0) || start + columnsOf(line) <= width) return line;
  const [first = "", lead = /^ */.exec(line)?.[0] ?? ""] = firstColumn.exec(line) ?? [];
  if (indent === undefined && first !== "" && width - first.length < leastRoom) {
    const below = `${lead}  ${line.slice(first.length)}`;
    return `${wrapLine(first.trimEnd(), { width, start })}\n${wrapLine(below, { width, indent: lead.length + 2 })}`;
  }
  const own = indent ?? (first.length || lead.length);
  const hanging = " ".repeat(width - own >= leastRoom ? own : Math.min(own, 2));
  const lines: string[] = [];
  let current = "";
  let from = 0;
  for (const match of line.matchAll(pieces)) {
    const gap = line.slice(from, match.index);
    from = match.index + match[0].length;
    const used = lines.length === 0 ? start : 0;
    const fits = used + columnsOf(current + gap + match[0]) <= width;
    if (fits || current.trim() === "") current += gap + match[0];
    else {
      lines.push(current);
      current = hanging + match[0];
    }
  }
  return [...lines, current].join("\n");
};

/**
 * Text for people broken at words where the terminal is narrower; what is longer than a line (a URL, a command to paste) is left
 * to the terminal's own wrapping, which copies as one line.
 */
export const wrapText = (text: string, wrapping: Wrapping): string =>
  text
    .split("\n")
    .map((line) => wrapLine(line, wrapping))
    .join("\n");

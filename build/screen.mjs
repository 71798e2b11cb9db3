// A terminal's bytes as an SVG picture: enough of ANSI for what this program writes, with the text kept as text.
import stringWidth from "string-width";

const colours = { 30: "#484f58", 31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: "#e6edf3", 90: "#8b949e" };
const plain = { fill: "#e6edf3", bold: false, dim: false };

const restyle = (style, codes) => {
  let next = style;
  for (const code of (codes === "" ? "0" : codes).split(";").map(Number)) {
    if (code === 0) next = plain;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 39) next = { ...next, fill: plain.fill };
    else if (colours[code] !== undefined) next = { ...next, fill: colours[code] };
  }
  return next;
};

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The lines on the screen once `bytes` were written: cells of one grapheme, its columns and its style. */
export const screenOf = (bytes, columns) => {
  const lines = [[]];
  let [row, column, style] = [0, 0, plain];
  const line = () => {
    while (lines.length <= row) lines.push([]);
    return lines[row];
  };
  for (const [part] of bytes.matchAll(/\u001b\[[?\d;]*[A-Za-z]|[\r\n]|[^\u001b\r\n]+/g)) {
    if (part === "\r") column = 0;
    else if (part === "\n") row += 1;
    else if (part.startsWith("\u001b")) {
      const count = Number(/\d+/.exec(part)?.[0] ?? 1);
      if (part.endsWith("m")) style = restyle(style, part.slice(2, -1));
      else if (part === "\u001b[2K") lines[row] = [];
      else if (part.endsWith("K")) line().splice(column);
      else if (part.endsWith("G")) column = count - 1;
      else if (part.endsWith("A")) row = Math.max(0, row - count);
    } else
      for (const { segment } of graphemes.segment(part)) {
        const width = stringWidth(segment);
        if (column + width > columns) [row, column] = [row + 1, 0];
        line()[column] = { segment, width, style };
        column += width;
      }
  }
  return lines;
};

const [cellWidth, lineHeight, margin, bar] = [8.4, 19, 16, 34];
const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const round = (value) => Number(value.toFixed(1));

const runsOf = (cells) => {
  const runs = [];
  for (const [column, cell] of cells.entries()) {
    if (cell === undefined || cell.segment === " ") continue;
    const last = runs.at(-1);
    // One space inside a phrase keeps it whole; more of them are columns.
    if (last !== undefined && last.style === cell.style && column - last.end <= 1) {
      last.text += " ".repeat(column - last.end) + cell.segment;
      last.end = column + cell.width;
    } else runs.push({ text: cell.segment, start: column, end: column + cell.width, style: cell.style });
  }
  return runs;
};

const textOf = ({ text, start, end, style }, y) => {
  const look = `${style.fill === plain.fill ? "" : ` fill="${style.fill}"`}${style.bold ? ' font-weight="700"' : ""}${style.dim ? ' opacity=".65"' : ""}`;
  // The length keeps columns straight in whatever font is there.
  const length = end - start > 1 ? ` textLength="${round((end - start) * cellWidth)}" lengthAdjust="spacingAndGlyphs"` : "";
  return `<text x="${round(margin + start * cellWidth)}" y="${y}"${length}${look}>${escaped(text)}</text>`;
};

/** Screens below each other, each in a window of its own. `says` is what a person who hears the picture is told. */
export const pictureOf = (screens, columns, says) => {
  const width = Math.ceil(columns * cellWidth + 2 * margin);
  const parts = [];
  let top = 0;
  for (const screen of screens) {
    const lines = screen.slice(0, screen.findLastIndex((cells) => cells.some((cell) => cell !== undefined && cell.segment !== " ")) + 1);
    const height = bar + lines.length * lineHeight + margin;
    parts.push(`<rect y="${top}" width="${width}" height="${height}" rx="8" fill="#0d1117"/>`);
    for (const [at, fill] of ["#ff5f57", "#febc2e", "#28c840"].entries())
      parts.push(`<circle cx="${margin + 4 + at * 18}" cy="${top + 17}" r="5.5" fill="${fill}"/>`);
    for (const [at, cells] of lines.entries()) {
      const y = top + bar + 13 + at * lineHeight;
      parts.push(...runsOf(Array.from(cells)).map((run) => textOf(run, y)));
    }
    top += height + 10;
  }
  const height = top - 10;
  const font = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${font}" font-size="14" fill="${plain.fill}"><title>${escaped(says)}</title>\n${parts.join("\n")}\n</svg>\n`;
};

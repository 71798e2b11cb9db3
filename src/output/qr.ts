/**
 * A QR code as lines of half blocks, with the quiet zone scanners need. On a light terminal it is the negative, which
 * scanners read too. Undefined if the text is too long or the code wider or higher than `room`: half a code cannot be scanned.
 */
export const qrLines = async (text: string, room: { readonly columns: number; readonly rows: number }): Promise<readonly string[] | undefined> => {
  const { encode } = await import("uqr");
  let code: { readonly size: number; readonly data: readonly (readonly boolean[])[] };
  try {
    code = encode(text, { ecc: "L", border: 2 });
  } catch {
    return undefined;
  }
  if (code.size > room.columns || Math.ceil(code.size / 2) > room.rows) return undefined;
  const lines: string[] = [];
  for (let row = 0; row < code.size; row += 2) {
    let line = "";
    for (let column = 0; column < code.size; column += 1) {
      // Light is drawn, dark is left: terminals are dark more often than not, and scanners read both.
      const top = code.data[row]?.[column] !== true;
      const bottom = row + 1 < code.size && code.data[row + 1]?.[column] !== true;
      line += top ? (bottom ? "█" : "▀") : bottom ? "▄" : " ";
    }
    lines.push(line);
  }
  return lines;
};

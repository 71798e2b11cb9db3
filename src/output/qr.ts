/**
 * A QR code as lines of half blocks, with the quiet zone scanners need. On a light terminal it is the negative, which scanners read too.
 * Undefined if it is wider or higher than `room`: half a code cannot be scanned. Rejects if the text is too long for any.
 */
export const qrLines = async (text: string, room: { readonly columns: number; readonly rows: number }): Promise<readonly string[] | undefined> => {
  const { renderUnicodeCompact } = await import("uqr");
  const lines = renderUnicodeCompact(text, { ecc: "L", border: 2 }).split("\n");
  const [{ length: columns } = ""] = lines;
  return columns > room.columns || lines.length > room.rows ? undefined : lines;
};

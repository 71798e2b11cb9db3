import { UnreadableWorkbook } from "./unreadable.ts";

const begins: ReadonlySet<number> = new Set([0x0809, 0x0409, 0x0209, 0x0009]);
const ends = 0x000a;
const password = 0x002f;
const sheetRecord = 0x0085;
const recordsMax = 8_000_000;

/**
 * Goes through the records of an .xls workbook's stream once: each has its length, and each part (the list of sheets, every sheet)
 * begins and ends. The reader of cells takes what is cut off for the end, so a part of a sheet would be a whole one.
 * Throws UnreadableWorkbook; says whether the workbook is encrypted.
 */
export const checkRecords = (stream: Buffer): "sound" | "encrypted" => {
  const starts = new Set<number>();
  const sheets: number[] = [];
  let depth = 0;
  let at = 0;
  for (let count = 0; at + 4 <= stream.length; count += 1) {
    const type = stream.readUInt16LE(at);
    const next = at + 4 + stream.readUInt16LE(at + 2);
    // Behind the last part there may be anything: containers are filled up.
    if (depth === 0 && !begins.has(type)) break;
    if (next > stream.length || count > recordsMax) throw new UnreadableWorkbook("it is cut off within a sheet");
    if (type === password) return "encrypted";
    if (begins.has(type)) {
      if (depth === 0) starts.add(at);
      depth += 1;
    } else if (type === ends) depth -= 1;
    else if (type === sheetRecord && depth === 1 && next - at >= 8) sheets.push(stream.readUInt32LE(at + 4));
    at = next;
  }
  if (depth !== 0 || starts.size === 0) throw new UnreadableWorkbook("it is cut off within a sheet");
  if (sheets.some((start) => !starts.has(start))) throw new UnreadableWorkbook("it is cut off: one of its sheets is missing");
  return "sound";
};

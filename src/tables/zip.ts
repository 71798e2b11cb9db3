import { crc32, createInflateRaw } from "node:zlib";
import { UnreadableWorkbook } from "./unreadable.ts";

export type ZipEntry = {
  readonly name: string;
  readonly encrypted: boolean;
  /** Bytes, as the archive says. */
  readonly packedSize: number;
  readonly size: number;
  /** Unpacks piece by piece. Throws UnreadableWorkbook unless size and checksum are what the archive says. */
  readonly pieces: () => AsyncGenerator<Uint8Array>;
};

const entriesMax = 5000;
const endSize = 22;
const centralSize = 46;
const localSize = 30;
const endSignature = 0x06054b50;
const centralSignature = 0x02014b50;
const localSignature = 0x04034b50;
const encryptedFlag = 1;
const sizesFollowFlag = 8;

/**
 * The entries of a zip file in memory, by their names in lower case: in a workbook these are compared without regard to case.
 *
 * Our own reader and no library, as those at hand take the last of two entries of one name, and neither compare the two headers
 * of an entry nor check sums: a changed or cut part would be read as other values. Throws UnreadableWorkbook.
 */
export const readZip = (file: Uint8Array): ReadonlyMap<string, ZipEntry> => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (at + bytes.readUInt32LE(end + 12) !== end) throw new UnreadableWorkbook("its list of contents is not where it should be");
  if (count > entriesMax) throw new UnreadableWorkbook(`it has more than ${entriesMax} parts`);
  const entries = new Map<string, ZipEntry>();
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readEntry(bytes, at, end);
    const key = entry.name.toLowerCase();
    if (entries.has(key)) throw new UnreadableWorkbook(`it holds ${entry.name} twice`);
    entries.set(key, entry);
    at = next;
  }
  if (at !== end) throw new UnreadableWorkbook("its list of contents has another length than it says");
  return entries;
};

/** Where the record at the end begins. Two that fit would be two different archives. */
const findEnd = (bytes: Buffer): number => {
  const found: number[] = [];
  for (let at = bytes.length - endSize; at >= Math.max(0, bytes.length - endSize - 0xffff); at -= 1)
    if (bytes.readUInt32LE(at) === endSignature && at + endSize + bytes.readUInt16LE(at + 20) === bytes.length) found.push(at);
  const [end] = found;
  if (end === undefined || found.length > 1) throw new UnreadableWorkbook("it is cut off, or not a zip file");
  return end;
};

const readEntry = (bytes: Buffer, at: number, end: number): { readonly entry: ZipEntry; readonly next: number } => {
  if (at + centralSize > end || bytes.readUInt32LE(at) !== centralSignature) throw new UnreadableWorkbook("its list of contents is broken");
  const flags = bytes.readUInt16LE(at + 8);
  const method = bytes.readUInt16LE(at + 10);
  const sum = bytes.readUInt32LE(at + 16);
  const packedSize = bytes.readUInt32LE(at + 20);
  const size = bytes.readUInt32LE(at + 24);
  const nameEnd = at + centralSize + bytes.readUInt16LE(at + 28);
  const next = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  if (next > end) throw new UnreadableWorkbook("its list of contents is broken");
  const name = bytes.toString("utf8", at + centralSize, nameEnd);
  const local = bytes.readUInt32LE(at + 42);
  const contradiction = new UnreadableWorkbook(`its part ${name} is cut off or described in two ways`);
  if (local + localSize > end || bytes.readUInt32LE(local) !== localSignature || bytes.readUInt16LE(local + 8) !== method) throw contradiction;
  const localNameEnd = local + localSize + bytes.readUInt16LE(local + 26);
  const start = localNameEnd + bytes.readUInt16LE(local + 28);
  if (start + packedSize > end || bytes.toString("utf8", local + localSize, localNameEnd) !== name) throw contradiction;
  const sizesGiven = (bytes.readUInt16LE(local + 6) & sizesFollowFlag) === 0;
  if (sizesGiven && (bytes.readUInt32LE(local + 14) !== sum || bytes.readUInt32LE(local + 22) !== size)) throw contradiction;
  const packed = bytes.subarray(start, start + packedSize);
  return { entry: { name, encrypted: (flags & encryptedFlag) !== 0, packedSize, size, pieces: () => unpack({ name, method, packed, size, sum }) }, next };
};

type Packed = { readonly name: string; readonly method: number; readonly packed: Buffer; readonly size: number; readonly sum: number };

const unpack = async function* ({ name, method, packed, size, sum }: Packed): AsyncGenerator<Uint8Array> {
  let total = 0;
  let found = 0;
  for await (const piece of method === 0 ? [packed] : inflate(packed, method, name)) {
    total += piece.length;
    if (total > size) break;
    found = crc32(piece, found);
    yield piece;
  }
  if (total !== size || found !== sum) throw new UnreadableWorkbook(`its part ${name} has another length or checksum than it says`);
};

const inflate = async function* (packed: Buffer, method: number, name: string): AsyncGenerator<Uint8Array> {
  if (method !== 8) throw new UnreadableWorkbook(`its part ${name} is packed in an unusual way`);
  const stream = createInflateRaw({ chunkSize: 64 * 1024 });
  stream.end(packed);
  try {
    for await (const piece of stream) yield piece;
  } catch (cause) {
    // The reader's own errors do not pass here: a generator only sees those of its stream.
    throw new UnreadableWorkbook(`its part ${name} cannot be unpacked`, { cause });
  }
};

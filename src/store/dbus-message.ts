/** A value of D-Bus: structures, dictionary entries and arrays are lists, an array of bytes is a Buffer. */
export type Value = number | bigint | boolean | string | Buffer | Variant | readonly Value[];
export type Variant = { readonly signature: string; readonly value: Value };
export type Message = { readonly type: number; readonly fields: ReadonlyMap<number, Value>; readonly body: readonly Value[] };

export const messageType = { call: 1, reply: 2, error: 3, signal: 4 } as const;
export const field = { path: 1, interface: 2, member: 3, errorName: 4, replySerial: 5, destination: 6, signature: 8 } as const;

const alignments: Readonly<Record<string, number>> = { y: 1, g: 1, v: 1, n: 2, q: 2, x: 8, t: 8, d: 8, "(": 8, "{": 8 };
const alignment = (type: string): number => alignments[type.charAt(0)] ?? 4;
const padding = (at: number, type: string): number => -at & (alignment(type) - 1);
const broken = (): Error => new Error("the message bus said something that is no message");

/** The complete types that a signature is made of: "a{sv}(oay)b" is three. */
const split = (signature: string): readonly string[] => {
  const types: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < signature.length; at++) {
    const letter = signature.charAt(at);
    if ("({".includes(letter)) depth++;
    else if (")}".includes(letter)) depth--;
    if (depth > 0 || letter === "a") continue;
    types.push(signature.slice(start, at + 1));
    start = at + 1;
  }
  return types;
};
const inner = (type: string): readonly string[] => split(type.slice(1, -1));
const isVariant = (value: Value): value is Variant => typeof value === "object" && "signature" in value;
const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const writeText = (out: number[], text: string, length: readonly number[] | Buffer): void => void out.push(...length, ...Buffer.from(text), 0);

/** What this program sends: bytes, numbers, booleans, text, object paths and what is made of them. */
export const write = (out: number[], type: string, value: Value): void => {
  out.push(...Buffer.alloc(padding(out.length, type)));
  const letter = type.charAt(0);
  if (letter === "y" && typeof value === "number") out.push(value);
  else if (letter === "u" && typeof value === "number") out.push(...u32(value));
  else if (letter === "b" && typeof value === "boolean") out.push(...u32(value ? 1 : 0));
  else if ((letter === "s" || letter === "o") && typeof value === "string") writeText(out, value, u32(Buffer.byteLength(value)));
  else if (letter === "g" && typeof value === "string") writeText(out, value, [value.length]);
  else if (letter === "v" && isVariant(value)) {
    write(out, "g", value.signature);
    write(out, value.signature, value.value);
  } else if (letter === "a" && Buffer.isBuffer(value)) out.push(...u32(value.length), ...value);
  else if (letter === "a" && isList(value)) writeArray(out, type.slice(1), value);
  else if (isList(value)) for (const [index, each] of inner(type).entries()) write(out, each, value[index] ?? "");
  else throw new Error(`No ${type} can be sent to the message bus.`);
};
const writeArray = (out: number[], element: string, values: readonly Value[]): void => {
  const lengthAt = out.length;
  out.push(0, 0, 0, 0);
  out.push(...Buffer.alloc(padding(out.length, element)));
  const start = out.length;
  for (const value of values) write(out, element, value);
  out.splice(lengthAt, 4, ...u32(out.length - start));
};

type Reader = { readonly bytes: Buffer; at: number; depth: number };
/** As the specification bounds it: 32 arrays in 32 structures. */
const depthMax = 64;
const take = (reader: Reader, length: number): Buffer => {
  const end = reader.at + length;
  if (end > reader.bytes.length) throw broken();
  const taken = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return taken;
};
const readText = (reader: Reader, length: number): string => take(reader, length + 1).toString("utf8", 0, length);

const read = (reader: Reader, type: string): Value => {
  reader.depth++;
  if (reader.depth > depthMax) throw broken();
  const value = readWhole(reader, type);
  reader.depth--;
  return value;
};
const readWhole = (reader: Reader, type: string): Value => {
  take(reader, padding(reader.at, type));
  switch (type.charAt(0)) {
    case "y":
      return take(reader, 1).readUInt8();
    case "n":
      return take(reader, 2).readInt16LE();
    case "q":
      return take(reader, 2).readUInt16LE();
    case "i":
      return take(reader, 4).readInt32LE();
    case "u":
      return take(reader, 4).readUInt32LE();
    case "b":
      return take(reader, 4).readUInt32LE() === 1;
    case "x":
    case "t":
      return take(reader, 8).readBigInt64LE();
    case "d":
      return take(reader, 8).readDoubleLE();
    case "s":
    case "o":
      return readText(reader, take(reader, 4).readUInt32LE());
    case "g":
      return readText(reader, take(reader, 1).readUInt8());
    case "v": {
      const signature = readText(reader, take(reader, 1).readUInt8());
      return { signature, value: read(reader, signature) };
    }
    case "a":
      return readArray(reader, type.slice(1));
    case "(":
    case "{":
      return inner(type).map((each) => read(reader, each));
    default:
      throw broken();
  }
};
const readArray = (reader: Reader, element: string): Value => {
  const length = take(reader, 4).readUInt32LE();
  take(reader, padding(reader.at, element));
  if (element === "y") return take(reader, length);
  const end = reader.at + length;
  const values: Value[] = [];
  while (reader.at < end) {
    const before = reader.at;
    values.push(read(reader, element));
    if (reader.at === before) throw broken(); // An element of no bytes would be read for ever.
  }
  return values;
};

/** One message as it goes over the wire. */
export const encode = (type: number, serial: number, fields: ReadonlyMap<number, Variant>, args: readonly Value[]): Buffer => {
  const signature = fields.get(field.signature)?.value;
  const body: number[] = [];
  for (const [index, each] of split(typeof signature === "string" ? signature : "").entries()) write(body, each, args[index] ?? "");
  const head = [0x6c, type, 0, 1, ...u32(body.length), ...u32(serial)];
  write(head, "a(yv)", [...fields]);
  head.push(...Buffer.alloc(padding(head.length, "(")));
  return Buffer.from([...head, ...body]);
};

/** How long the message at the start of these bytes is; undefined where they are too few to tell. */
export const messageLength = (bytes: Buffer): number | undefined => {
  if (bytes.length < 16) return undefined;
  const length = 16 + bytes.readUInt32LE(12);
  const whole = length + padding(length, "(") + bytes.readUInt32LE(4);
  if (bytes[0] !== 0x6c || whole > 0x100000) throw broken();
  return whole;
};
export const decode = (bytes: Buffer): Message => {
  const reader: Reader = { bytes, at: 12, depth: 0 };
  const fields = new Map<number, Value>();
  const pairs = read(reader, "a(yv)");
  for (const pair of isList(pairs) ? pairs : []) {
    const [code, value] = isList(pair) ? pair : [];
    if (typeof code === "number" && value !== undefined && isVariant(value)) fields.set(code, value.value);
  }
  take(reader, padding(reader.at, "("));
  const signature = fields.get(field.signature);
  // Alignment counts from the start of the body.
  const body: Reader = { bytes: bytes.subarray(reader.at), at: 0, depth: 0 };
  return { type: bytes[1] ?? 0, fields, body: split(typeof signature === "string" ? signature : "").map((each) => read(body, each)) };
};

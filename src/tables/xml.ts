import { SaxesParser, type SaxesTagNS } from "saxes";
import { UnreadableWorkbook } from "./unreadable.ts";

/** An attribute by its plain name, or by the end of its namespace and its name: `id`, `relationships:id`. */
export type Attributes = (name: string) => string | undefined;

/**
 * What is read of an XML document: elements of the root's own namespace by their place, with whatever prefix. Everything else is
 * passed over: other namespaces, comments, processing instructions, extensions.
 */
export type XmlShape = {
  readonly open?: (attributes: Attributes) => void;
  /** With the text directly inside, CDATA included. */
  readonly close?: (text: string) => void;
  readonly children?: Readonly<Record<string, XmlShape>>;
};

const depthMax = 100;
const attributesMax = 200;
/** No cell, comment or tag is longer: a giant one would be held whole, and take many times its size. */
const silenceMax = 1_000_000;
/** Some programs use these without naming them. */
const additionalNamespaces = { r: "http://schemas.openxmlformats.org/officeDocument/2006/relationships" };
/** What an extension holds is for programs that know it, and never part of what is read. */
const extension: XmlShape = {};

const namesIn = (shape: XmlShape): readonly string[] => Object.entries(shape.children ?? {}).flatMap(([name, child]) => [name, ...namesIn(child)]);

/**
 * Goes once through a document that comes in pieces, in memory that does not grow with it. An element of the shape in another
 * place, such as inside `mc:AlternateContent`, is refused: another reader may show it. Throws UnreadableWorkbook.
 */
export const readXml = async (pieces: AsyncIterable<Uint8Array>, part: string, shape: XmlShape): Promise<void> => {
  const names = new Set(namesIn(shape));
  const broken = (why: string): UnreadableWorkbook => new UnreadableWorkbook(`its part ${part} ${why}`);
  const parser = new SaxesParser({ xmlns: true, position: false, additionalNamespaces });
  const places: (XmlShape | undefined)[] = [];
  const texts: string[] = [];
  let namespace: string | undefined;
  let silence = 0;
  let attributes = 0;

  const shapeOf = (tag: SaxesTagNS): XmlShape | undefined => {
    namespace ??= tag.uri;
    const outer = places.length === 0 ? shape : places.at(-1);
    if (outer === extension) return extension;
    if (tag.uri !== namespace) return undefined;
    if (tag.local === "extLst") return extension;
    const found = outer?.children !== undefined && Object.hasOwn(outer.children, tag.local) ? outer.children[tag.local] : undefined;
    if (found === undefined && names.has(tag.local)) throw broken(`has <${tag.local}> where it does not belong`);
    return found;
  };
  const keepText = (text: string): void => {
    if (places.at(-1)?.close !== undefined) texts.push(text);
  };
  parser.on("error", (cause) => {
    throw new UnreadableWorkbook(`its part ${part} is not sound XML`, { cause });
  });
  parser.on("doctype", () => {
    throw broken("has a DOCTYPE");
  });
  parser.on("xmldecl", ({ encoding }) => {
    if (encoding !== undefined && !/^(?:utf-?8|utf-?16|us-ascii)$/i.test(encoding)) throw broken(`is in the encoding ${encoding}`);
  });
  parser.on("attribute", () => {
    attributes += 1;
    if (attributes > attributesMax) throw broken("has a tag with too many attributes");
  });
  parser.on("opentag", (tag) => {
    silence = 0;
    attributes = 0;
    const outer = places.at(-1);
    if (places.length >= depthMax) throw broken("is nested too deeply");
    if (outer?.close !== undefined && outer.children === undefined) throw broken(`has <${tag.name}> inside a text`);
    const found = shapeOf(tag);
    if (found?.close !== undefined) texts.length = 0;
    found?.open?.((name) => attributeOf(tag, name));
    places.push(found);
  });
  parser.on("text", keepText);
  parser.on("cdata", keepText);
  parser.on("closetag", () => {
    silence = 0;
    const closed = places.pop();
    closed?.close?.(texts.join(""));
    texts.length = 0;
  });

  for await (const text of decoded(pieces, part)) {
    for (let at = 0; at < text.length; at += 64 * 1024) {
      const piece = text.slice(at, at + 64 * 1024);
      silence += piece.length;
      if (silence > silenceMax) throw broken("has a piece of text that is too long");
      parser.write(piece);
    }
  }
  parser.close();
};

const attributeOf = ({ attributes }: SaxesTagNS, name: string): string | undefined => {
  const colon = name.indexOf(":");
  if (colon < 0) return Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined;
  const [space, local] = [`/${name.slice(0, colon)}`, name.slice(colon + 1)];
  return Object.values(attributes).find((attribute) => attribute.local === local && attribute.uri.endsWith(space))?.value;
};

/** UTF-8, or UTF-16 with its mark, as the format allows. Bytes that are neither are refused, never replaced. */
const decoded = async function* (pieces: AsyncIterable<Uint8Array>, part: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const piece of pieces) {
      decoder ??= new TextDecoder(piece[0] === 0xff && piece[1] === 0xfe ? "utf-16le" : piece[0] === 0xfe && piece[1] === 0xff ? "utf-16be" : "utf-8", {
        fatal: true,
      });
      yield decoder.decode(piece, { stream: true });
    }
    yield decoder?.decode() ?? "";
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UnreadableWorkbook(`its part ${part} holds bytes that are no text`, { cause });
  }
};

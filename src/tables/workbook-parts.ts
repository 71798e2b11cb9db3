import { CliError, usageError } from "../errors.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import type { OpenPart } from "./workbook.ts";
import type { ZipEntry } from "./zip.ts";

const partBytesMax = 64 * 1024 * 1024;
/** No sheet is packed better than this; a bomb is. */
const ratioMax = 500;

/** Opens parts of an archive, within bounds that what it says of them decides before anything is unpacked. */
export const createOpenPart =
  (entries: ReadonlyMap<string, ZipEntry>): OpenPart =>
  (path, bytesMax = partBytesMax) => {
    const entry = entries.get(path.toLowerCase());
    if (entry === undefined) throw new UnreadableWorkbook(`its part ${path} is missing`);
    if (entry.size > bytesMax || (entry.size > partBytesMax / 4 && entry.size > entry.packedSize * ratioMax))
      throw new UnreadableWorkbook(`its part ${path} unpacks to ${Math.ceil(entry.size / 1024 / 1024)} MB, which is too much`);
    return entry.pieces();
  };

export const withPassword = (name: string): CliError =>
  usageError(`${name} is protected by a password: open it with the password, and save a copy without one or as CSV.`);

/** What `read` gives; what makes a workbook unreadable becomes CliError usage with the file's name. */
export const readNamed = async <Result>(name: string, read: () => Promise<Result>): Promise<Result> => {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof UnreadableWorkbook)) throw cause;
    throw new CliError("usage", `${name} is a workbook that cannot be read: ${cause.message}.`, {
      hint: "Open it in a spreadsheet program and save it again, or save it as CSV",
      cause,
    });
  }
};

/** Zip files that are no workbook which is read, by a part that only they have. */
const others: readonly (readonly [part: string, what: string, todo: string])[] = [
  ["xl/workbook.bin", "a binary workbook (.xlsb)", "save it as .xlsx or CSV"],
  ["index/document.iwa", "a file of Apple Numbers, Pages or Keynote", "export it as .xlsx or CSV"],
  ["word/document.xml", "a Word document", "copy its table into a spreadsheet and save that as .xlsx or CSV"],
  ["ppt/presentation.xml", "a presentation", "copy its table into a spreadsheet and save that as .xlsx or CSV"],
];

/** Whether an archive is an XLSX or an OpenDocument file. Throws CliError usage for any other. */
export const archiveKind = (entries: ReadonlyMap<string, ZipEntry>, name: string): "xlsx" | "ods" => {
  if ([...entries.values()].some(({ encrypted }) => encrypted))
    throw usageError(`${name} is protected by a password.`, "Unpack it with the password, and give what is inside");
  const [, what, todo] = others.find(([part]) => entries.has(part)) ?? [];
  if (what !== undefined) throw usageError(`${name} is ${what}, which is not read.`, todo);
  if (entries.has("content.xml")) return "ods";
  if (![...entries.keys()].some((part) => part.startsWith("xl/")))
    throw usageError(`${name} is a zip file, but not a workbook.`, "Unpack it, and give the file inside");
  return "xlsx";
};

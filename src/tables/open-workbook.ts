import type { SheetOptions } from "./choose-sheet.ts";
import type { Survey } from "./sheet-facts.ts";
import { archiveKind, readNamed } from "./workbook-parts.ts";
import { openXlsx } from "./xlsx.ts";
import { readZip } from "./zip.ts";

export type OpenedWorkbook = Survey & { readonly kind: "xlsx" | "ods" };

/** Opens a workbook that is an archive, from its bytes. Throws CliError usage; so does `scan`. */
export const openWorkbook = async (bytes: Uint8Array, name: string, options: SheetOptions): Promise<OpenedWorkbook> =>
  await readNamed(name, async () => {
    const entries = readZip(bytes);
    const kind = archiveKind(entries, name);
    const open = kind === "ods" ? (await import("./ods.ts")).openOds : openXlsx;
    const survey = await open(entries, name, options);
    return { ...survey, kind, scan: (onRow) => readNamed(name, () => survey.scan(onRow)) };
  });

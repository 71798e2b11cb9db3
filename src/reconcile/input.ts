import { usageError } from "../errors.ts";
import { progressLine } from "../output/progress-line.ts";
import type { Context } from "../ports.ts";
import { isStdin } from "../tables/input-file.ts";
import { openTable, type Table, tableOf } from "../tables/read-table.ts";
import { type ControlFault, controlFaults } from "./control.ts";
import { isTimeZone } from "./dates.ts";
import type { LayoutOptions } from "./draft.ts";
import type { Layout, Refusal } from "./layout.ts";
import type { OtherSide } from "./other-side.ts";
import { type ReadFile, readRecords } from "./read-records.ts";
import type { Side } from "./record.ts";
import { type Scanned, scanTable, settleLayout } from "./scan-table.ts";

const stdinBytesMax = 1024 * 1024 * 1024;

/** Throws CliError usage. */
export const checkZone = (zone: string, flag: string): void => {
  if (!isTimeZone(zone)) throw usageError(`${flag} does not know "${zone}".`, "Give an IANA name, such as Africa/Nairobi or UTC");
};

export type InputOptions = LayoutOptions & {
  /** An IANA name: the zone of times without one. */
  readonly zone: string;
  readonly sheet?: string | undefined;
  /** The flag that names the sheet. */
  readonly sheetFlag: string;
  /** The words of the same command with a sheet chosen: the remedy if several could be meant. */
  readonly sheetCommand?: (sheet: string) => readonly string[];
};

/** A file whose rows were gone through once. */
export type OpenInput = { readonly name: string; readonly table: Table; readonly scanned: Scanned; readonly options: InputOptions };

/** A file as one side, and what is reported of how it was read. */
export type FileSide = ReadFile & {
  readonly name: string;
  readonly table: Table;
  readonly side: Side;
  readonly hasReceipts: boolean;
  readonly faults: readonly ControlFault[];
};

type Opener = Pick<Context, "readStdin" | "signal" | "progress" | "clock">;

const rowsBetween = 10_000;
/** The same table; each time it is gone through, a line shows how far. */
const watched = (table: Table, name: string, { progress, clock }: Opener): Table => ({
  ...table,
  async scan(onRow) {
    const line = progress();
    const startedMs = clock.monotonic();
    let done = 0;
    try {
      await table.scan((row) => {
        done += 1;
        if (done % rowsBetween === 0) line.update(progressLine({ label: `Rows of ${name}`, done, startedMs, nowMs: clock.monotonic() }));
        onRow(row);
      });
    } finally {
      line.end();
    }
  },
});

/** Opens one file of records; `-` is standard input. Throws CliError usage for what can't be read. */
export const openInput = async (path: string, options: InputOptions, context: Opener): Promise<OpenInput> => {
  const name = isStdin(path) ? "standard input" : path;
  const sheets = { sheet: options.sheet, flag: options.sheetFlag, includeHidden: true, command: options.sheetCommand };
  const opened = isStdin(path) ? await tableOf(await context.readStdin(stdinBytesMax), name, sheets) : await openTable(path, sheets, context.signal);
  const table = watched(opened, name, context);
  const scanned = await scanTable(table);
  if (scanned.rows.length === 0) throw usageError(`${name}: The file is empty.`);
  return { name, table, scanned, options };
};

/** How the file is to be read, also by what the other side holds. */
export const layoutOf = ({ table, scanned, options }: OpenInput, other?: OtherSide): Promise<Layout | Refusal> => settleLayout(table, scanned, options, other);

/** Reads all rows. Throws CliError usage for a file without rows. */
export const readInput = async ({ name, table, options }: OpenInput, layout: Layout): Promise<FileSide> => {
  const file = await readRecords(table, layout, { name, zone: options.zone });
  const { records, control } = file;
  if (records.length === 0) throw usageError(`${name} has a header and no rows: there is nothing to compare.`, "Was it exported empty, or cut off?");
  return {
    ...file,
    name,
    table,
    side: { kind: layout.kind, records },
    hasReceipts: records.some(({ receipt }) => receipt !== undefined),
    faults: control === undefined ? [] : controlFaults(control, records),
  };
};

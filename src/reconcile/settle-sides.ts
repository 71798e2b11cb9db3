import type { FileKind } from "./columns.ts";
import { kindAlone } from "./draft.ts";
import { type FileSide, layoutOf, type OpenInput, readInput } from "./input.ts";
import { isRefusal, type Layout, type OpenField, type Refusal } from "./layout.ts";
import { type OtherSide, otherSideOf, rawSideOf } from "./other-side.ts";
import type { Side } from "./record.ts";

export type Refused = {
  readonly input: OpenInput;
  readonly refusal: Refusal;
  /** What the file here was read as. The command says so with --as, or naming the columns of the file there could change it. */
  readonly beside?: FileKind;
};
/** What could not be proved; several files at once, so that one command can say all of it. */
export class Unproved extends Error {
  override readonly name = "Unproved";
  readonly refused: readonly Refused[];
  constructor(refused: readonly Refused[]) {
    super("a column cannot be proved");
    this.refused = refused;
  }
}

type Two = { readonly ours: FileSide; readonly theirs: FileSide };

const shortName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;
const sideOf = ({ name, side }: FileSide): OtherSide => otherSideOf(side, shortName(name));
const rawOf = ({ name, scanned }: OpenInput): OtherSide => rawSideOf(scanned.rows, shortName(name));

/**
 * Reads two files, each with what the other proves: first the one there, by any value that is in both; then the one here, by the
 * references, receipts and amounts there; then the one there again, if only its headings said which amount is meant.
 */
export const settleFiles = async (here: OpenInput, there: OpenInput): Promise<Two> => {
  const [ours, theirs] = besideEachOther(here, there);
  const first = await layoutOf(theirs, rawOf(ours));
  if (!isRefusal(first)) return settleFrom(ours, theirs, first);
  const own = await layoutOf(ours, rawOf(theirs));
  if (isRefusal(own)) throw new Unproved([refused(theirs, first), refused(ours, own)]);
  const read = await readInput(ours, own);
  const second = await layoutOf(theirs, sideOf(read));
  if (isRefusal(second)) throw new Unproved([{ ...refused(theirs, second), beside: own.kind }]);
  return settleFrom(ours, theirs, second);
};

/** Each file with what the other one is: certainly, or, for the one here, because the other looks more like a statement, or as much. */
const besideEachOther = (here: OpenInput, there: OpenInput): readonly [OpenInput, OpenInput] => {
  const [own, other] = [here, there].map(({ scanned, options }) => kindAlone(scanned.rows, options));
  const looksLikeOrders = own?.certain === undefined && (own?.score ?? 0) < Math.min(3, (other?.score ?? 0) + 1);
  const beside = (input: OpenInput, kind: FileKind | undefined): OpenInput =>
    kind === undefined ? input : { ...input, options: { ...input.options, beside: kind } };
  return [beside(here, other?.certain ?? (looksLikeOrders ? "statement" : undefined)), beside(there, own?.certain)];
};

const refused = (input: OpenInput, refusal: Refusal): Refused => ({ input, refusal });

const settleFrom = async (ours: OpenInput, theirs: OpenInput, layout: Layout): Promise<Two> => {
  const there = await readInput(theirs, layout);
  const here = await readBeside(ours, there);
  const better = await readBeside(theirs, here, there);
  // What the file here was read by has changed.
  return { ours: isSame(there.layout, better.layout) ? here : await readBeside(ours, better, here), theirs: better };
};

/** Reads a file by what the other one holds; not again where that says the same of each row as before. */
const readBeside = async (input: OpenInput, other: FileSide, before?: FileSide): Promise<FileSide> => {
  const layout = await layoutOf(input, sideOf(other));
  if (isRefusal(layout)) throw new Unproved([refused(input, layout)]);
  // Which names a narrative has depends on all that the other side has: a long file is not read again for it.
  const isRead = before !== undefined && isSame(before.layout, layout) && (layout.nameIn === undefined || !input.scanned.whole);
  return isRead ? { ...before, layout } : await readInput(input, layout);
};

/** A file that is compared with the service: first as far as it can be read alone. */
export type Alone = {
  readonly kind: FileKind;
  /** Receipts cost a request for each transaction, so they are asked for only if the file has them, or may have. */
  readonly hasReceipts: boolean;
  /** Reads the file with what the service holds. */
  readonly settle: (service: Side) => Promise<FileSide>;
};

/** Throws Unproved for a file that nothing of the service can help to read. */
export const settleAlone = async (ours: OpenInput): Promise<Alone> => {
  const alone = await layoutOf(ours);
  // What the service holds can choose between columns, and find references in narratives; it does not say how a number is written.
  const isOpenFor = ({ field, candidates }: OpenField): boolean => candidates.length > 0 || (field === "reference" && alone.kind === "statement");
  if (isRefusal(alone) && (alone.open.length === 0 || !alone.open.every(isOpenFor))) throw new Unproved([refused(ours, alone)]);
  const first = isRefusal(alone) ? undefined : await readInput(ours, alone);
  return {
    kind: alone.kind,
    hasReceipts: first?.hasReceipts ?? true,
    settle: async (service) => {
      const layout = await layoutOf(ours, otherSideOf(service, "the service"));
      if (isRefusal(layout)) throw new Unproved([refused(ours, layout)]);
      return first !== undefined && !isRefusal(alone) && isSame(alone, layout) ? { ...first, layout } : await readInput(ours, layout);
    },
  };
};

/** What tells how rows are read. */
const readingOf = ({ columns, wrapped, ways, status, directions, foreign, lines, unsigned, hundredths, dayOrder, referenceIn, receiptIn }: Layout): string =>
  JSON.stringify([columns, wrapped, ways.size, status, directions, [...foreign], lines, unsigned, hundredths, dayOrder, `${referenceIn} ${receiptIn}`]);
/** Two layouts that read every row alike. */
const isSame = (a: Layout, b: Layout): boolean => readingOf(a) === readingOf(b);

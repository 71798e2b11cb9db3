import type { Entry, Hold, Kept, Settlement, Transaction, WalletName } from "../engine/entities.ts";

/**
 * How hot records are written, in the log and in blocks: lines of JSON, which has no line breaks of its own. A payment writes many
 * records, so field names are left out, a transaction that changed is written as what changed, and all of a kind that share a
 * commit are one line.
 */
export const walletNames: readonly WalletName[] = ["balance", "b2c", "b2cHeld", "global", "globalHeld"];

/** An entry without the names of its fields, as payments write more of these than of anything else. */
export type EntryValues = readonly [
  id: string,
  type: string,
  amount: number,
  balanceAfter: number,
  status: string,
  reference: string,
  description: string,
  createdMs: number,
  transactionId?: string | null,
  settlement?: Settlement,
];
export const entryValues = (entry: Entry): EntryValues => {
  const { id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId, settlement } = entry;
  if (settlement !== undefined) return [id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId ?? null, settlement];
  if (transactionId !== undefined) return [id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId];
  return [id, type, amount, balanceAfter, status, reference, description, createdMs];
};
export const entryOf = (group: WalletName, values: EntryValues): Entry => {
  const [id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId, settlement] = values;
  return { id, group, type, amount, balanceAfter, status, reference, description, createdMs, transactionId: transactionId ?? undefined, settlement };
};
export const entriesOf = (text: string): readonly EntryValues[] => JSON.parse(text) as EntryValues[];

/** An answer is JSON text and has no tabs; neither has its id, a path and a key of visible characters. */
export const keptLine = (kept: Kept): string =>
  `${kept.id}\t${kept.bodyHash}\t${kept.status}\t${kept.createdMs}\t${kept.readyMs}\t${kept.dueMs ?? ""}\t${kept.body}`;
/** In a block, in place of an answer that an older block has. */
export const forgottenLine = (id: string): string => `${id}\t`;
export const isForgotten = (line: string): boolean => line.endsWith("\t");
export const keptIdOf = (line: string): string => line.slice(0, line.indexOf("\t"));
export const keptOf = (line: string): Kept => {
  const [id = "", bodyHash = "", status, createdMs, readyMs, dueMs, body = ""] = line.split("\t");
  return {
    id,
    group: "all",
    bodyHash,
    status: Number(status),
    body,
    createdMs: Number(createdMs),
    readyMs: Number(readyMs),
    dueMs: dueMs === "" ? undefined : Number(dueMs),
  };
};

/** Fields by their place in a line, those that are seldom there last. */
const transactionFields = [
  "id",
  "group",
  "reference",
  "amount",
  "status",
  "provider",
  "providerRef",
  "metadata",
  "phone",
  "createdMs",
  "platformFee",
  "carrierFee",
  "steps",
  "dueMs",
  "next",
  "callbackUrl",
  "description",
  "scenario",
  "shown",
] as const satisfies readonly (keyof Transaction)[];
const holdFields = ["id", "group", "amount", "reason", "holdType", "reference", "createdMs", "dueMs"] as const satisfies readonly (keyof Hold)[];
/** No field may be forgotten. */
type AllOf<R, F extends readonly (keyof R)[]> = Exclude<keyof R, F[number]> extends never ? F : never;

/** `null` is what is not there, as no field is ever null; at the end nothing is said of it. */
const packed = <R, F extends readonly (keyof R)[]>(record: R, fields: AllOf<R, F>): unknown[] => {
  const values: unknown[] = [];
  let last = 0;
  for (const name of fields) {
    const value = record[name];
    values.push(value ?? null);
    if (value !== undefined) last = values.length;
  }
  values.length = last;
  return values;
};
const unpacked = <R>(values: readonly unknown[], fields: readonly (keyof R)[]): R => {
  const record: Partial<Record<keyof R, unknown>> = {};
  for (let at = 0; at < values.length; at += 1) {
    const name = fields[at];
    const value = values[at];
    if (name !== undefined && value !== null) record[name] = value;
  }
  return record as R;
};

const transactionValues = (transaction: Transaction): unknown[] => packed<Transaction, typeof transactionFields>(transaction, transactionFields);
/** The flow's first letter and the id come first, so that a record is found without reading the others. */
export const transactionLine = (transaction: Transaction): string =>
  `${transaction.group === "b2c" ? "b" : "s"}${transaction.id} ${JSON.stringify(transactionValues(transaction))}`;
export const transactionOf = (line: string): Transaction =>
  unpacked<Transaction>(JSON.parse(line.slice(line.indexOf(" ") + 1)) as unknown[], transactionFields);

const stepsPlace = transactionFields.indexOf("steps");
const metadataPlace = transactionFields.indexOf("metadata");
const added = transactionFields.length;

/** An id, and what changed. */
export type Changes = readonly [id: string, ...unknown[]];
type NewSteps = readonly [stay: number, ...steps: Transaction["steps"]];
/** What was put to the end of `before`, after how many there were: done twice, it is done once. Undefined where more than that changed. */
const newSteps = (before: Transaction["steps"], after: Transaction["steps"]): NewSteps | undefined =>
  after.length >= before.length && before.every((step, at) => step === after[at]) ? [before.length, ...after.slice(before.length)] : undefined;
const newMetadata = (before: Transaction["metadata"], after: Transaction["metadata"]): Transaction["metadata"] | undefined => {
  const found: Record<string, string | number> = {};
  for (const name in before) if (before[name] !== after[name]) return undefined;
  for (const name in after) if (before[name] === undefined) found[name] = after[name] ?? "";
  return found;
};

/** Its id, then places and values of what differs, one after the other. Steps and metadata mostly grow: then what is new of them, at a place past the last. */
const changesOf = (before: Transaction, after: Transaction): readonly unknown[] => {
  const changes: unknown[] = [before.id];
  for (let place = 0; place < added; place += 1) {
    const name = transactionFields[place];
    if (name === undefined || before[name] === after[name]) continue;
    const grown =
      place === stepsPlace ? newSteps(before.steps, after.steps) : place === metadataPlace ? newMetadata(before.metadata, after.metadata) : undefined;
    if (grown === undefined) changes.push(place, after[name] ?? null);
    else changes.push(added + place, grown);
  }
  return changes;
};
export const changed = (before: Transaction, changes: Changes): Transaction => {
  const values = transactionValues(before);
  for (let at = 1; at < changes.length; at += 2) {
    const place = Number(changes[at]);
    const value = changes[at + 1];
    if (place < added) values[place] = value;
    else if (place === added + stepsPlace) {
      const [stay, ...steps] = value as NewSteps;
      values[stepsPlace] = [...before.steps.slice(0, stay), ...steps];
    } else values[metadataPlace] = { ...before.metadata, ...(value as Transaction["metadata"]) };
  }
  return unpacked<Transaction>(values, transactionFields);
};

/** What shares a commit. */
export type Pending = {
  readonly transactions: readonly { readonly record: Transaction; readonly logged: Transaction | undefined }[];
  /** Text of `EntryValues` by wallet. */
  readonly entries: readonly (readonly [WalletName, string])[];
  readonly holds: readonly Hold[];
  readonly released: readonly string[];
  /** Lines of answers; an id and no more where one was forgotten. */
  readonly kept: readonly string[];
};
const marks = { transactions: "T", changes: "C", entries: "E", holds: "H", released: "R", kept: "K" } as const;

/** A row of the log; empty where nothing is pending. */
export const logText = ({ transactions, entries, holds, released, kept }: Pending): string => {
  const lines: string[] = [];
  const add = (mark: string, values: readonly unknown[]): void => {
    if (values.length > 0) lines.push(mark + JSON.stringify(values));
  };
  const fresh: unknown[] = [];
  const changes: unknown[] = [];
  for (const { record, logged } of transactions) {
    if (logged === undefined) fresh.push(transactionValues(record));
    else changes.push(changesOf(logged, record));
  }
  add(marks.transactions, fresh);
  add(marks.changes, changes);
  for (const [wallet, text] of entries) lines.push(`${marks.entries}${walletNames.indexOf(wallet)}${text}`);
  add(
    marks.holds,
    holds.map((hold) => packed<Hold, typeof holdFields>(hold, holdFields)),
  );
  add(marks.released, released);
  for (const line of kept) lines.push(marks.kept + line);
  return lines.join("\n");
};

/** What a row of the log is read with. */
export type LogReader = {
  readonly transaction: (record: Transaction) => void;
  readonly changes: (changes: Changes) => void;
  readonly entries: (wallet: WalletName, text: string) => void;
  readonly hold: (hold: Hold) => void;
  readonly released: (id: string) => void;
  readonly kept: (line: string) => void;
};
export const readLogText = (text: string, reader: LogReader): void => {
  for (const line of text.split("\n")) {
    const [mark] = line;
    const rest = line.slice(1);
    const wallet = mark === marks.entries ? walletNames[Number(rest[0])] : undefined;
    if (wallet !== undefined) reader.entries(wallet, rest.slice(1));
    else if (mark === marks.kept) reader.kept(rest);
    else if (mark === marks.transactions)
      for (const values of JSON.parse(rest) as unknown[][]) reader.transaction(unpacked<Transaction>(values, transactionFields));
    else if (mark === marks.changes) for (const changes of JSON.parse(rest) as Changes[]) reader.changes(changes);
    else if (mark === marks.holds) for (const values of JSON.parse(rest) as unknown[][]) reader.hold(unpacked<Hold>(values, holdFields));
    else if (mark === marks.released) for (const id of JSON.parse(rest) as string[]) reader.released(id);
    else throw new Error("The sandbox's log has a line that is none of its own.");
  }
};

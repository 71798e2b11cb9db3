import type { Entry, Hold, Kept, Settlement, Transaction, WalletName } from "../engine/entities.ts";

/**
 * How hot records are written, in the log and in blocks: a line each, as JSON has no line breaks. A payment writes many of them, so
 * what is made with every line is left out, and a transaction that changed is written as what changed.
 */
export const walletNames: readonly WalletName[] = ["balance", "b2c", "b2cHeld", "global", "globalHeld"];

/** An entry without the names of its fields, as payments write more of these than of anything else. */
type EntryLine = readonly [
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
export const entryLine = (entry: Entry): string => {
  const { id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId, settlement } = entry;
  const line: EntryLine =
    settlement !== undefined
      ? [id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId ?? null, settlement]
      : transactionId !== undefined
        ? [id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId]
        : [id, type, amount, balanceAfter, status, reference, description, createdMs];
  return JSON.stringify(line);
};
export const entryOf = (group: WalletName, line: string): Entry => {
  const [id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId, settlement] = JSON.parse(line) as EntryLine;
  return { id, group, type, amount, balanceAfter, status, reference, description, createdMs, transactionId: transactionId ?? undefined, settlement };
};

/** An answer is JSON text and has no tabs; neither has its id, a path and a key of visible characters. */
export const keptLine = (kept: Kept): string =>
  `${kept.id}\t${kept.bodyHash}\t${kept.status}\t${kept.createdMs}\t${kept.readyMs}\t${kept.dueMs ?? ""}\t${kept.body}`;
/** Which of its fields says when it may go. */
export const keptDueAt = 5;
/** In a block, in place of an answer that an older block has. */
export const forgottenLine = (id: string): string => `${id}\t`;
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
  fields.forEach((name, at) => {
    const value = values[at] ?? undefined;
    if (value !== undefined) record[name] = value;
  });
  return record as R;
};

/** The flow's first letter and the id come first, so that a record is found without reading the others. */
export const transactionLine = (transaction: Transaction): string =>
  `${transaction.group === "b2c" ? "b" : "s"}${transaction.id} ${JSON.stringify(packed<Transaction, typeof transactionFields>(transaction, transactionFields))}`;
export const transactionOf = (line: string): Transaction =>
  unpacked<Transaction>(JSON.parse(line.slice(line.indexOf(" ") + 1)) as unknown[], transactionFields);
export const holdLine = (hold: Hold): string => JSON.stringify(packed<Hold, typeof holdFields>(hold, holdFields));
const holdOf = (line: string): Hold => unpacked<Hold>(JSON.parse(line) as unknown[], holdFields);

const stepsPlace = transactionFields.indexOf("steps");
const metadataPlace = transactionFields.indexOf("metadata");
const added = transactionFields.length;

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

/** Places and values of what differs, one after the other. Steps and metadata mostly grow: then what is new of them, at a place past the last. */
export const changesOf = (before: Transaction, after: Transaction): string => {
  const changes: unknown[] = [];
  for (let place = 0; place < added; place += 1) {
    const name = transactionFields[place];
    if (name === undefined || before[name] === after[name]) continue;
    const grown =
      place === stepsPlace ? newSteps(before.steps, after.steps) : place === metadataPlace ? newMetadata(before.metadata, after.metadata) : undefined;
    if (grown === undefined) changes.push(place, after[name] ?? null);
    else changes.push(added + place, grown);
  }
  return JSON.stringify(changes);
};
export const changed = (before: Transaction, changes: string): Transaction => {
  const found = JSON.parse(changes) as readonly unknown[];
  const values: unknown[] = packed<Transaction, typeof transactionFields>(before, transactionFields);
  for (let at = 0; at < found.length; at += 2) {
    const place = Number(found[at]);
    const value = found[at + 1];
    if (place < added) values[place] = value;
    else if (place === added + stepsPlace) {
      const [stay, ...steps] = value as NewSteps;
      values[stepsPlace] = [...before.steps.slice(0, stay), ...steps];
    } else values[metadataPlace] = { ...before.metadata, ...(value as Transaction["metadata"]) };
  }
  return unpacked<Transaction>(values, transactionFields);
};

/** One change as the log has it. */
export type Change =
  | { readonly kind: "tx"; readonly record: Transaction }
  | { readonly kind: "changed"; readonly id: string; readonly changes: string }
  | { readonly kind: "entry"; readonly wallet: WalletName; readonly line: string }
  | { readonly kind: "hold"; readonly record: Hold }
  | { readonly kind: "kept"; readonly line: string }
  | { readonly kind: "released" | "forgotten"; readonly id: string };

export const marks = { tx: "T", changed: "C", entry: "E", hold: "H", released: "R", kept: "K", forgotten: "F" } as const;

export const changeOf = (text: string): Change => {
  const rest = text.slice(1);
  const space = rest.indexOf(" ");
  switch (text[0]) {
    case marks.tx:
      return { kind: "tx", record: transactionOf(rest) };
    case marks.changed:
      return { kind: "changed", id: rest.slice(0, space), changes: rest.slice(space + 1) };
    case marks.entry: {
      const wallet = walletNames[Number(rest[0])];
      if (wallet === undefined) break;
      return { kind: "entry", wallet, line: rest.slice(1) };
    }
    case marks.hold:
      return { kind: "hold", record: holdOf(rest) };
    case marks.released:
      return { kind: "released", id: rest };
    case marks.kept:
      return { kind: "kept", line: rest };
    case marks.forgotten:
      return { kind: "forgotten", id: rest };
    default:
  }
  throw new Error("The sandbox's log has a line that is none of its own.");
};

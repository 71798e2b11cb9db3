import { isObject, type Json, parseExact } from "../json/exact-json.ts";
import { describeColumns } from "../storage/columns.ts";
import { isRow } from "../storage/sqlite.ts";
import type { Direction } from "./status.ts";

export type MirrorFlow = "standard" | "b2c";
const columns = describeColumns({
  seq: "integer",
  id: "text",
  flow: ["b2c", "standard"],
  status: "text",
  state: "text",
  /** What the service said last where it contradicts `status`. */
  statusConflict: "text|null",
  detailed: "flag",
  body: "text",
  seenAt: "text?",
});
export type StoredRow = ReturnType<typeof columns.fromRow>;
/** A transaction whose details are to be fetched. */
export type Due = Pick<StoredRow, "id" | "flow" | "seq">;

/** A row of the table `transactions`; undefined for no row. */
export const toStored = (row: unknown): StoredRow | undefined => (isRow(row) ? columns.fromRow(row) : undefined);

export const directionOf = (flow: MirrorFlow): Direction => (flow === "b2c" ? "out" : "in");

/** The transaction as it is shown: with the status that contradicts the one that stands, if there was one. */
export const toShown = ({ body, statusConflict }: StoredRow): Json => {
  const transaction = parseExact(body);
  return statusConflict === null || !isObject(transaction) ? transaction : { ...transaction, status_conflict: statusConflict };
};

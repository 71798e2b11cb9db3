import { isObject, type Json, parseExact } from "../json/exact-json.ts";
import type { Direction } from "./status.ts";

export type MirrorFlow = "standard" | "b2c";
/** A transaction whose details are to be fetched. */
export type Due = { readonly id: string; readonly flow: MirrorFlow; readonly seq: number };
export type StoredRow = {
  readonly seq: number;
  readonly status: string;
  readonly state: string;
  readonly detailed: number;
  readonly body: string;
  readonly status_conflict: string | null;
};

export const storedColumns = "seq, status, state, detailed, body, status_conflict";

export const directionOf = (flow: MirrorFlow): Direction => (flow === "b2c" ? "out" : "in");

export const isStored = (value: unknown): value is StoredRow => typeof value === "object" && value !== null && "seq" in value && "body" in value;

export const hasSeq = (row: unknown): row is { readonly seq: number } => typeof row === "object" && row !== null && "seq" in row && typeof row.seq === "number";

export const isDue = (row: unknown): row is Due =>
  hasSeq(row) && "id" in row && typeof row.id === "string" && "flow" in row && (row.flow === "b2c" || row.flow === "standard");

/** The transaction as it is shown: with the status that contradicts the one that stands, if there was one. */
export const toShown = (row: StoredRow): Json => {
  const body = parseExact(row.body);
  return row.status_conflict === null || !isObject(body) ? body : { ...body, status_conflict: row.status_conflict };
};

import { fieldOf, type Json, parseExact, textOf } from "../../json/exact-json.ts";
import type { Approval } from "../approval.ts";
import { type Connection, journalUnavailable } from "./connection.ts";
import { toError } from "./refusals.ts";
import { newerSchema, schemaVersion } from "./schema-version.ts";

type AttemptChange = "open" | "reopen" | "tried" | "close" | "status" | "seen" | "prune" | "import" | "check";
type ApprovalChange = "propose" | "decide" | "cancel" | "finish" | "policy";
/** One change of the journal, made by the schema's function `op_` with its name, and what that takes. */
export type Operation = { readonly op: AttemptChange | ApprovalChange; readonly [name: string]: unknown };
type Waiting = { readonly operation: Operation; readonly done: (result: Json) => void; readonly failed: (error: unknown) => void };
export type ApplyQueue = { apply(operation: Operation): Promise<Json> };

type Deps = {
  readonly connection: Connection;
  readonly holder: string;
  readonly machine: string;
  readonly findApproval: (id: string) => Promise<Approval | undefined>;
};

/** The database keeps neither NUL nor halves of surrogate pairs. */
const storable = (_name: string, value: unknown): unknown => (typeof value === "string" ? value.replace(/\p{Surrogate}|\0/gu, "\uFFFD") : value);

/** What is waiting when the event loop comes round goes to the database together, and shares one commit. A refused operation fails alone. */
export const createApplyQueue = ({ connection, holder, machine, findApproval }: Deps): ApplyQueue => {
  let waiting: Waiting[] = [];
  let isBusy = false;
  const flush = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await applyGroup(group);
    }
    isBusy = false;
  };
  const applyGroup = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const operations = JSON.stringify(
        group.map(({ operation }) => operation),
        storable,
      );
      const [row] = await connection.query("SELECT payments.apply($1::jsonb, $2, $3, $4)::text AS results", [operations, holder, machine, schemaVersion]);
      const results = parseExact(String(row?.["results"]));
      for (const [at, { done, failed }] of group.entries()) {
        const result = Array.isArray(results) ? (results[at] ?? null) : null;
        const refused = textOf(fieldOf(result, "refused"));
        if (refused === undefined) done(fieldOf(result, "done") ?? null);
        else toError({ what: refused, more: fieldOf(result, "more") ?? null }, findApproval).then(failed, failed);
      }
    } catch (error) {
      const isNewer = error instanceof Error && error.message === "newer";
      const known = isNewer ? newerSchema(connection.where) : journalUnavailable(connection.where, error);
      for (const { failed } of group) failed(known);
    }
  };
  return {
    apply: (operation) =>
      new Promise((done, failed) => {
        waiting.push({ operation, done, failed });
        if (!isBusy && waiting.length === 1) setImmediate(() => void flush());
      }),
  };
};

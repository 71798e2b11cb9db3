import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Column, LiveTable } from "../../outcome.ts";
import { localTime, money } from "../../output/format.ts";
import { statusWithMeaning } from "../../output/views/status.ts";
import type { Progress, Screen } from "../../ports.ts";
import { classifyStatus, type Direction } from "../../transactions/status.ts";
import type { Change } from "../../transactions/watch.ts";

type Entry = { row: Json; open: boolean; changed: boolean; order: number };
/** Ended ones kept under --follow, which may run for weeks; the oldest go. */
const endedMax = 200;

/** What `tx watch` shows on a terminal: one row a transaction, with its last state. */
export const createWatchTable = (screen: Screen) => {
  const entries = new Map<string, Entry>();
  let notes: string[] = [];
  let footer: string | (() => string) | undefined;
  let order = 0;
  let redraw = (): void => undefined;
  const put = ({ at, transaction, direction }: Change, isChange: boolean): void => {
    const { id = "", status = "", body } = transaction;
    const open = classifyStatus(status, direction) === "open";
    entries.set(id, { row: { at, transaction: body, direction }, open, changed: isChange || entries.get(id)?.changed === true, order: order++ });
    redraw();
    const ended = [...entries].filter(([, entry]) => !entry.open);
    if (ended.length <= endedMax) return;
    const [oldest] = ended.sort(([, a], [, b]) => a.order - b.order);
    if (oldest !== undefined) entries.delete(oldest[0]);
  };
  /** In the order they were found, so that no row moves; where not all fit, those that changed last. */
  const some = (from: readonly Entry[], most: number): readonly Json[] => {
    const kept = new Set([...from].sort((a, b) => b.order - a.order).slice(0, most));
    return from.filter((entry) => kept.has(entry)).map(({ row }) => row);
  };
  const live: LiveTable = {
    screen,
    onChange: (told) => {
      redraw = told;
    },
    columns,
    rows: (most) => some([...entries.values()], most),
    last: (failed, most) => {
      const all = [...entries.values()];
      return (failed || all.length > most ? all.filter((entry) => entry.changed) : all).map(({ row }) => row);
    },
    footer: () => {
      const text = typeof footer === "function" ? footer() : footer;
      const hidden = entries.size - (screen.size().rows - 3);
      return text === undefined || hidden <= 0 ? text : `${text}; ${hidden} more than fit here`;
    },
    notes: () => {
      const told = notes;
      notes = [];
      return told;
    },
  };
  return {
    live,
    /** As the first look found it. */
    found: (seen: Change): void => put(seen, false),
    changed: (change: Change): void => put(change, true),
    note: (text: string): void => {
      notes.push(text);
      redraw();
    },
    progress: (): Progress => ({
      update: (text) => {
        footer = text;
        redraw();
      },
      end: () => undefined,
    }),
  };
};

const directionOf = (row: Json): Direction => {
  const said = textOf(fieldOf(row, "direction"));
  return said === "in" || said === "out" ? said : "unknown";
};
const textAt = (row: Json, name: string): string => textOf(fieldOf(fieldOf(row, "transaction"), name)) ?? "";

const columns: readonly Column[] = [
  { heading: "ID", cell: (row) => textAt(row, "id") },
  { heading: "Reference", cell: (row) => textAt(row, "reference"), sheds: 1 },
  { heading: "Amount", cell: (row) => money(fieldOf(fieldOf(row, "transaction"), "amount"), "KES"), align: "right", sheds: 2 },
  { heading: "Status", cell: (row) => statusWithMeaning(textAt(row, "status"), directionOf(row)) },
  {
    heading: "Since",
    // The service tells no times (service 2.1): this is when the state was first seen here.
    cell: (row, style) => {
      const seen = localTime(fieldOf(row, "at"), style);
      const today = localTime(new Date(style.nowMs).toISOString(), style).slice(0, 10);
      return seen.startsWith(today) ? seen.slice(11) : seen;
    },
    sheds: 3,
  },
];

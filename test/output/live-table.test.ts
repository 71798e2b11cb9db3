import { describe, expect, it } from "vitest";
import { createWatchTable } from "../../src/commands/tx/watch-table.ts";
import { frameOf, linesShown, writeLive } from "../../src/output/live-table.ts";
import type { Screen } from "../../src/ports.ts";
import { toTransaction } from "../../src/transactions/transaction.ts";
import type { Change } from "../../src/transactions/watch.ts";

const nowMs = Date.UTC(2026, 2, 1, 8);
const changeOf = (id: string, status: string, reference = `INV-${id}`): Change => ({
  at: "2026-03-01T08:00:05.000Z",
  previousStatus: null,
  transaction: toTransaction({ id, reference, amount: 1500, status }),
  direction: "in",
});
const still = (columns: number, rows = 24): Screen => ({ size: () => ({ columns, rows }), beat: () => () => undefined });
const tableOf = (changes: readonly Change[], screen: Screen) => {
  const table = createWatchTable(screen);
  for (const change of changes) table.found(change);
  table.progress().update(() => "1 open, next look in 2 s");
  return table;
};
const style = { zone: "Africa/Nairobi", nowMs, width: 80 };
const frame = (changes: readonly Change[], screen: Screen) => frameOf(tableOf(changes, screen).live, { style, colour: false, size: screen.size() });

describe("a frame of tx watch", () => {
  it("has all columns where there is room, the state in words", async () => {
    expect(await frame([changeOf("T1", "SENT"), changeOf("T2", "FAILED")], still(200))).toEqual([
      "ID  REFERENCE        AMOUNT  STATUS                SINCE",
      "T1  INV-T1     KES 1,500.00  SENT, still open      11:00:05",
      "T2  INV-T2     KES 1,500.00  FAILED, ended unpaid  11:00:05",
      "1 open, next look in 2 s",
    ]);
  });
  it("leaves out nothing beside a long reference", async () => {
    const reference = "the order of a customer who writes a whole sentence for it";
    const text = (await frame([changeOf("T1", "SENT", reference), changeOf("T2", "SENT")], still(80))).join("\n");
    expect(text).toContain(reference);
    expect(text.match(/KES 1,500\.00/g)).toHaveLength(2);
  });
  it.each([12, 20, 26, 40, 80])("is no wider than %i columns and no higher than the window", async (columns) => {
    const changes = Array.from({ length: 50 }, (_, at) => changeOf(`3f2504e0-4f89-11d3-9a0c-0305e82c33${at}`, at % 2 === 0 ? "SENT" : "COMPLETED"));
    const lines = await frame(changes, still(columns, 12));
    expect(lines.length).toBeLessThan(12);
    if (columns >= 26) expect(await linesShown(lines, columns)).toBe(lines.length);
    expect(lines.join("\n")).toContain("open");
  });
  it("makes what the service sends harmless", async () => {
    const lines = await frame([changeOf("T1", "SENT", "\u001b[2J\r\nB")], still(200));
    expect(lines.join("")).not.toMatch(/[\u0000-\u001f]/);
  });
  it("keeps those that changed last where not all fit", async () => {
    const screen = still(80, 6);
    const table = tableOf(
      ["A", "B", "C", "D", "E"].map((id) => changeOf(id, "SENT")),
      screen,
    );
    table.changed(changeOf("A", "COMPLETED"));
    const lines = await frameOf(table.live, { style, colour: false, size: screen.size() });
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["ID", "A", "D", "E", "1"]);
    expect(lines.at(-1)).toContain("2 more than fit here");
  });
});

it("redraws over itself, as the window has wrapped it, tells notes above, and leaves the last state", async () => {
  let columns = 200;
  const told: (() => void)[] = [];
  const beat = (tick: () => void) => {
    told.push(tick);
    return () => told.splice(0);
  };
  const screen: Screen = { size: () => ({ columns, rows: 24 }), beat };
  const table = tableOf([changeOf("T1", "SENT")], screen);
  let out = "";
  const rows = async function* () {
    table.changed(changeOf("T1", "PROCESSING"));
    yield {};
    // The table's lines of 53 and 55 columns have become two each.
    columns = 40;
    table.note("the service is slow");
    table.changed(changeOf("T1", "COMPLETED"));
    yield {};
  };
  const write = async (text: string): Promise<void> => {
    out += text;
  };
  await writeLive(rows(), table.live, { style, colour: false, write, note: (text) => void write(`note: ${text}\n`) });
  expect(told).toEqual([]);
  expect(out).toContain("\r\u001b[5A\u001b[Jnote: the service is slow\n\u001b[?7l\u001b[2KID");
  expect(out.slice(out.lastIndexOf("\u001b[J"))).toMatch(/^\u001b\[JID {2}REFERENCE {2}STATUS\nT1 {2}INV-T1 {5}COMPLETED, paid\n {4}Amount/);
});

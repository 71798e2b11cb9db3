import { describe, expect, it } from "vitest";
import { type TableRow, tableOf } from "../../src/tables/read-table.ts";

const read = async (text: string) => {
  const table = await tableOf(new TextEncoder().encode(text), "statement.sta");
  const rows: TableRow[] = [];
  await table.scan((row) => rows.push(row));
  return { kind: table.kind, notes: table.notes, rows };
};
const statement = [
  "{1:F01BANKKENAXXXX0000000000}{2:O9400000260314BANKKENAXXXX00000000002603140000N}{4:",
  ":20:STMT260314",
  ":25:0012345678",
  ":28C:73/1",
  ":60F:C260313KES12000,00",
  ":61:2603140314C1500,NTRFBK-1//UCE0000001",
  ":86:MPS 254722000111 UCE0000001 53",
  "0100#BK-1 OTIENO",
  ":61:260314D2500,50NMSCNONREF",
  "SUPPLIER",
  ":61:2601011231RC10,5NTRFBK-2",
  ":86:?00REVERSAL?20BK-2 REVE?21RSED BY CUSTOMER",
  ":62F:C260314KES10989,00",
  "-}",
].join("\r\n");

describe("an MT940 statement", () => {
  it("is rows with headings, balances apart from amounts, each with its line", async () => {
    const { kind, notes, rows } = await read(statement);
    expect([kind, notes]).toEqual(["mt940", []]);
    expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [0, "Date", "Amount", "D/C", "Currency", "Reference", "Bank Reference", "Type", "Narrative", "Balance", "Own Account"],
      [5, "2026-03-13", "", "", "KES", "", "", "", "Opening Balance", "12000.00", "0012345678"],
      [6, "2026-03-14", "1500.00", "C", "KES", "BK-1", "UCE0000001", "NTRF", "MPS 254722000111 UCE0000001 53 0100#BK-1 OTIENO", "", "0012345678"],
      [9, "2026-03-14", "2500.50", "D", "KES", "", "", "NMSC", "SUPPLIER", "", "0012345678"],
      [11, "2025-12-31", "10.50", "D", "KES", "BK-2", "", "NTRF reversal", "REVERSAL BK-2 REVE RSED BY CUSTOMER", "", "0012345678"],
      [13, "2026-03-14", "", "", "KES", "", "", "", "Closing Balance", "10989.00", "0012345678"],
    ]);
  });
  it("joins a narrative whose lines are full", async () => {
    const long = "x".repeat(62);
    const { rows } = await read(statement.replace("MPS 254722000111 UCE0000001 53\r\n0100#BK-1", `${long}INV\r\n-1001`));
    expect(rows[2]?.cells[7]).toContain(`${long}INV-1001`);
    const short = await read(statement.replace("UCE0000001 53\r\n0100#BK-1", "FOR INV-\r\n1001"));
    expect(short.rows[2]?.cells[7]).toContain("FOR INV-1001");
  });
  it("keeps what stands below a movement beside its narrative", async () => {
    const { rows } = await read(statement.replace("NMSCNONREF\r\nSUPPLIER", "NMSCNONREF\r\nSUPPLIER\r\n:86:INV-7 PAID\r\n:86:IN FULL"));
    expect(rows[3]?.cells[7]).toBe("SUPPLIER INV-7 PAID IN FULL");
  });
  it("says that its rows do not give its closing balance", async () => {
    const { notes } = await read(statement.replace("C1500,NTRF", "C1400,NTRF"));
    expect(notes).toEqual([expect.stringMatching(/^gives 10989.00 as the closing balance of 0012345678, and its rows give 10889.00/)]);
  });
  it("has several accounts in one file", async () => {
    const { rows } = await read(`${statement}\r\n${statement.replace("0012345678", "999")}`);
    expect(new Set(rows.slice(1).map(({ cells }) => cells[9]))).toEqual(new Set(["0012345678", "999"]));
  });
  it.each([
    ["cut off before its closing balance", statement.slice(0, statement.indexOf(":62F:"))],
    ["with a movement that cannot be read", statement.replace("D2500,50", "X2500,50")],
    ["with a balance that cannot be read", statement.replace("C260314KES", "C2603KES")],
  ])("%s is refused", async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("statement.sta") });
  });
});

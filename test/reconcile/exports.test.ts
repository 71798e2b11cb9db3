import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../support/cli.ts";

type Want = Readonly<Record<string, number | readonly string[]>>;
type Pair = {
  readonly name: string;
  /** A text, or the bytes of a workbook in base64. */
  readonly ours?: string;
  readonly oursBytes?: string;
  readonly theirs?: string;
  readonly bytes?: string;
  /** What the notes of a first run say to add. */
  readonly flags?: readonly string[];
  readonly want: Want;
  /** What the rows here of a category add up to. */
  readonly sums?: Readonly<Record<string, string>>;
};
const pairs: readonly Pair[] = JSON.parse(readFileSync(new URL("exports.json", import.meta.url), "utf8"));

type Shown = { readonly reference?: string | null; readonly amount?: string };
type Row = { readonly category: string; readonly ours: readonly Shown[]; readonly theirs: readonly Shown[] };
const nameOf = (row: Row): string => {
  const [shown] = row.ours.length > 0 ? row.ours : row.theirs;
  return shown?.reference ?? `@${Number(shown?.amount)}`;
};

/** Made from public descriptions of exports that are not among the cases: other headings, orders of columns, decimals. */
describe("exports that no case has", () => {
  for (const { name, ours = "", oursBytes, theirs = "", bytes, flags = [], want, sums = {} } of pairs) {
    it(name, async () => {
      const home = createHome();
      const [here, there] = [join(home, "ours.csv"), join(home, "theirs.csv")];
      writeFileSync(here, oursBytes === undefined ? ours : Buffer.from(oursBytes, "base64"));
      writeFileSync(there, bytes === undefined ? theirs : Buffer.from(bytes, "base64"));
      const argv = ["tx", "reconcile", here, "--against", there, "--json", ...flags];
      const first = await runCli(argv, { home });
      const { command }: { command?: string[] } = first.code === 0 ? {} : JSON.parse(first.stderr).error;
      const { stdout, stderr } = command === undefined ? first : await runCli(command, { home });
      expect(stdout, stderr).not.toBe("");
      const { summary, rows, inputs } = JSON.parse(stdout);
      const found = Object.fromEntries(
        Object.entries(want).map(([category, wanted]) => [
          category,
          typeof wanted === "number"
            ? (summary[category]?.count ?? 0)
            : rows
                .filter((row: Row) => row.category === category)
                .map(nameOf)
                .sort(),
        ]),
      );
      const added = Object.keys(sums).map((category) => [category, summary[category]?.ours?.amount]);
      expect(Object.fromEntries(added)).toEqual(sums);
      const sorted = Object.fromEntries(Object.entries(want).map(([category, wanted]) => [category, typeof wanted === "number" ? wanted : [...wanted].sort()]));
      expect(
        found,
        JSON.stringify([command, inputs.map(({ notes }: { notes: string[] }) => notes), rows.filter((row: Row) => row.category === "unreadable")]),
      ).toEqual(sorted);
    });
  }
});

const compare = async (ours: string, theirs: string) => {
  const home = createHome();
  writeFileSync(join(home, "ours.csv"), ours);
  writeFileSync(join(home, "theirs.csv"), theirs);
  return await runCli(["tx", "reconcile", join(home, "ours.csv"), "--against", join(home, "theirs.csv"), "--json"], { home });
};

describe("orders that cancel out", () => {
  const bank =
    "Date,Details,Debit,Credit,Balance\n03/02/2026,WV-101 ASHA,,150.00,1150.00\n03/02/2026,WV-102 BEN,,70.00,1220.00\n04/02/2026,WV-103 CAROL,,80.00,1300.00\n";
  const both = (reference: string, amount: string, days = ["2026-02-03", "2026-02-03"]) =>
    `${days[0]},${reference},${amount}\n${days[1]},${reference},-${amount}\n`;
  const list = "Date,Invoice Number,Amount\n";
  it("are bookings with both of their sides if all rows are such pairs, and a note says so", async () => {
    const { stdout } = await compare(`${list}${both("WV-101", "150.00")}${both("WV-102", "70.00")}${both("WV-103", "80.00")}`, bank);
    const { summary, inputs } = JSON.parse(stdout);
    expect([summary.matched.ours, inputs[0].notes.join("\n")]).toEqual([
      { rows: 3, amount: "300.00" },
      expect.stringMatching(/^Not counted, as the other side of the booking above: 3 rows/m),
    ]);
  });
  it.each([
    ["on another day", `${both("WV-101", "150.00")}${both("WV-102", "70.00")}${both("WV-103", "80.00", ["2026-02-03", "2026-02-05"])}`],
    ["in a list of two", `${both("WV-101", "150.00")}${both("WV-102", "70.00")}`],
  ])("are refunds %s", async (_, rows) => {
    const { stdout } = await compare(`${list}${rows}`, bank);
    expect(JSON.parse(stdout).summary.status_conflict.count).toBe(rows.trim().split("\n").length);
  });
});

describe("what no part of a file proves", () => {
  it("one note says that the rows of an MT940 statement do not add up to its closing balance", async () => {
    const theirs = ":20:X\n:25:0011223344\n:28C:1\n:60F:C260312KES100,00\n:61:2603130313C150,00NTRFA-1//B1\n:86:A-1\n:62F:C260313KES260,00\n-\n";
    const { stdout } = await compare("reference,amount,status\nA-1,150.00,paid\n", theirs);
    expect(JSON.parse(stdout).inputs[1].notes.filter((note: string) => /closing balance/i.test(note))).toHaveLength(1);
  });
  it("columns that change their places in the middle of a file are refused, with both lines", async () => {
    const one = "Date,Description,Reference,Debit,Credit\n13/03/2026,a,A-1,,150.00\n13/03/2026,b,A-2,70.00,\n";
    const two = "Date,Description,Reference,Credit,Debit\n14/03/2026,c,A-3,,80.00\n";
    const { code, stdout, stderr } = await compare("reference,amount,status\nA-1,150.00,paid\nA-3,80.00,paid\n", one + two);
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr).error.message).toMatch(/\b1\b.*\b4\b/);
  });
  it("the notes name rows above the headings that look like records, and say if nothing pairs", async () => {
    const orders = "reference,amount,status\nA-1,150.00,paid\nA-2,70.00,paid\n";
    const above = await compare(orders, "2026-03-13,A-1,150.00,paid\nDate,Reference,Amount,Status\n2026-03-13,A-2,70.00,paid\n2026-03-13,A-3,80.00,paid\n");
    expect(JSON.parse(above.stdout).inputs[1].notes.join("\n")).toMatch(/1 row above the headings \(line 1\)/);
    const other = await compare(orders, "Date,Reference,Amount,Status\n2026-03-13,X-8,150.00,paid\n2026-03-13,X-9,70.00,paid\n");
    expect(JSON.parse(other.stdout).inputs[0].notes.join("\n")).toMatch(/^Nothing pairs/m);
  });
  it("unsigned amounts beyond the rows looked at first are read by the balance, and the oldest by the other side", async () => {
    const ours = ["reference,amount,status"];
    const theirs = ["Date,Narration,Ref,Amount,Balance"];
    let balance = 1000;
    for (let index = 0; index < 2500; index += 1) {
      const out = index % 7 === 3;
      balance += out ? -5 : 50;
      theirs.push(`13/03/2026,x,N-${10_000 + index},${out ? "5.00" : "50.00"},${balance}.00`);
      if (!out) ours.push(`N-${10_000 + index},50.00,paid`);
    }
    const { stdout, stderr } = await compare(ours.join("\n"), theirs.join("\n"));
    expect(stdout, stderr).not.toBe("");
    const { summary } = JSON.parse(stdout);
    expect([summary.matched.count, summary.missing_here.count, summary.unreadable, summary.missing_there]).toEqual([2143, 357, undefined, undefined]);
  });
  it("a balance that only some rows have says which way money went where it leaves no choice, whatever the days before moved", async () => {
    const days = ["13,A-1,100,", "13,A-2,50,1150", "14,A-3,50,1200", "15,A-4,100,", "15,A-5,50,1250", ",Total,999,", "16,A-6,70,", "16,A-7,30,1290"];
    const rows = days.map((day) => day.replace(/^(\d*),/, (_, each) => (each === "" ? ",," : `${each}/03/2026,x,`)));
    const head = "Date,Narration,Ref,Amount,Balance";
    const orders = "reference,amount,status\nA-1,100,paid\nA-2,50,paid\nA-3,50,paid\nA-4,100,paid\nA-6,70,paid\n";
    for (const body of [["13/03/2026,Opening balance,,,1000", ...rows], [...rows].reverse().concat("13/03/2026,Opening balance,,,1000")]) {
      const { stdout, stderr } = await compare(orders, [head, ...body].join("\n"));
      expect(stdout, stderr).not.toBe("");
      const { summary, rows: found } = JSON.parse(stdout);
      expect([summary.matched.count, summary.unreadable]).toEqual([5, undefined]);
      expect(found.map(({ theirs: [row] }: Row) => [row?.reference, row?.amount])).toEqual([
        ["A-5", "-50.00"],
        ["A-7", "-30.00"],
      ]);
    }
  });
  it.each([
    ["a date", "chargebackDate", "25.09.2026", ""],
    ["a yes", "is_refunded", "true", "false"],
    ["an amount", "Refunded", "70.00", "0.00"],
  ])("the notes name a column that says by %s that a payment may have been paid back", async (_, heading, said, otherwise) => {
    const rows = [`2026-03-13,A-1,150.00,paid,${otherwise}`, `2026-03-13,A-2,70.00,paid,${said}`];
    const { stdout } = await compare(
      "reference,amount,status\nA-1,150.00,paid\nA-2,70.00,paid\n",
      `Date,Reference,Amount,Status,${heading}\n${rows.join("\n")}\n`,
    );
    expect(JSON.parse(stdout).inputs[1].notes).toContain(`${heading} is filled in 1 of the first 2 rows, and is not read: they may have been paid back.`);
  });
  it("the notes say what a title says of the rows below it, and what a row is compared with that names no currency", async () => {
    const rows = ["2026-03-13,A-1,KES,150.00", "2026-03-13,A-2,USD,70.00", "FAILED TRANSACTIONS (1),,,", "2026-03-13,A-3,KES,80.00"];
    const { stdout } = await compare(
      "reference,amount,status\nA-1,150.00,paid\nA-2,70.00,paid\nA-3,80.00,paid\n",
      `Date,Reference,Currency,Amount\n${rows.join("\n")}\n`,
    );
    const { summary, inputs } = JSON.parse(stdout);
    expect([summary.matched.count, summary.ignored.count, summary.missing_there.count]).toEqual([2, 1, 1]);
    expect(inputs[1].notes).toContain('"FAILED TRANSACTIONS (1)" on line 4 says of the rows below it that they are unpaid.');
    expect(inputs[0].notes.join("\n")).toMatch(/KES and USD.*a row that names no currency is compared as if it were in that of the other/);
  });
  it("the notes name a column with the amounts of rows that have none in the column that was named", async () => {
    const home = createHome();
    const [ours, theirs] = [join(home, "ours.csv"), join(home, "theirs.csv")];
    writeFileSync(ours, "reference,amount,status\nA-1,150.00,paid\nA-2,70.00,paid\n");
    writeFileSync(theirs, "Date,Ref,Plus,Minus\n2026-03-13,A-1,150.00,\n2026-03-13,A-2,70.00,\n2026-03-13,A-3,,80.00\n");
    const { stdout } = await runCli(["tx", "reconcile", ours, "--against", theirs, "--against-columns", "amount=Plus,reference=Ref", "--json"], { home });
    expect(JSON.parse(stdout).inputs[1].notes).toContain("Amounts: Minus has amounts where Plus has none, and is not read.");
  });
  it.each([
    ["the same hours off", "21:31:05", "06:01:10", true],
    ["a few minutes later", "00:31:05", "09:01:10", false],
    ["any time later", "03:47:00", "11:20:00", false],
  ])("the notes say that a file may be in another zone where its times are %s", async (_, first, second, isSaid) => {
    const ours =
      "reference,amount,status,created\nA-1,150.00,paid,2026-03-02 00:30:00\nA-2,70.00,paid,2026-03-02 09:00:00\nA-3,80.00,paid,2026-03-03 09:00:00\n";
    const day = first.startsWith("2") ? "01" : "02";
    const rows = [`2026-03-${day} ${first},A-1,150.00,paid`, `2026-03-02 ${second},A-2,70.00,paid`, `2026-03-03 ${second},A-3,80.00,paid`];
    const { stdout } = await compare(ours, `Timestamp,Reference,Amount,Status\n${rows.join("\n")}\n`);
    const said = "Times: those there are 3 hours before those of the same rows here, again and again.";
    expect(JSON.parse(stdout).inputs[0].notes.some((note: string) => note.startsWith(said))).toBe(isSaid);
  });
  it("the notes name a second column of receipts, and one that says what kind of row it is", async () => {
    const theirs =
      "Receipt No.,Completion Time,Details,Transaction Status,Paid In,Withdrawn\nUCL7E10A0A,13-03-2026 08:05:12,x,Completed,20,\nUCL7E10A2A,13-03-2026 09:05:12,x,Completed,40,\nUCM7E10A1A,14-03-2026 08:05:12,x,Completed,30,\nUCM7E10A3A,14-03-2026 09:05:12,x,Completed,50,\n";
    const ours = "Event,Kind,Deposit,Deposit code,Balance code\nWED-1,Payment,20,UCL7E10A0A,UCM7E10A1A\nWED-2,Invoice,40,UCL7E10A2A,UCM7E10A3A\n";
    const { stdout } = await compare(ours, theirs);
    const notes = JSON.parse(stdout).inputs[0].notes.join("\n");
    expect(notes).toContain('Receipts: "Balance code" has others, and is not read');
    expect(notes).toContain('Kind says "Payment", "Invoice" and is not read');
  });
  it("what stands above the headings is neither held nor counted among unknown words", async () => {
    const above = `Some bank,,Statement of,paid-up\n${"\n".repeat(200_000)}`;
    const { stdout, stderr } = await compare(
      "reference,amount,status\nA-1,150.00,paid\n",
      `${above}Date,Reference,Amount,Status\n2026-03-13,A-1,150.00,paid\n2026-03-13,A-2,70.00,paid\n`,
    );
    expect(stdout, stderr).not.toBe("");
    expect(JSON.parse(stdout).inputs[1]).toMatchObject({ rows: 2, unrecognised: {} });
  });
  it("a word beside an amount that contradicts its column makes the row unreadable", async () => {
    const theirs = "Date,Reference,Paid In,Withdrawn\n2026-03-13,A-1,150.00 Cr,\n2026-03-13,A-2,70.00 Dr,\n2026-03-13,A-3,,80.00 Dr\n";
    const { stdout } = await compare("reference,amount,status\nA-1,150.00,paid\nA-2,70.00,paid\n", theirs);
    const { summary, rows } = JSON.parse(stdout);
    expect([summary.matched.count, summary.unreadable.count]).toEqual([1, 1]);
    expect(rows.find(({ category }: Row) => category === "unreadable").reason).toContain('"70.00 Dr" in Paid In, line 3');
  });
  it("--columns paid=WORD says what an unknown status means", async () => {
    const home = createHome();
    const [ours, theirs] = [join(home, "ours.csv"), join(home, "theirs.csv")];
    writeFileSync(ours, "reference,amount,status\nA-1,150.00,paid\nA-2,70.00,paid\nA-3,80.00,paid\n");
    writeFileSync(theirs, "Date,Reference,Amount,Status\n2026-03-13,A-1,150.00,Sent\n2026-03-13,A-2,70.00,Sent\n2026-03-13,A-3,80.00,Returned to sender\n");
    const argv = ["tx", "reconcile", ours, "--against", theirs, "--json"];
    const { inputs, summary } = JSON.parse((await runCli(argv, { home })).stdout);
    expect([summary.unreadable.count, inputs[1].unrecognised, inputs[1].notes.join("\n")]).toEqual([
      3,
      { Sent: 2, "Returned to sender": 1 },
      expect.stringContaining("paid=Sent"),
    ]);
    const told = await runCli([...argv, "--against-columns", "paid=Sent,unpaid=Returned to sender"], { home });
    expect(JSON.parse(told.stdout).summary).toMatchObject({ matched: { count: 2 }, missing_there: { count: 1 }, ignored: { count: 1 } });
  });
  it("a column that is named may be in cents: the other side proves it", async () => {
    const home = createHome();
    const [ours, theirs] = [join(home, "ours.csv"), join(home, "theirs.csv")];
    writeFileSync(ours, "reference,amount,status\nA-1,150.00,paid\nA-2,70.00,paid\nA-3,80.00,paid\n");
    writeFileSync(theirs, "Date,Ref,Sum,State\n2026-03-13,A-1,15000,paid\n2026-03-13,A-2,7000,paid\n2026-03-13,A-3,8000,paid\n");
    const { stdout } = await runCli(["tx", "reconcile", ours, "--against", theirs, "--against-columns", "amount=Sum,reference=Ref", "--json"], { home });
    expect(JSON.parse(stdout).summary).toMatchObject({ matched: { count: 3 } });
  });
  it("of a long file too the other side proves which column is the amount", async () => {
    const ours = ["reference,amount,status"];
    const theirs = ["Date,Ref,Amount,Customer sum,Status"];
    for (let index = 0; index < 2100; index += 1) {
      ours.push(`N-${10_000 + index},${50 + index}.00,paid`);
      theirs.push(`13/03/2026,N-${10_000 + index},${48 + index}.50,${50 + index}.00,paid`);
    }
    const { stdout, stderr } = await compare(ours.join("\n"), theirs.join("\n"));
    expect(stdout, stderr).not.toBe("");
    expect(JSON.parse(stdout).summary).toMatchObject({ matched: { count: 2100 } });
  });
  it("a note says that rows may be bills and their payments", async () => {
    const rents = [1, 2, 3, 4].map((index) => `01/03/2026,T-10${index},Rent,15${index}.00,,15${index}.00\n13/03/2026,T-10${index},Bank,,15${index}.00,0.00\n`);
    const bank = "Date,Narrative,Debit,Credit,Balance\n13/03/2026,RENT T-101,,151.00,251.00\n13/03/2026,RENT T-102,,152.00,403.00\n";
    const { stdout } = await compare(`Date,Ref,Particulars,Invoiced,Received,Balance\n${rents.join("")}`, bank);
    expect(JSON.parse(stdout).inputs[0].notes.join("\n")).toMatch(/^8 of 8 rows have the opposite amount/m);
  });
  it("a note says that no amount is the one that the other side has", async () => {
    const theirs = "Date,Reference,Amount,Status\n2026-03-13,A-1,15.00,paid\n2026-03-13,A-2,7.00,paid\n";
    const { stdout } = await compare("reference,amount,status\nA-1,150.00,paid\nA-2,71.00,paid\n", theirs);
    for (const { notes } of JSON.parse(stdout).inputs) expect(notes.join("\n")).toMatch(/of 2 rows that \w+\.csv knows, none has the amount/);
  });
  it("the oldest row is unreadable if nothing says which way its amount went", async () => {
    const theirs = "Date,Narration,Ref,Amount,Balance\n13/03/2026,x,,15.00,985.00\n13/03/2026,y,A-1,150.00,1135.00\n14/03/2026,z,A-2,70.00,1065.00\n";
    const { stdout } = await compare("reference,amount,status\nA-1,150.00,paid\nA-9,7.00,paid\n", theirs);
    const { summary, rows } = JSON.parse(stdout);
    expect([summary.matched.count, rows.filter(({ category }: Row) => category === "unreadable").length]).toEqual([1, 1]);
  });
});

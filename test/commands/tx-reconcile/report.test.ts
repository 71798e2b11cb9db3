import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";

const pageOf = async (orders: readonly string[], held: Held[], ...flags: readonly string[]): Promise<string> => {
  const home = createHome();
  const file = join(home, "orders.csv");
  writeFileSync(file, `${orders.join("\n")}\n`);
  const report = join(home, "day.html");
  await runCli(["tx", "reconcile", file, "--report", report, ...flags], { service: serviceOf(held) });
  return readFileSync(report, "utf8");
};
/** The cells of the rows of a table, as text. */
const cellsOf = (page: string, table: string): readonly (readonly string[])[] =>
  (new RegExp(`<table class="${table}".*?</table>`, "s").exec(page)?.[0] ?? "").split("<tr").map((row) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) =>
      cell
        .replace(/<[^>]*>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    ),
  );

it("the report has the totals of both sides, and differences that add up to the net difference", async () => {
  const paid = {
    flow: "standard",
    status: "COMPLETED",
    metadata: { completedAt: "2026-03-01T21:30:00Z", phone: "254712345678", mobileMoneyReceipt: "UC1A" },
  } as const;
  const held: Held[] = [
    { ...paid, id: "t1", reference: "A-1", amount: 100 },
    { ...paid, id: "t2", reference: "A-2", amount: 250.5 },
    { ...paid, id: "t3", reference: "X-1", amount: 40 },
    { ...paid, id: "t4", reference: "P-1", amount: 7, flow: "b2c" },
    { ...paid, id: "t5", reference: "O-1", amount: 9, metadata: { completedAt: "2026-03-05T21:30:00Z" } },
  ];
  const orders = ["reference,amount,status,date", "A-1,100,paid,2026-03-02", "A-2,300,paid,2026-03-02", "A-3,20,paid,2026-03-02"];
  const page = await pageOf(orders, held);
  expect(cellsOf(page, "totals").slice(2)).toEqual([
    ["Paid here", "420.00", expect.stringContaining("3 rows")],
    ["Paid there", "383.50", expect.stringContaining("4 rows")],
    ["Net difference", "36.50", "here less there"],
    ["Matched value", "100.00", "the same on both sides"],
    ["Other days, there", "9.00", "1 row, in none of the above"],
  ]);
  const differences = cellsOf(page, "figures")
    .slice(2)
    .map(([what, , , , difference]) => [what, difference]);
  expect(differences).toEqual(
    [
      ["Matched", "–"],
      ["Amount differs", "+49.50"],
      ["Not at the service", "+20.00"],
      ["Not in your file", "-40.00"],
      ["Paid out, not in your file", "+7.00"],
      ["Other days", "–"],
    ].map(([what, difference]) => [what, difference === "–" ? "&ndash;" : difference]),
  );
  // 21:30 UTC is the next day's half past midnight in Nairobi, and the page says whose time it is.
  for (const text of ["2026-03-02 00:30:00", "All times are those of Africa/Nairobi", "Profile: environment", "Day: 2026-03-02", "254712345678", "UC1A"])
    expect(page).toContain(text);
  expect(page).not.toContain("21:30");
});

it("R2-60: nothing of the data is markup, nor breaks out of an attribute or the script", async () => {
  const evil = `<script>alert(1)</script>" onmouseover="x' &`;
  const held: Held[] = [payment(evil, evil, 1, { status: evil, metadata: { phone: `${evil}12`, mobileMoneyReceipt: evil } })];
  const page = await pageOf(["reference,amount,status,receipt", `"${evil.replaceAll('"', '""')}",2,paid,"</script>"`], held);
  expect(page).not.toContain("<script>alert");
  expect(page).not.toMatch(/" onmouseover="/);
  expect(page.match(/<\/script>/g)).toHaveLength(1);
  expect(page).toContain("&lt;script&gt;alert(1)");
});

it("between two files the report has no profile, and says if no day is known", async () => {
  const other = join(createHome(), "there.csv");
  writeFileSync(other, "reference,amount\nA-1,100\n");
  const page = await pageOf(["reference,amount", "A-1,100"], [], "--against", other);
  expect(await pageOf(["reference,amount", "A-1,100", "A-2,5"], [], "--against", other)).toContain("Not in the other file");
  expect(page).toContain("Days: not known");
  expect(page).not.toContain("Profile:");
  expect(page).toMatch(/Here: <strong>[^<]*orders\.csv<\/strong>.*There: <strong>[^<]*there\.csv</);
  expect(page).toContain("Nowhere: the money of both sides is the same.");
});

it("is not written over a file that is compared", async () => {
  const home = createHome();
  const [ours, theirs] = [join(home, "orders.csv"), join(home, "bank.csv")];
  const text = "reference,amount,date\nA-1,100,2026-03-01\n";
  for (const file of [ours, theirs]) writeFileSync(file, text);
  for (const words of [
    [ours, "--report", `${home}/./orders.csv`],
    [ours, "--against", theirs, "--report", theirs],
  ]) {
    const { code, stderr } = await runCli(["tx", "reconcile", ...words, "--json"], { service: serviceOf([]) });
    expect([code, JSON.parse(stderr).error.message]).toEqual([2, expect.stringContaining("it is a file that is read")]);
  }
  expect([ours, theirs].map((file) => readFileSync(file, "utf8"))).toEqual([text, text]);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";

const own = { name: "own", title: "Own", kind: "statement", columns: { reference: ["Wann"], amount: [3] } };

it("a layout made from a file is kept, recognised, shown and removed", async () => {
  const home = createHome();
  const file = join(home, "odd.csv");
  writeFileSync(file, "Alpha,Beta,Gamma\nX-1001,100.00,p\nX-1002,200.00,p\n");
  const save = ["tx", "layout", "save", "odd", "--from", file, "--as", "orders", "--columns", "reference=Alpha,amount=Beta,status=Gamma", "--json"];
  const saved = await runCli(save, { home });
  expect([saved.code, JSON.parse(saved.stdout)]).toMatchObject([0, { name: "odd", kind: "orders", columns: { reference: ["Alpha"], amount: ["Beta"] } }]);
  const listed = await runCli(["tx", "layout", "list", "--json"], { home });
  expect(JSON.parse(listed.stdout).layouts).toEqual(expect.arrayContaining([{ name: "odd", title: "Kept from orders", kind: "orders", source: "kept" }]));
  const read = await runCli(["tx", "reconcile", file, "--against", file, "--json"], { home });
  expect(JSON.parse(read.stdout).inputs[0]).toMatchObject({ layout: "odd", rows: 2, unrecognised: { p: 2 } });
  expect((await runCli(["tx", "layout", "remove", "odd"], { home })).code).toBe(0);
  expect((await runCli(["tx", "layout", "show", "odd", "--json"], { home })).code).toBe(4);
});

it("a layout comes from JSON on standard input, and a wrong one is refused by its field", async () => {
  const home = createHome();
  expect((await runCli(["tx", "layout", "save", "mine", "--json"], { home, stdin: JSON.stringify(own) })).code).toBe(0);
  const shown = await runCli(["tx", "layout", "show", "mine", "--json"], { home });
  expect(JSON.parse(shown.stdout)).toEqual({ ...own, name: "mine" });
  const wrong = await runCli(["tx", "layout", "save", "mine", "--json"], { home, stdin: JSON.stringify({ ...own, dates: "ymd" }) });
  expect([wrong.code, JSON.parse(wrong.stderr).error.message]).toEqual([2, expect.stringContaining("dates")]);
  const broken = await runCli(["tx", "layout", "save", "mine", "--json"], { home, stdin: JSON.stringify({ ...own, narrative: { reference: ["("] } }) });
  expect(broken.code).toBe(2);
});

it("--layout names a layout or a JSON file; one that is not there is a usage error", async () => {
  const home = createHome();
  const file = join(home, "odd.csv");
  writeFileSync(file, "Wann,Was,Wieviel\nX-1001,a,100.00\nX-1002,b,200.00\n");
  const json = join(home, "own.json");
  writeFileSync(json, JSON.stringify(own));
  const read = await runCli(["tx", "reconcile", file, "--layout", json, "--against", file, "--against-layout", json, "--json"], { home });
  expect(JSON.parse(read.stdout)).toMatchObject({ summary: { matched: { count: 2 } }, inputs: [{ layout: "own" }, { layout: "own" }] });
  const none = await runCli(["tx", "reconcile", file, "--layout", "nope", "--json"], { home });
  expect([none.code, JSON.parse(none.stderr).error.command]).toEqual([2, ["tx", "layout", "list"]]);
});

it("a kept layout says what decimal marks and days mean where the cells leave it open, and what they prove goes before it", async () => {
  const home = createHome();
  const [first, next, other] = ["first.csv", "next.csv", "other.csv"].map((name) => join(home, name));
  const head = "Bestellung;Betrag;Tag\n";
  writeFileSync(first ?? "", `${head}X-1001;1.500,50;03/14/2026\nX-1002;200,00;03/15/2026\n`);
  writeFileSync(next ?? "", `${head}X-1003;1.500;03/04/2026\nX-1004;2.500;03/05/2026\n`);
  writeFileSync(other ?? "", `${head}X-1003;1,500.00;14/03/2026\nX-1004;2.50;03/05/2026\n`);
  const saved = await runCli(["tx", "layout", "save", "shop", "--from", first ?? "", "--as", "orders", "--json"], { home });
  expect(JSON.parse(saved.stdout)).toMatchObject({ dates: "mdy", decimal: "comma" });
  const read = async (file = "") => JSON.parse((await runCli(["tx", "reconcile", file, "--against", file, "--json"], { home })).stdout);
  const kept = await read(next);
  expect(kept.inputs[0]).toMatchObject({ layout: "shop", decimal: ",", period: { from: "2026-03-04", to: "2026-03-05" } });
  expect(kept.summary.matched.amount).toBe("4000.00");
  expect((await read(other)).inputs[0]).toMatchObject({ layout: "shop", decimal: ".", period: { from: "2026-03-14", to: "2026-05-03" } });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { createPayouts, document, errorOf, header, rows, write } from "./payouts.ts";

const text = readFileSync(fileURLToPath(new URL("../../cases/files/08-payouts.csv", import.meta.url)), "utf8");
const [heading = "", ...lines] = text.trim().split("\n");
const names = heading.split(",");
const records = lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at] ?? "", cell])));

type Variant = { readonly name: string; readonly make: (result: string) => string };
const variants: readonly Variant[] = [
  { name: "pay.csv.result.csv", make: (result) => result },
  { name: "reverse.csv", make: () => `${[heading, ...lines.toReversed()].join("\n")}\n` },
  { name: "pay.csv", make: () => `${[heading, ...lines.toReversed()].join("\n")}\n` },
  { name: "excel.csv", make: () => `\uFEFF${text.replaceAll(/(?<=[\n,])07/g, "2547").replaceAll("\n", "\r\n")}` },
  { name: "pay.csv", make: () => `\uFEFF${text.replaceAll(/(?<=[\n,])07/g, "2547").replaceAll("\n", "\r\n")}` },
  { name: "pay.jsonl", make: () => records.map((record) => JSON.stringify(record)).join("\n") },
];

describe("rows that another run paid", () => {
  test.each(variants.map((variant, at) => ({ ...variant, title: `${at + 1}: ${variant.name}` })))(
    "R2-08: a list that was paid is not paid again from $title",
    async ({ name, make }) => {
      const home = createHome();
      const { service, payments, posts } = createPayouts();
      const path = write(home, text, "pay.csv");
      const first = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
      expect([first.code, payments.size]).toEqual([0, lines.length]);
      const result = readFileSync(`${path}.result.csv`, "utf8");
      const ids = new Map(document(first.stdout).rows.map(({ row, transactionId }) => [records[row - 1]?.["reference"], transactionId]));
      const later = write(home, make(result), name);
      const again = await runCli(["b2c", "batch", later, "--yes", "--json"], { home, service });
      expect([again.code, again.stdout, posts()]).toEqual([11, "", lines.length]);
      const shown = await runCli(["b2c", "batch", later, "--yes", "--json", "--resume", "--result", join(home, "shown.csv")], { home, service });
      expect([shown.code, posts()]).toEqual([0, lines.length]);
      expect(new Set(document(shown.stdout).rows.map(({ transactionId }) => transactionId))).toEqual(new Set(ids.values()));
      expect(document(shown.stdout).rows.map(({ state }) => state)).toEqual(lines.map(() => "accepted"));
      if (name !== "pay.csv.result.csv") expect(readFileSync(`${path}.result.csv`, "utf8")).toBe(result);
    },
  );

  test("are shown accepted among new ones, which are paid", async () => {
    const home = createHome();
    const { service, paid } = createPayouts();
    expect((await runCli(["b2c", "batch", write(home, header + rows(2), "a.csv"), "--yes"], { home, service })).code).toBe(0);
    const path = write(home, header + rows(4), "b.csv");
    const asked = await runCli(["b2c", "batch", path], { home, service, answers: ["200.00"] });
    expect(asked.prompts[0]).toContain("2 payouts");
    expect(asked.prompts[0]).toContain("not sent again: 2 of 4 rows");
    expect(asked.prompts[0]).toContain("Total KES 200.00");
    expect(asked.code).toBe(0);
    const shown = await runCli(["b2c", "batch", path, "--yes", "--json", "--resume"], { home, service });
    expect(document(shown.stdout).rows.map(({ state, transactionId }) => `${state} ${transactionId}`)).toEqual([1, 2, 3, 4].map((n) => `accepted tx-${n}`));
    expect(Object.values(paid())).toEqual([1, 1, 1, 1]);
  });

  test("by b2c alone count too, unless they ended unpaid", async () => {
    const home = createHome();
    const { service, paid } = createPayouts();
    const b2c = (phone: string, reference: string) =>
      runCli(["b2c", "--phone", phone, "--amount", "100", "--reference", reference, "--yes"], { home, service });
    await b2c("0712345001", "A");
    await b2c("0712345041", "B");
    const path = write(home, `${header}0712345001,100,A\n0712345041,100,B\n`);
    const batch = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
    expect([batch.code, document(batch.stdout).rows.map(({ transactionId }) => transactionId)]).toEqual([0, ["tx-1", "tx-3"]]);
    expect(paid()).toEqual({ A: 1, B: 2 });
  });

  test("all of which ended unpaid do not hold up a new file", async () => {
    const home = createHome();
    const { service, paid } = createPayouts();
    await runCli(["b2c", "--phone", "0712345041", "--amount", "100", "--reference", "B", "--yes"], { home, service });
    const batch = await runCli(["b2c", "batch", write(home, `${header}0712345041,100,B\n`), "--yes", "--json"], { home, service });
    expect([batch.code, paid()]).toEqual([0, { B: 2 }]);
  });

  test("and ended unpaid are paid by a file that has new rows too", async () => {
    const home = createHome();
    const { service, paid } = createPayouts();
    await runCli(["b2c", "--phone", "0712345041", "--amount", "100", "--reference", "B", "--yes"], { home, service });
    const path = write(home, `${header}0712345041,100,B\n0712345002,100,C\n`);
    const batch = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
    expect([batch.code, paid()]).toEqual([0, { B: 2, C: 1 }]);
  });

  test("after this one was refused are shown accepted, not refused", async () => {
    const home = createHome();
    const state = { refuses: true };
    const { service, paid } = createPayouts(({ body }) => (state.refuses && body.includes('"B"') ? { status: 400, body: {} } : undefined));
    const path = write(home, `${header}0712345001,100,A\n0712345002,100,B\n`);
    expect((await runCli(["b2c", "batch", path, "--yes"], { home, service })).code).toBe(13);
    state.refuses = false;
    await runCli(["b2c", "--phone", "0712345002", "--amount", "100", "--reference", "B", "--yes"], { home, service });
    for (const flag of ["--resume", "--retry-failed"]) {
      const batch = await runCli(["b2c", "batch", path, "--yes", "--json", flag], { home, service });
      expect([batch.code, document(batch.stdout).rows.map(({ transactionId }) => transactionId)]).toEqual([0, ["tx-1", "tx-2"]]);
    }
    expect(paid()).toEqual({ A: 1, B: 1 });
  });

  test("with another amount are not sent, which is said with exit 13, and are sent with --allow-duplicate", async () => {
    const home = createHome();
    const { service, payments } = createPayouts();
    await runCli(["b2c", "--phone", "0712345001", "--amount", "100", "--reference", "A", "--yes"], { home, service });
    const path = write(home, `${header}0712345001,250,A\n0712345002,100,B\n`);
    const batch = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
    const [first] = document(batch.stdout).rows;
    expect([batch.code, first?.state, first?.transactionId, payments.size]).toEqual([13, "notSent", undefined, 2]);
    expect(first?.reason).toContain("100");
    const allowed = await runCli(["b2c", "batch", path, "--yes", "--json", "--allow-duplicate"], { home, service });
    expect([allowed.code, payments.size]).toEqual([0, 3]);
  });

  test("of which all have another amount are refused before anything is asked", async () => {
    const home = createHome();
    const { service, posts } = createPayouts();
    await runCli(["b2c", "--phone", "0712345001", "--amount", "100", "--reference", "A", "--yes"], { home, service });
    const batch = await runCli(["b2c", "batch", write(home, `${header}0712345001,250,A\n`), "--yes", "--json"], { home, service });
    expect([batch.code, batch.stdout, errorOf(batch.stderr).kind, posts()]).toEqual([11, "", "duplicate", 1]);
  });

  test("without a known outcome make a row unknown, never refused", async () => {
    const home = createHome();
    const state = { lose: true };
    const payouts = createPayouts((request) => (state.lose && request.method === "POST" ? payouts.payThenLose(request) : undefined));
    const single = await runCli(["b2c", "--phone", "0712345001", "--amount", "100", "--reference", "A", "--yes", "--retries", "0"], {
      home,
      service: payouts.service,
    });
    expect(single.code).toBe(9);
    state.lose = false;
    const path = write(home, `${header}0712345001,100,A\n0712345002,100,B\n`);
    const batch = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service: payouts.service });
    expect([batch.code, document(batch.stdout).rows.map(({ state: one }) => one)]).toEqual([13, ["unknown", "accepted"]]);
    await runCli(["journal", "resume", "--all", "--yes"], { home, service: payouts.service });
    const again = await runCli(["b2c", "batch", path, "--yes", "--json", "--resume"], { home, service: payouts.service });
    expect([again.code, payouts.paid()]).toEqual([0, { A: 1, B: 1 }]);
  });

  test("that begins while this one is under way does not make a row refused", async () => {
    const home = createHome();
    const state = { other: false };
    const payouts = createPayouts();
    const path = write(home, header + rows(3), "a.csv");
    const twin = write(home, `${header}0712345002,100,REF-2\n`, "b.csv");
    const service: typeof payouts.service = async (request, count) => {
      if (request.method === "POST" && !state.other) {
        state.other = true;
        await runCli(["b2c", "batch", twin, "--yes"], { home, service: payouts.service });
      }
      return await payouts.service(request, count);
    };
    const batch = await runCli(["b2c", "batch", path, "--yes", "--json", "--concurrency", "1"], { home, service });
    expect(document(batch.stdout).rows.map(({ state: one }) => one)).not.toContain("refused");
    expect(payouts.paid()).toEqual({ "REF-0": 1, "REF-1": 1, "REF-2": 1 });
  });

  test("without a known outcome name the command that finds out, as running the file again does not", async () => {
    const home = createHome();
    const { service, paid } = createPayouts((_, count) => (count === 2 ? { status: 500 } : undefined));
    const batch = async (text: string, ...flags: string[]) =>
      await runCli(["b2c", "batch", write(home, header + text), "--yes", "--json", "--retries", "0", ...flags], { home, service });
    await batch(rows(3));
    const edited = rows(3).replace("100,REF-0", "150,REF-0");
    const settle = ["journal", "resume", "--all"];
    expect(errorOf((await batch(edited)).stderr)).toMatchObject({ kind: "duplicate", command: settle });
    expect(errorOf((await batch(edited, "--resume")).stderr)).toMatchObject({ kind: "batch-incomplete", sent: "unknown", command: settle });
    expect((await runCli([...settle, "--yes"], { home, service })).code).toBe(0);
    expect(errorOf((await batch(edited)).stderr).command).not.toEqual(settle);
    expect(paid()).toEqual({ "REF-0": 1, "REF-1": 1, "REF-2": 1 });
  });
});

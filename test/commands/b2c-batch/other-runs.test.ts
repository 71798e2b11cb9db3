import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { createPayouts, document, errorOf, header, openBatch, rows, write } from "./payouts.ts";

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

  const a = "0712345001,100,A\n";
  const b = "0712345002,100,B\n";
  const unpaidB = "0712345041,100,B\n";
  const b2c = (phone: string, reference: string) => ["b2c", "--phone", phone, "--amount", "100", "--reference", reference, "--yes"];
  const idsOf = (rows: readonly { readonly transactionId?: string }[]) => rows.map(({ transactionId }) => transactionId);

  test("are shown accepted among new ones, which are paid", async () => {
    const { home, run, path, batch, payouts } = openBatch(header + rows(4));
    expect((await run(["b2c", "batch", write(home, header + rows(2), "a.csv"), "--yes"])).code).toBe(0);
    const asked = await run(["b2c", "batch", path], { answers: ["200.00"] });
    for (const part of ["2 payouts", "2 of 4 rows", "Total KES 200.00"]) expect(asked.prompts[0]).toContain(part);
    expect(asked.code).toBe(0);
    const shown = await batch("--resume");
    expect(shown.rows.map(({ state, transactionId }) => `${state} ${transactionId}`)).toEqual([1, 2, 3, 4].map((n) => `accepted tx-${n}`));
    expect(Object.values(payouts.paid())).toEqual([1, 1, 1, 1]);
  });

  test.each([
    ["by b2c alone count too, unless they ended unpaid", [b2c("0712345001", "A"), b2c("0712345041", "B")], a + unpaidB, ["tx-1", "tx-3"], { A: 1, B: 2 }],
    ["all of which ended unpaid do not hold up a new file", [b2c("0712345041", "B")], unpaidB, ["tx-2"], { B: 2 }],
    ["and ended unpaid are paid by a file that has new rows too", [b2c("0712345041", "B")], `${unpaidB}0712345002,100,C\n`, ["tx-2", "tx-3"], { B: 2, C: 1 }],
  ])("%s", async (_, before, text, ids, paid) => {
    const { run, batch, payouts } = openBatch(header + text);
    for (const words of before) await run(words);
    const ended = await batch();
    expect([ended.code, idsOf(ended.rows).toSorted(), payouts.paid()]).toEqual([0, ids, paid]);
  });

  test("are counted apart on the screen", async () => {
    const { run, path } = openBatch(header + a + b);
    await run(b2c("0712345001", "A"));
    const { stdout } = await run(["b2c", "batch", path, "--yes"]);
    expect(stdout).toMatch(/Accepted +2, .*1 of them paid before this run/);
  });

  test("after this one was refused are shown accepted, not refused", async () => {
    const state = { refuses: true };
    const { run, batch, payouts } = openBatch(header + a + b, ({ body }) => (state.refuses && body.includes('"B"') ? { status: 400, body: {} } : undefined));
    expect((await batch()).code).toBe(13);
    state.refuses = false;
    await run(b2c("0712345002", "B"));
    for (const flag of ["--resume", "--retry-failed"]) {
      const again = await batch(flag);
      expect([again.code, idsOf(again.rows)]).toEqual([0, ["tx-1", "tx-2"]]);
    }
    expect(payouts.paid()).toEqual({ A: 1, B: 1 });
  });

  test("with another amount are not sent, which is said with exit 13, and are sent with --allow-duplicate", async () => {
    const { run, batch, payouts } = openBatch(`${header}0712345001,250,A\n${b}`);
    await run(b2c("0712345001", "A"));
    const ended = await batch();
    const [first] = ended.rows;
    expect([ended.code, first?.state, first?.transactionId, payouts.payments.size]).toEqual([13, "notSent", undefined, 2]);
    expect(first?.reason).toContain("100");
    expect([(await batch("--allow-duplicate")).code, payouts.payments.size]).toEqual([0, 3]);
  });

  test("of which all have another amount are refused before anything is asked", async () => {
    const { run, batch, payouts } = openBatch(`${header}0712345001,250,A\n`);
    await run(b2c("0712345001", "A"));
    const { code, stdout, stderr } = await batch();
    expect([code, stdout, errorOf(stderr).kind, payouts.posts()]).toEqual([11, "", "duplicate", 1]);
  });

  test("without a known outcome make a row unknown, never refused", async () => {
    const state = { lose: true };
    const { run, batch, payouts } = openBatch(header + a + b, (request) =>
      state.lose && request.method === "POST" ? payouts.payThenLose(request) : undefined,
    );
    expect((await run([...b2c("0712345001", "A"), "--retries", "0"])).code).toBe(9);
    state.lose = false;
    const ended = await batch();
    expect([ended.code, ended.rows.map(({ state: one }) => one)]).toEqual([13, ["unknown", "accepted"]]);
    await run(["journal", "resume", "--all", "--yes"]);
    expect([(await batch("--resume")).code, payouts.paid()]).toEqual([0, { A: 1, B: 1 }]);
  });

  test("that begins while this one is under way does not make a row refused", async () => {
    const state = { other: false };
    const { home, run, path, payouts } = openBatch(header + rows(3));
    const twin = write(home, `${header}0712345002,100,REF-2\n`, "b.csv");
    const service: typeof payouts.service = async (request, count) => {
      if (request.method === "POST" && !state.other) {
        state.other = true;
        await run(["b2c", "batch", twin, "--yes"]);
      }
      return await payouts.service(request, count);
    };
    const ended = await run(["b2c", "batch", path, "--yes", "--json", "--concurrency", "1"], { service });
    expect(document(ended.stdout).rows.map(({ state: one }) => one)).not.toContain("refused");
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

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/storage/sqlite.ts";
import { type CliOptions, createHome, runCli, type Service } from "../../support/cli.ts";
import { withdrawal } from "../../support/withdrawal.ts";
import { header, write } from "../b2c-batch/payouts.ts";
import { createShop } from "./shop.ts";

const b2c = (reference: string, amount: string) => ["b2c", "--phone", "0712345678", "--amount", amount, "--reference", reference];
const required = { kind: "approval-required", sent: "no" };

describe("approval policy", () => {
  test("is shown, set and taken away, one for each currency", async () => {
    const { json } = createShop();
    expect(await json("approval", "policy")).toEqual({ policies: [] });
    await json("approval", "policy", "--from", "50000");
    expect(await json("approval", "policy", "--from", "100", "--currency", "ugx", "--approvers", "2")).toEqual({
      policies: [
        { from: "50000", currency: "KES", approvers: 1 },
        { from: "100", currency: "UGX", approvers: 2 },
      ],
    });
    expect(await json("approval", "policy", "--off")).toEqual({ policies: [{ from: "100", currency: "UGX", approvers: 2 }] });
  });

  test.each([
    [["--approvers", "2"]],
    [["--off", "--from", "1"]],
    [["--from", "1,000"]],
    [["--from", "10", "--approvers", "0"]],
    [["--from", "10", "--currency", "K"]],
  ])("%j is a usage error", async (flags) => {
    const { errorOf } = createShop();
    expect((await errorOf(["approval", "policy", ...flags], 2))["kind"]).toBe("usage");
  });

  test("says that on one machine it is only a second look", async () => {
    const { run } = createShop();
    expect((await run(["approval", "policy", "--from", "50000"])).notes).toContain("second look");
  });
});

describe("money out that a policy holds back", () => {
  test("is 14 from the amount on, and below it is paid", async () => {
    const { json, errorOf, payouts } = createShop();
    await json("approval", "policy", "--from", "50000");
    expect(await errorOf([...b2c("A", "50000"), "--yes"], 14)).toMatchObject({ ...required, message: expect.stringContaining("KES 50,000.00 or more") });
    expect(await errorOf(b2c("A", "50000"), 14)).toMatchObject(required);
    expect(payouts.posts()).toBe(0);
    await json(...b2c("B", "49999.99"), "--yes");
    expect(payouts.posts()).toBe(1);
  });

  test("names the command that proposes it, which then does", async () => {
    const { json, errorOf, payouts, run } = createShop();
    await json("approval", "policy", "--from", "50000");
    const words = [...b2c("A", "50000"), "--yes"];
    const { command, hint } = await errorOf(words, 14);
    expect(command).toEqual([...b2c("A", "50000"), "--json", "--propose"]);
    expect(hint).toMatch(/: payments-cli b2c .* --propose$/);
    expect(JSON.parse((await run(command as string[])).stdout)).toMatchObject({ state: "open", reference: "A" });
    expect(payouts.posts()).toBe(0);
    expect(await errorOf([...words, "--wait"], 14)).not.toHaveProperty("command");
  });

  test("is 14 through api too", async () => {
    const { json, errorOf, payouts } = createShop();
    await json("approval", "policy", "--from", "50000");
    const words = ["api", "POST", "/api/v1/merchants/payments/b2c", "-f", "phone=254712345678", "-f", "reference=A", "-F", "amount:=50000", "--yes"];
    expect(await errorOf(words, 14)).toMatchObject(required);
    expect(payouts.posts()).toBe(0);
  });

  test("--dry-run says that approval is needed, and is 0", async () => {
    const { json, run, home } = createShop();
    await json("approval", "policy", "--from", "50000");
    expect(await json(...b2c("A", "50000"), "--dry-run")).toMatchObject({ method: "POST", approvalRequired: true });
    expect(Object.keys(await json(...b2c("A", "100"), "--dry-run"))).toEqual(["method", "path", "body", "idempotencyKey"]);
    const shown = await run([...b2c("A", "50000"), "--dry-run"]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("Approval is needed")]);
    const file = write(home, `${header}0712345001,30000,A\n0712345002,30000,B\n`);
    expect(await json("b2c", "batch", file, "--dry-run")).toMatchObject({ approvalRequired: true });
  });

  test("--dry-run says that the duplicate guard would refuse it, and is 0", async () => {
    const { home, json, run, payouts } = createShop();
    const dry = async (...words: string[]) => {
      const ended = await run([...words, "--dry-run"]);
      expect(ended.code).toBe(0);
      return ended.notes;
    };
    await json(...b2c("A", "100"), "--yes");
    await json(...b2c("B", "100"), "--propose");
    expect(await dry(...b2c("A", "100"))).toContain("A payout with the reference A to the same payee was already accepted");
    expect(await dry(...b2c("B", "100"))).toContain("was proposed by");
    for (const words of [b2c("C", "100"), [...b2c("A", "100"), "--allow-duplicate"]]) expect(await dry(...words)).toBe("");
    const keyed = [...b2c("D", "100"), "--idempotency-key", "K"];
    await json(...keyed, "--yes");
    expect(await dry(...keyed)).toContain("is not sent again");
    const file = write(home, `${header}0712345678,100,A\n0712345001,100,E\n`);
    expect(await dry("b2c", "batch", file)).toContain("not sent again: 1 of 2 rows");
    expect(await dry("b2c", "batch", write(home, `${header}0712345678,100,B\n`))).toContain("was proposed by");
    await json("b2c", "batch", write(home, `${header}0712345001,100,E\n`), "--yes");
    expect(await dry("b2c", "batch", write(home, `${header}0712345001,100,E\n`))).toContain("This batch is finished");
    expect(payouts.posts()).toBe(3);
  });

  test("needs as many approvals as the policy says", async () => {
    const { json, payouts } = createShop();
    await json("approval", "policy", "--from", "50000", "--approvers", "2");
    const { id } = await json(...b2c("A", "50000"), "--propose");
    expect(await json("approval", "approve", id, "--yes")).toMatchObject({ state: "open", decisions: [{ decision: "approved" }] });
    expect(payouts.posts()).toBe(0);
    expect((await json("approval", "approve", id, "--yes")).state).toBe("sent");
    expect(payouts.posts()).toBe(1);
  });

  test("is not sent again by journal resume if it was never approved", async () => {
    const { json, run, errorOf, trouble, payouts } = createShop();
    trouble.next = () => ({ status: 500, body: {} });
    expect((await run([...b2c("A", "50000"), "--yes", "--retries", "0", "--json"])).code).toBe(9);
    await json("approval", "policy", "--from", "50000");
    const [attempt] = (await json("journal", "list"))["attempts"] as { readonly id: string }[];
    const posts = payouts.posts();
    const lists = (request: Parameters<typeof payouts.service>[0], count: number) =>
      request.path.endsWith("/transactions") ? { body: { transactions: [], total: 0 } } : payouts.service(request, count);
    const ended = await run(["journal", "resume", attempt?.id ?? "", "--yes", "--json"], { service: lists });
    expect([ended.code, JSON.parse(ended.stderr).error]).toMatchObject([14, { kind: "approval-required", sent: "unknown" }]);
    expect(payouts.posts()).toBe(posts);
    expect((await errorOf([...b2c("A", "50000"), "--yes"], 14))["kind"]).toBe("approval-required");
  });

  test("a policy of another currency, pushes and collections are left alone", async () => {
    const { json } = createShop();
    await json("approval", "policy", "--from", "1", "--currency", "UGX");
    await json(...b2c("A", "50000"), "--yes");
    await json("approval", "policy", "--from", "1");
    await json("stk", "--phone", "0712345678", "--amount", "5000", "--reference", "S");
  });
});

describe("a file of payouts", () => {
  const text = `${header}0712345001,30000,A\n0712345002,30000,B\n0712345003,30000,C\n`;
  test("is held back by its sum, proposed as a whole, and paid row by row when it is approved", async () => {
    const { home, json, errorOf, payouts } = createShop();
    await json("approval", "policy", "--from", "50000");
    const file = write(home, text);
    expect(await errorOf(["b2c", "batch", file, "--yes"], 14)).toMatchObject(required);
    const proposed = await json("b2c", "batch", file, "--propose", "wages");
    expect(proposed).toMatchObject({
      operation: "batch",
      reference: "payouts.csv",
      payee: "",
      rows: 3,
      amount: "90000.00",
      currency: "KES",
      note: "wages",
      state: "open",
    });
    expect(await errorOf(["b2c", "batch", file, "--propose"], 11)).toMatchObject({ kind: "duplicate" });
    expect(await errorOf(["b2c", "batch", file, "--retry-failed", "--yes"], 2)).toMatchObject({ kind: "usage" });
    expect(payouts.posts()).toBe(0);
    expect((await json("approval", "approve", proposed.id, "--yes")).state).toBe("sent");
    expect(payouts.paid()).toEqual({ A: 1, B: 1, C: 1 });
    expect((await errorOf(["approval", "approve", proposed.id, "--yes"], 11))["kind"]).toBe("duplicate");
    const shown = await json("b2c", "batch", file, "--resume", "--yes");
    expect(shown["summary"]).toMatchObject({ accepted: 3 });
  });

  test("shows its rows, those that were paid already, and what the rest comes to", async () => {
    const { home, json, run } = createShop();
    await json("b2c", "--phone", "0712345002", "--amount", "30000", "--reference", "B", "--yes");
    const { id } = await json("b2c", "batch", write(home, text), "--propose");
    const says = ["Row 1: KES 30,000.00 to 254712345001 (A)", /Row 2: KES 30,000.00 to 254712345002 \(B\): accepted, .*tx-1/, "Row 3: KES 30,000.00"];
    const shown = (await run(["approval", "show", id])).stdout.replace(/\s+/g, " ");
    const asked = await run(["approval", "approve", id], { answers: [false] });
    const question = asked.prompts.join(" ").replace(/\s+/g, " ");
    for (const part of says) for (const screen of [shown, question]) expect(screen).toMatch(part);
    // The float has 4,000, and two rows are left.
    expect(question).toContain("Afterwards: KES -56,000.00");
    expect(question).toContain("not sent again: 1 of 3 rows");
    await json("approval", "approve", id, "--yes");
    expect((await run(["approval", "show", id])).stdout.replace(/\s+/g, " ")).toMatch(/Row 3: .*\(C\): accepted, QUEUED, tx-3/);
  });

  test("whose stored rows were changed is not paid, nor is a payment that is not the one that is shown", async () => {
    const { home, json, errorOf, payouts } = createShop();
    const { id } = await json("b2c", "batch", write(home, text), "--propose");
    const propose = (reference: string) => json("b2c", "--phone", "0712345009", "--amount", "500", "--reference", reference, "--propose");
    const [one, other, third] = [await propose("ONE"), await propose("OTHER"), await propose("THIRD")];
    const database = await openDatabase(join(home, "data", "journal.db"));
    database.exec("UPDATE approval_items SET body = replace(body, '254712345001', '254712345008')");
    database.exec("UPDATE approval_items SET body = replace(body, '254712345009', '254712345008') WHERE body LIKE '%ONE%'");
    database.exec("UPDATE approvals SET payee = '254712345007' WHERE reference = 'OTHER'");
    database.exec("UPDATE approvals SET reference = 'SHOWN' WHERE reference = 'THIRD'");
    database.close();
    for (const each of [id, one.id, other.id, third.id])
      expect((await errorOf(["approval", "approve", each, "--yes"], 2))["message"]).toContain("was changed after it was proposed");
    expect(payouts.posts()).toBe(0);
  });

  test("--retry-failed is held back as the file is", async () => {
    const { home, json, run, errorOf, trouble, payouts } = createShop();
    const file = write(home, text);
    trouble.next = () => ({ status: 400, body: {} });
    expect((await run(["b2c", "batch", file, "--yes", "--concurrency", "1", "--json"])).code).toBe(13);
    await json("approval", "policy", "--from", "50000");
    expect(await errorOf(["b2c", "batch", file, "--retry-failed", "--yes"], 14)).toMatchObject(required);
    const { id } = await json("b2c", "batch", file, "--retry-failed", "--propose");
    expect((await json("approval", "approve", id, "--yes")).state).toBe("sent");
    expect(payouts.paid()).toEqual({ A: 1, B: 1, C: 1 });
  });

  test("that was cut off goes on when it is approved again, and pays each row once", async () => {
    const { home, clock, json, run, payouts } = createShop();
    await json("approval", "policy", "--from", "50000");
    const { id } = await json("b2c", "batch", write(home, text), "--propose");
    let left = 1;
    const cut = (request: Parameters<typeof payouts.service>[0], count: number) => {
      if (request.method === "POST" && left-- <= 0) return { status: 402, body: {} };
      return payouts.service(request, count);
    };
    const first = await run(["approval", "approve", id, "--yes", "--json"], { service: cut });
    expect([first.code, JSON.parse(first.stdout).state]).toEqual([13, "open"]);
    clock.nowMs += 2 * 86_400_000;
    const second = await json(...JSON.parse(first.stderr).error.command);
    expect(second.state).toBe("sent");
    expect(payouts.paid()).toEqual({ A: 1, B: 1, C: 1 });
  });

  test("that was cut off with a row on its way is not proposed again, nor is a row of it, until it has gone on", async () => {
    const { home, json, run, errorOf, payouts } = createShop();
    const file = write(home, text);
    const { id } = await json("b2c", "batch", file, "--propose");
    let posts = 0;
    const cut = (request: Parameters<typeof payouts.service>[0], count: number) => {
      posts += request.method === "POST" ? 1 : 0;
      if (request.method !== "POST" || posts === 1) return payouts.service(request, count);
      return posts === 2 ? payouts.payThenLose(request) : { status: 402, body: {} };
    };
    const first = await run(["approval", "approve", id, "--yes", "--retries", "0", "--json"], { service: cut });
    expect([first.code, JSON.parse(first.stdout).state]).toEqual([13, "unknown"]);
    for (const words of [
      ["b2c", "batch", file, "--propose"],
      ["b2c", "batch", file, "--yes"],
    ])
      expect(await errorOf(words, 11)).toMatchObject({ kind: "duplicate", sent: "no", command: ["approval", "show", id] });
    for (const [row, reference] of ["A", "B", "C"].entries())
      await errorOf(["b2c", "--phone", `071234500${row + 1}`, "--amount", "30000", "--reference", reference, "--propose"], 11);
    expect((await json("approval", "approve", id, "--yes")).state).toBe("sent");
    expect(payouts.paid()).toEqual({ A: 1, B: 1, C: 1 });
  });

  test("a row that waits for approval is not paid by another file", async () => {
    const { home, json, errorOf, payouts } = createShop();
    await json("b2c", "--phone", "0712345002", "--amount", "30000", "--reference", "B", "--propose");
    expect(await errorOf(["b2c", "batch", write(home, text), "--yes"], 11)).toMatchObject({ kind: "duplicate" });
    expect(payouts.posts()).toBe(0);
  });
});

describe("a withdrawal", () => {
  const catalogue = JSON.parse(readFileSync(new URL("../../cases/rails.json", import.meta.url), "utf8")) as readonly Record<string, unknown>[];
  const open = () => {
    const service: { rails: readonly Record<string, unknown>[]; sent: number } = { rails: catalogue, sent: 0 };
    const answer: Service = ({ method, path }) => {
      if (path.endsWith("/providers")) return { body: { success: true, providers: service.rails } };
      if (method === "POST") service.sent += 1;
      if (method === "POST") return { body: { success: true, disbursement: { reference: "GD-1", status: "PROCESSING", amount: 5000, fee: 0 } } };
      return { body: { success: true, wallet: { currency: "UGX", availableBalance: 9000 } } };
    };
    const home = createHome();
    const run = (words: readonly string[], more: CliOptions = {}) => runCli([...words, "--json"], { home, service: answer, ...more });
    return { service, run };
  };

  test("is held back, proposed without --yes, and sent once it is approved", async () => {
    const { service, run } = open();
    await run(["approval", "policy", "--from", "5000", "--currency", "UGX"]);
    expect((await run([...withdrawal, "--yes"])).code).toBe(14);
    const proposed = JSON.parse((await run([...withdrawal, "--propose"])).stdout);
    expect(proposed).toMatchObject({
      operation: "withdraw",
      payee: "UG_MOMO/MOBILE_MONEY/0772000001",
      amount: "5000",
      currency: "UGX",
      reference: "",
      state: "open",
    });
    expect(service.sent).toBe(0);
    const asked = await run(["approval", "approve", proposed.id], { answers: ["5000"] });
    expect([asked.code, JSON.parse(asked.stdout)]).toMatchObject([0, { state: "sent", transactionId: "GD-1" }]);
    expect(asked.prompts.join()).toContain("4,000");
    expect(service.sent).toBe(1);
  });

  test("is not sent over a rail that is no longer live", async () => {
    const { service, run } = open();
    const { id } = JSON.parse((await run([...withdrawal, "--propose"])).stdout);
    service.rails = catalogue.map((rail) => ({ ...rail, live: false }));
    expect((await run(["approval", "approve", id, "--yes"])).code).toBe(2);
    expect(service.sent).toBe(0);
  });
});

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { createPayouts, document, errorOf, rows, write } from "./payouts.ts";

describe("b2c batch", () => {
  test("pays each row and writes the result beside the file, private", async () => {
    const home = createHome();
    const { service, payments } = createPayouts();
    const path = write(home, `\uFEFFPhone;AMOUNT;Reference;Team\r\n0712345001;100;A;"=cmd"\r\n+254712345002;250.50;B;x\r\n`);
    const result = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
    expect(result.stderr).toBe("");
    expect(result.code).toBe(0);
    expect(document(result.stdout).summary).toEqual({ rows: 2, accepted: 2, refused: 0, unknown: 0, notSent: 0, amount: "350.50" });
    expect(payments.size).toBe(2);
    const csv = readFileSync(`${path}.result.csv`, "utf8");
    expect(csv.split("\n")[0]).toBe("row,state,transactionId,status,quote,reason,Phone,AMOUNT,Reference,Team");
    expect(csv).toContain("'=cmd");
    expect(statSync(`${path}.result.csv`).mode & 0o777).toBe(0o600);
  });

  test("D6: every fault of the file is named with its line and column, nothing is sent", async () => {
    const home = createHome();
    const { service, posts } = createPayouts();
    const path = write(home, "phone,amount,reference\n,100,A\n0712345678,0,B\nNO_PHONE,100,C\n0712345678,100,D\n0712345678,100,D\n");
    const result = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
    expect(result.code).toBe(2);
    expect(result.stdout).toBe("");
    for (const part of ["line 2: phone", "line 3: amount", "line 4: phone", "line 6: the same payee and reference as line 5"])
      expect(result.stderr).toContain(part);
    expect(posts()).toBe(0);
    expect(existsSync(`${path}.result.csv`)).toBe(false);
  });

  test.each([
    ["no rows", "phone,amount,reference\n"],
    ["a column missing", "phone,amount\n0712345678,100\n"],
    ["nothing at all", ""],
  ])("a file with %s is refused", async (_, text) => {
    const home = createHome();
    const { service, posts } = createPayouts();
    const result = await runCli(["b2c", "batch", write(home, text), "--yes"], { home, service });
    expect(result.code).toBe(2);
    expect(posts()).toBe(0);
  });

  test("needs --yes without a terminal, and takes no for an answer", async () => {
    const home = createHome();
    const { service, posts } = createPayouts();
    const path = write(home, `phone,amount,reference\n${rows(3)}`);
    const quiet = await runCli(["b2c", "batch", path], { home, service });
    expect(quiet.code).toBe(2);
    expect(quiet.stderr).toContain("--yes");
    expect((await runCli(["b2c", "batch", path], { home, service, answers: ["", "200"] })).code).toBe(130);
    const declined = await runCli(["b2c", "batch", path], { home, service, answers: ["no"] });
    expect(declined.code).toBe(130);
    expect(declined.prompts[0]).toContain("Total KES 300.00");
    expect(declined.prompts[0]).toContain("KES 4,000.00");
    expect(posts()).toBe(0);
  });

  test("a run that stopped because the service asks to wait says until when", async () => {
    const home = createHome();
    const path = write(home, `phone,amount,reference\n${rows(3)}`);
    const { service } = createPayouts(() => ({ status: 429, headers: { "retry-after": "86400" }, body: { success: false } }));
    const result = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service });
    const { kind, hint, command } = errorOf(result.stderr);
    expect([result.code, kind, command]).toEqual([13, "batch-incomplete", ["b2c", "batch", path, "--yes", "--json"]]);
    expect(hint).toMatch(/86400 s/);
  });

  test("D4: a run that stopped on 402 goes on and pays each row once", async () => {
    const home = createHome();
    let credit = 4;
    const { service, payments } = createPayouts(() => (credit-- > 0 ? undefined : { status: 402, body: { code: "PAYMENT_REQUIRED", message: "Add credits" } }));
    const path = write(home, `phone,amount,reference\n${rows(10)}`);
    const stopped = await runCli(["b2c", "batch", path, "--yes", "--json", "--concurrency", "2"], { home, service });
    expect(stopped.code).toBe(13);
    expect(document(stopped.stdout).summary).toMatchObject({ accepted: 4, refused: 0, notSent: 6 });
    expect(stopped.stderr).toContain("Add credits");
    credit = 1000;
    const resumed = await runCli(["b2c", "batch", path, "--yes"], { home, service });
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toContain("4 of 10");
    expect(payments.size).toBe(10);
    expect(new Set([...payments.values()].map(({ reference }) => reference)).size).toBe(10);
    const again = await runCli(["b2c", "batch", path, "--yes"], { home, service });
    expect(again.code).toBe(11);
    expect(payments.size).toBe(10);
  });

  test("a 403 to one payee among others that are paid holds up none of them, and is tried again on resume", async () => {
    const { service } = createPayouts((_, count) => (count === 2 ? { status: 403, body: { message: "Payee not allowed" } } : undefined));
    const home = createHome();
    const path = write(home, `phone,amount,reference\n${rows(5)}`);
    const { code, stdout } = await runCli(["b2c", "batch", path, "--yes", "--json", "--concurrency", "1"], { service, home });
    expect(code).toBe(13);
    expect(document(stdout).summary).toMatchObject({ accepted: 4, notSent: 1 });
    const again = await runCli(["b2c", "batch", path, "--yes", "--json"], { service, home });
    expect(again.code).toBe(0);
    expect(document(again.stdout).summary).toMatchObject({ accepted: 5 });
  });

  test("a row whose answer was lost is unknown, and the next run settles it with its own key", async () => {
    const home = createHome();
    let lose = true;
    const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
    const payouts = createPayouts((request) => {
      if (lose && request.body.includes("REF-1")) payouts.payThenLose(request);
      return undefined;
    });
    const path = write(home, `phone,amount,reference\n${rows(3)}`);
    const first = await runCli(["b2c", "batch", path, "--yes", "--json", "--retries", "1"], { home, clock, service: payouts.service });
    expect(first.code).toBe(13);
    expect(document(first.stdout).rows.map(({ state }) => state)).toEqual(["accepted", "unknown", "accepted"]);
    expect(first.stderr).toContain('"sent":"unknown"');
    lose = false;
    const second = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, clock, service: payouts.service });
    expect(second.code).toBe(0);
    expect(payouts.payments.size).toBe(3);
  });

  test("D5: --wait shows each row's end", async () => {
    const home = createHome();
    const { service } = createPayouts();
    const path = write(home, "phone,amount,reference\n0712345001,100,A\n0712345041,100,B\n0712345002,100,C\n");
    const result = await runCli(["b2c", "batch", path, "--yes", "--json", "--wait", "30"], { home, service });
    expect(result.code).toBe(13);
    expect(document(result.stdout).rows.map(({ status }) => status)).toEqual(["COMPLETED", "FAILED", "COMPLETED"]);
    expect(document(result.stdout).rows[1]?.reason).toBeTruthy();
  });

  test("a wrong --fields is an error before anything is sent, a right one never spoils a result", async () => {
    const home = createHome();
    const { service, posts } = createPayouts();
    const path = write(home, `phone,amount,reference\n${rows(2)}`);
    const wrong = await runCli(["b2c", "batch", path, "--yes", "--fields", "row,nonsense"], { home, service });
    expect(wrong.code).toBe(2);
    expect(posts()).toBe(0);
    const right = await runCli(["b2c", "batch", path, "--yes", "-o", "jsonl", "--fields", "row,reason"], { home, service });
    expect(right.stdout).toBe('{"row":1,"reason":null}\n{"row":2,"reason":null}\n');
    expect(right.code).toBe(0);
  });

  test("from standard input the result needs a name", async () => {
    const home = createHome();
    const { service } = createPayouts();
    const stdin = '{"phone":"0712345001","amount":100,"reference":"A"}\n{"phone":"0712345002","amount":100.50,"reference":"B"}\n';
    expect((await runCli(["b2c", "batch", "-", "--yes"], { home, service, stdin })).code).toBe(2);
    const paid = await runCli(["b2c", "batch", "-", "--yes", "--json", "--result", join(home, "r.csv")], { home, service, stdin });
    expect(paid.code).toBe(0);
    expect(paid.requests.filter(({ method }) => method === "POST").map(({ body }) => body)).toContain(
      '{"phone":"254712345002","amount":100.5,"reference":"B"}',
    );
  });

  test.each([
    ["every row is accepted", "001"],
    ["a row is refused", "400"],
  ])("R2-15: the error for a result that cannot be written to stdout says what was sent, where %s", async (_, phone) => {
    const home = createHome();
    const { service, posts } = createPayouts(({ body }) => (body.includes("712345400") ? { status: 400, body: {} } : undefined));
    const path = write(home, `phone,amount,reference\n0712345002,100,A\n0712345${phone},100,B\n`);
    const full = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, service, diskFull: true });
    expect([full.code === 0, full.stdout, posts()]).toEqual([false, "", 2]);
    expect(errorOf(full.stderr)).toMatchObject({ sent: "yes", journalId: expect.stringMatching(/./) });
    expect(full.stderr.trim().split("\n")).toHaveLength(1);
    expect(readFileSync(`${path}.result.csv`, "utf8").trim().split("\n")).toHaveLength(3);
  });

  test("--dry-run checks and sends nothing", async () => {
    const home = createHome();
    const { service, posts } = createPayouts();
    const result = await runCli(["b2c", "batch", write(home, `phone,amount,reference\n${rows(3)}`), "--dry-run", "--json"], { home, service });
    expect(result.code).toBe(0);
    expect(document(result.stdout).summary).toMatchObject({ rows: 3, notSent: 3 });
    expect(posts()).toBe(0);
  });
});

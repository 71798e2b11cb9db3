import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorOf, header, openBatch, rows } from "./payouts.ts";

describe("b2c batch", () => {
  test("pays each row and writes the result beside the file, private", async () => {
    const { batch, payouts, result } = openBatch(`\uFEFFPhone;AMOUNT;Reference;Team\r\n0712345001;100;A;"=cmd"\r\n+254712345002;250.50;B;x\r\n`);
    const { code, stderr, summary } = await batch();
    expect([code, stderr, payouts.payments.size]).toEqual([0, "", 2]);
    expect(summary).toEqual({ rows: 2, accepted: 2, refused: 0, unknown: 0, notSent: 0, amount: "350.50" });
    const csv = readFileSync(result, "utf8");
    expect(csv.split("\n")[0]).toBe("row,state,transactionId,status,quote,reason,Phone,AMOUNT,Reference,Team");
    expect(csv).toContain("'=cmd");
    expect(statSync(result).mode & 0o777).toBe(0o600);
  });

  test("D6: every fault of the file is named with its line and column, nothing is sent", async () => {
    const { batch, payouts, result } = openBatch(`${header},100,A\n0712345678,0,B\nNO_PHONE,100,C\n0712345678,100,D\n0712345678,100,D\n`);
    const { code, stdout, stderr } = await batch();
    expect([code, stdout, payouts.posts(), existsSync(result)]).toEqual([2, "", 0, false]);
    for (const part of ["line 2: phone", "line 3: amount", "line 4: phone", "line 6: the same payee and reference as line 5"]) expect(stderr).toContain(part);
  });

  test.each([
    ["no rows", header],
    ["a column missing", "phone,amount\n0712345678,100\n"],
    ["nothing at all", ""],
  ])("a file with %s is refused", async (_, text) => {
    const { batch, payouts } = openBatch(text);
    expect([(await batch()).code, payouts.posts()]).toEqual([2, 0]);
  });

  test("needs --yes without a terminal, and takes no for an answer", async () => {
    const { run, path, payouts } = openBatch(header + rows(3));
    const quiet = await run(["b2c", "batch", path]);
    expect([quiet.code, quiet.stderr.includes("--yes")]).toEqual([2, true]);
    expect((await run(["b2c", "batch", path], { answers: ["", "200"] })).code).toBe(130);
    const declined = await run(["b2c", "batch", path], { answers: ["no"] });
    expect([declined.code, payouts.posts()]).toEqual([130, 0]);
    for (const amount of ["Total KES 300.00", "KES 4,000.00"]) expect(declined.prompts[0]).toContain(amount);
  });

  test("a run that stopped because the service asks to wait says until when", async () => {
    const { batch, path } = openBatch(header + rows(3), () => ({ status: 429, headers: { "retry-after": "86400" }, body: { success: false } }));
    const { code, stderr } = await batch();
    const { kind, hint, command } = errorOf(stderr);
    expect([code, kind, command]).toEqual([13, "batch-incomplete", ["b2c", "batch", path, "--yes", "--json"]]);
    expect(hint).toMatch(/86400 s/);
  });

  test("D4: a run that stopped on 402 goes on and pays each row once", async () => {
    let credit = 4;
    const broke = { status: 402, body: { code: "PAYMENT_REQUIRED", message: "Add credits" } };
    const { batch, run, path, payouts } = openBatch(header + rows(10), () => (credit-- > 0 ? undefined : broke));
    const stopped = await batch("--concurrency", "2");
    expect([stopped.code, stopped.summary]).toMatchObject([13, { accepted: 4, refused: 0, notSent: 6 }]);
    expect(stopped.stderr).toContain("Add credits");
    credit = 1000;
    const resumed = await run(["b2c", "batch", path, "--yes"]);
    expect([resumed.code, resumed.stderr.includes("4 of 10")]).toEqual([0, true]);
    expect([Object.keys(payouts.paid()).length, payouts.payments.size]).toEqual([10, 10]);
    expect([(await batch()).code, payouts.payments.size]).toEqual([11, 10]);
  });

  test("a 403 to one payee among others that are paid holds up none of them, and is tried again on resume", async () => {
    const { batch } = openBatch(header + rows(5), (_, count) => (count === 2 ? { status: 403, body: { message: "Payee not allowed" } } : undefined));
    const first = await batch("--concurrency", "1");
    expect([first.code, first.summary]).toMatchObject([13, { accepted: 4, notSent: 1 }]);
    const again = await batch();
    expect([again.code, again.summary]).toMatchObject([0, { accepted: 5 }]);
  });

  test("a row whose answer was lost is unknown, and the next run settles it with its own key", async () => {
    let lose = true;
    const { batch, payouts } = openBatch(header + rows(3), (request) => (lose && request.body.includes("REF-1") ? payouts.payThenLose(request) : undefined));
    const first = await batch("--retries", "1");
    expect([first.code, first.rows.map(({ state }) => state)]).toEqual([13, ["accepted", "unknown", "accepted"]]);
    expect(errorOf(first.stderr).sent).toBe("unknown");
    lose = false;
    expect([(await batch()).code, payouts.payments.size]).toEqual([0, 3]);
  });

  test("D5: --wait shows each row's end", async () => {
    const { batch } = openBatch(`${header}0712345001,100,A\n0712345041,100,B\n0712345002,100,C\n`);
    const { code, rows: shown } = await batch("--wait", "30");
    expect([code, shown.map(({ status }) => status)]).toEqual([13, ["COMPLETED", "FAILED", "COMPLETED"]]);
    expect(shown[1]?.reason).toBeTruthy();
  });

  test("a wrong --fields is an error before anything is sent, a right one never spoils a result", async () => {
    const { run, path, payouts } = openBatch(header + rows(2));
    const wrong = await run(["b2c", "batch", path, "--yes", "--fields", "row,nonsense"]);
    expect([wrong.code, payouts.posts()]).toEqual([2, 0]);
    const right = await run(["b2c", "batch", path, "--yes", "-o", "jsonl", "--fields", "row,reason"]);
    expect([right.code, right.stdout]).toEqual([0, '{"row":1,"reason":null}\n{"row":2,"reason":null}\n']);
  });

  test("from standard input the result needs a name", async () => {
    const { run, home } = openBatch("");
    const stdin = '{"phone":"0712345001","amount":100,"reference":"A"}\n{"phone":"0712345002","amount":100.50,"reference":"B"}\n';
    expect((await run(["b2c", "batch", "-", "--yes"], { stdin })).code).toBe(2);
    const paid = await run(["b2c", "batch", "-", "--yes", "--json", "--result", join(home, "r.csv")], { stdin });
    expect(paid.code).toBe(0);
    const sent = paid.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
    expect(sent).toContain('{"phone":"254712345002","amount":100.5,"reference":"B"}');
  });

  test.each([
    ["every row is accepted", "001"],
    ["a row is refused", "400"],
  ])("R2-15: the error for a result that cannot be written to stdout says what was sent, where %s", async (_, phone) => {
    const text = `${header}0712345002,100,A\n0712345${phone},100,B\n`;
    const { run, path, result, payouts } = openBatch(text, ({ body }) => (body.includes("712345400") ? { status: 400, body: {} } : undefined));
    const full = await run(["b2c", "batch", path, "--yes", "--json"], { diskFull: true });
    expect([full.code === 0, full.stdout, payouts.posts()]).toEqual([false, "", 2]);
    expect(errorOf(full.stderr)).toMatchObject({ sent: "yes", journalId: expect.stringMatching(/./) });
    expect(full.stderr.trim().split("\n")).toHaveLength(1);
    expect(readFileSync(result, "utf8").trim().split("\n")).toHaveLength(3);
  });

  test("--dry-run checks and sends nothing", async () => {
    const { run, path, payouts } = openBatch(header + rows(3));
    const { code, stdout } = await run(["b2c", "batch", path, "--dry-run", "--json"]);
    expect([code, JSON.parse(stdout).summary, payouts.posts()]).toMatchObject([0, { rows: 3, notSent: 3 }, 0]);
  });
});

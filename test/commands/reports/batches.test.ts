import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const fileOf = (home: string, text: string): string => {
  const path = join(home, "f.csv");
  writeFileSync(path, text);
  return path;
};
const paying: Service = ({ method, headers }) =>
  method === "POST"
    ? { body: { transactionId: `T-${headers["idempotency-key"]}`, status: "QUEUED" } }
    : { body: { success: true, wallet: {}, transactions: [] } };
const posts = (requests: readonly { readonly method: string; readonly headers: Readonly<Record<string, string>> }[]): (string | undefined)[] =>
  requests.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);

describe("cases/reports.md, duplicates and batches", () => {
  it("D3: the same item twice in a file refuses it whole, naming both lines", async () => {
    const home = createHome();
    const path = fileOf(home, "phone,amount,reference\n0712345001,100,P-7\n0712345002,100,P-8\n0712345003,100,P-9\n+254 712 345 001,100,P-7\n");
    const { code, stdout, stderr, requests } = await runCli(["b2c", "batch", path, "--yes"], { home, service: paying });
    expect([code, stdout, posts(requests)]).toEqual([2, "", []]);
    expect(stderr).toMatch(/line 5\b.*line 2\b/);
  });

  it("D6: nothing stands in for an empty cell, a zero or a word", async () => {
    const home = createHome();
    const path = fileOf(home, "phone,amount,reference\n,100,A\n0712345001,0,B\nNO_PHONE,100,C\n");
    const { code, stdout, stderr, requests } = await runCli(["b2c", "batch", path, "--yes"], { home, service: paying });
    expect([code, stdout, posts(requests)]).toEqual([2, "", []]);
    for (const part of ["line 2: phone", "line 3: amount", "line 4: phone"]) expect(stderr).toContain(part);
  });

  it("D7: a finished file says when it was paid, and pays again only when told, with new keys", async () => {
    const home = createHome();
    const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
    const argv = ["b2c", "batch", fileOf(home, "phone,amount,reference\n0712345001,100,A\n0712345002,100,B\n"), "--yes"];
    const paid = await runCli(argv, { home, service: paying, clock });
    expect([paid.code, posts(paid.requests).length]).toEqual([0, 2]);
    const again = await runCli(argv, { home, service: paying, clock });
    expect([again.code, again.stdout, posts(again.requests)]).toEqual([11, "", []]);
    expect(again.stderr).toContain("2026-03-01");
    const alone = await runCli([...argv, "--new-run"], { home, service: paying, clock });
    expect([alone.code, alone.stdout, posts(alone.requests)]).toEqual([11, "", []]);
    expect(alone.stderr).toContain("--allow-duplicate");
    const anew = await runCli([...argv, "--new-run", "--allow-duplicate"], { home, service: paying, clock });
    expect(anew.code).toBe(0);
    expect(new Set([...posts(paid.requests), ...posts(anew.requests)]).size).toBe(4);
  });
});

describe("cases/reports.md, phones and amounts", () => {
  it("A7: zeros in front stay, and a number is a number", async () => {
    const argv = ["api", "POST", "/api/v1/merchants/payments/stk-push", "-f", "phone=0712345678", "-f", "reference=007", "-F", "amount:=150"];
    const { code, requests } = await runCli(argv, { service: paying });
    expect([code, requests.map(({ body }) => JSON.parse(body))]).toEqual([0, [{ phone: "0712345678", reference: "007", amount: 150 }]]);
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";
import { type Held, serviceOf } from "../../support/transactions-service.ts";

const rails: unknown = JSON.parse(readFileSync(new URL("../../cases/rails.json", import.meta.url), "utf8"));
const withdrawing =
  (answer: unknown): Service =>
  ({ method, path }) => {
    if (method === "POST") return { body: answer };
    return { body: path.endsWith("/providers") ? { success: true, providers: rails } : { success: true, wallet: { currency: "UGX" } } };
  };
const withdrawal = "global withdraw --rail UG_MOMO --channel MOBILE_MONEY --operator MTN --msisdn 0772000001 --amount 5000 --currency UGX".split(" ");
const heldOf = (count: number): Held[] =>
  Array.from({ length: count }, (_, index) => ({ flow: "standard", id: `T${index}`, reference: `R${index}`, amount: 10, status: "COMPLETED" }));

describe("cases/reports.md, money", () => {
  it("O7: a 200 that says it failed closes the attempt as refused", async () => {
    const home = createHome();
    const service = withdrawing({ success: false, message: "Rail closed" });
    const { code, stdout, stderr } = await runCli([...withdrawal, "--yes", "--json"], { home, service });
    expect([code, stdout, JSON.parse(stderr).error.message]).toEqual([6, "", "Rail closed"]);
    const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout);
    expect(attempts).toMatchObject([{ operation: "withdraw", state: "refused" }]);
  });

  it("P5: a live profile's withdrawal says whose money goes where, and 500 is not 5000", async () => {
    const home = createHome();
    const service = withdrawing({ success: true, disbursement: { reference: "GD-1", status: "PROCESSING" } });
    const env = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
    const login = ["login", "--base-url", "https://pay.example", "--with-key", "--name", "shop"];
    expect((await runCli(login, { home, service, env, stdin: "key_of_the_shop_0123456789" })).code).toBe(0);
    const { code, prompts, requests, stderr } = await runCli([...withdrawal, "--profile", "shop"], { home, service, env, answers: ["five thousand", "500"] });
    expect([code, requests.filter(({ method }) => method === "POST")]).toEqual([130, []]);
    // The whole command, to be pasted once more.
    expect(stderr).toContain(`payments-cli ${[...withdrawal, "--profile", "shop"].join(" ")}\n`);
    const asked = prompts.join("\n");
    for (const part of ["shop", "pay.example", "UG_MOMO", "MOBILE_MONEY", "0772000001", "5,000", "UGX", "fee", "Type the amount"])
      expect(asked).toContain(part);
  });

  it("A6: minus five is an amount, not an option", async () => {
    const argv = ["b2c", "--phone", "0712345678", "--amount", "-5", "--reference", "A6", "--yes"];
    const { code, stderr, requests } = await runCli(argv, { service: withdrawing({}) });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(stderr).toContain("must be positive");
    expect(stderr).not.toContain("unknown option");
  });
});

describe("cases/reports.md, paging", () => {
  it("L2: 340 transactions are 340 rows, whatever a page holds", async () => {
    const { code, stdout } = await runCli(["tx", "list", "--all", "--json"], { service: serviceOf(heldOf(340)) });
    const { transactions, total } = JSON.parse(stdout);
    expect([code, new Set(transactions.map(({ id }: Held) => id)).size, transactions.length, total]).toEqual([0, 340, 340, 340]);
  });

  it("L6: three pages are one document, or one transaction a line", async () => {
    const service = serviceOf(heldOf(25), { cap: 10 });
    const document = await runCli(["tx", "list", "--all", "--json"], { service });
    expect([document.requests.length >= 3, JSON.parse(document.stdout).transactions.length]).toEqual([true, 25]);
    const lines = (await runCli(["tx", "list", "--all", "-o", "jsonl"], { service })).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(heldOf(25).map(({ id }) => id));
  });
});

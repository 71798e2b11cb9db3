import { expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const b2c = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--yes", "--json", "--retries", "0"];

/** A payout whose answer is lost, and then the same service asked to settle it. */
const settle = async (list: (offset: number, page: number) => unknown): Promise<{ readonly code: number; readonly stdout: string; readonly pages: number }> => {
  const home = createHome();
  let pages = 0;
  const service: Service = ({ method, query }) => {
    if (method === "POST") return { status: 500 };
    pages += 1;
    return { body: list(Number(query.get("offset") ?? 0), pages) };
  };
  expect((await runCli(b2c, { home, service })).code).toBe(9);
  const { code, stdout } = await runCli(["journal", "resume", "--all", "--json"], { home, service });
  return { code, stdout, pages };
};
const row = (id: unknown) => ({ id, reference: "other", amount: 1, status: "PAID" });

test("a list that grows as fast as it is read does not hold the settling up", { timeout: 10_000 }, async () => {
  const { code, pages } = await settle((_, page) => ({ transactions: [row(`t${page}`)], total: page + 100 }));
  expect(code).toBe(9);
  expect(pages).toBeLessThan(2_000);
});

test("a list without a total that gives the same page for ever neither", { timeout: 10_000 }, async () => {
  const { code, pages } = await settle(() => ({ transactions: [row("t1")] }));
  expect({ code, pages }).toEqual({ code: 9, pages: 4 });
});

test("an amount that the service writes as 1.0e2 is the 100 that was sent", async () => {
  const body = '{"transactions":[{"id":9007199254740993,"reference":"R-1","amount":1.0e2,"status":"Success"}],"total":1}';
  const { code, stdout } = await settle(() => body);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ attempts: [{ state: "accepted", transactionId: "9007199254740993", status: "Success" }] });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { createSandboxHome } from "./sandbox-home.ts";

const reference = "A&B#1 <x>";
const description = 'Tea & "cake" 🫖';
const push = ["stk", "--phone", "0712345678", "--amount", "10", "--reference", reference, "--description", description, "--json"];

describe("R2-60: signs, quotes and emoji in a reference or description", () => {
  it("go through character for character, and both look-ups find them", async () => {
    const shop = await createSandboxHome();
    const made = await shop.run(push);
    expect([made.code, JSON.parse(shop.sent[0]?.body ?? "{}")]).toEqual([0, { phone: "254712345678", amount: 10, reference, description }]);
    const { transactionId } = JSON.parse(made.stdout);
    const got = await shop.run(["tx", "get", "--reference", reference, "--json"]);
    expect([got.code, JSON.parse(got.stdout)]).toMatchObject([0, { id: transactionId, reference }]);
    expect((await shop.run(["tx", "sync", "--json"])).code).toBe(0);
    const found = await shop.run(["tx", "find", "a b 1 x", "--json"]);
    expect([found.code, JSON.parse(found.stdout).transactions]).toMatchObject([0, [{ id: transactionId }]]);
  });

  it("are sent unchanged by a batch", async () => {
    const file = join(createHome(), "pay.csv");
    writeFileSync(file, `phone,amount,reference,remarks\n0712345678,100,${reference},"${description.replaceAll('"', '""')}"\n`);
    const shop = await createSandboxHome();
    const { code } = await shop.run(["b2c", "batch", file, "--yes", "--json"]);
    const bodies = shop.sent.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body ?? "{}"));
    expect([code, bodies]).toEqual([0, [{ phone: "254712345678", amount: 100, reference, remarks: description }]]);
  });

  it("are text in a report", async () => {
    const home = createHome();
    const [file, report] = [join(home, "orders.csv"), join(home, "r.html")];
    writeFileSync(file, "reference,amount,status\n<script>alert(1)</script>,10,paid\n");
    const { code } = await (await createSandboxHome()).run(["tx", "reconcile", file, "--report", report, "--json"]);
    const page = readFileSync(report, "utf8");
    expect([code, page.includes("<script>alert(1)"), page.includes("alert(1)")]).toEqual([0, false, true]);
  });

  it("that the service refuses are refused in its own words", async () => {
    const { code, stdout, stderr } = await runCli(push, {
      service: () => ({ status: 400, body: { code: "400.002.02", message: "Bad Request - Invalid AccountReference" } }),
    });
    expect([code, stdout]).toEqual([6, ""]);
    expect(JSON.parse(stderr).error).toMatchObject({ code: "400.002.02", message: "Bad Request - Invalid AccountReference" });
  });
});

describe("R2-61: accepted is not paid", () => {
  const creations = [
    ["prompt was sent", ["stk", "--phone", "0712345011", "--amount", "10", "--reference", "W-1"]],
    ["payout is queued", ["b2c", "--phone", "0712345041", "--amount", "100", "--reference", "W-1", "--yes"]],
  ] as const;
  it.each(creations)("says that the %s, and how to see the end", async (words, argv) => {
    for (const terminal of [false, true]) {
      const { code, stdout, stderr } = await (await createSandboxHome()).run(argv, { terminal });
      expect(code).toBe(0);
      expect(stdout).toContain(words);
      expect(stdout).toContain("payments-cli tx get ");
      expect(stdout + stderr).not.toMatch(/success|[\u2713\u2714\u2705]|^\W*(?:paid|completed)/im);
    }
  });

  it("also where the service calls the request a success", async () => {
    const service = () => ({ body: { success: true, transactionId: "T1", status: "QUEUED" } });
    const { stdout } = await runCli(creations[1][1], { service });
    expect(stdout).not.toMatch(/success/i);
  });
});

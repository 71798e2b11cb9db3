import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const paid = {
  id: "T1",
  reference: "INV-1",
  amount: 150,
  status: "COMPLETED",
  provider: "MM",
  providerRef: "PR9",
  metadata: { mobileMoneyReceipt: "QK1ABC" },
  extra: "kept",
};
const rows = [
  { id: "T1", reference: "INV-1", amount: 150, status: "COMPLETED" },
  { id: "T2", reference: "INV-2", amount: 10, status: "SENT" },
  { id: "T3", reference: "INV-2", amount: 10, status: "SENT" },
];
const service: Service = ({ path, query }) => {
  if (path.endsWith("/transactions")) return { body: { transactions: query.get("flow") === "all" ? rows : [], total: 3 } };
  return path.endsWith("/T1") ? { body: paid } : { status: 404, body: { success: false, code: "NOT_FOUND", message: "No such transaction" } };
};

describe("tx get", () => {
  it("shows everything about one", async () => {
    const { code, stdout } = await runCli(["tx", "get", "T1"], { service });
    expect(code).toBe(0);
    for (const text of ["INV-1", "KES 150.00", "COMPLETED, paid", "QK1ABC", "PR9", "kept"]) expect(stdout).toContain(text);
  });

  it("says that a paid one has no receipt", async () => {
    const { stdout } = await runCli(["tx", "get", "T1"], { service: () => ({ body: { ...paid, metadata: {} } }) });
    expect(stdout).toContain("none given, though it is paid");
  });

  it("shows an unknown status as unrecognised", async () => {
    const { stdout } = await runCli(["tx", "get", "T1"], { service: () => ({ body: { ...paid, status: "FAILED_OVER" } }) });
    expect(stdout).toContain("FAILED_OVER (unrecognised");
  });

  it("O8: digits come as they came", async () => {
    const { stdout } = await runCli(["tx", "get", "T2", "--json"], {
      service: () => ({ body: '{"id":"T2","status":"SENT","amount":1003800,"big":12345678901234567890}' }),
    });
    expect(stdout).toContain("12345678901234567890");
    expect(stdout).toContain("1003800");
  });

  it("O9: not found is 4, with nothing on stdout", async () => {
    const { code, stdout, stderr } = await runCli(["tx", "get", "nope", "--json"], { service });
    expect([code, stdout, JSON.parse(stderr).error.kind]).toEqual([4, "", "not-found"]);
    // What people type first is their own reference.
    expect(JSON.parse(stderr).error.command).toEqual(["tx", "get", "--reference", "nope"]);
  });

  it("O6: text of the service cannot drive the terminal, and JSON keeps it", async () => {
    const reference = "A\u001b]0;owned\u0007\r\u202eB";
    const odd: Service = () => ({ body: { ...paid, reference } });
    const table = await runCli(["tx", "get", "T1"], { service: odd });
    expect(/[\u001b\u0007\r\u009b\u202e]/.test(table.stdout + table.stderr)).toBe(false);
    const json = await runCli(["tx", "get", "T1", "--json"], { service: odd });
    expect(JSON.parse(json.stdout).reference).toBe(reference);
  });

  it("another transaction than the one asked for is no answer", async () => {
    const { code } = await runCli(["tx", "get", "T9"], { service: () => ({ body: paid }) });
    expect(code).toBe(10);
  });

  it("a global reference is refused without sending", async () => {
    for (const words of [["GD-77"], ["--reference", "GC-1"]]) {
      const { code, stderr, requests } = await runCli(["tx", "get", ...words], { service });
      expect([code, requests.length]).toEqual([2, 0]);
      expect(stderr).toContain("no look-up");
    }
  });

  it("needs one of id and reference", async () => {
    expect((await runCli(["tx", "get"], { service })).code).toBe(2);
    expect((await runCli(["tx", "get", "T1", "--reference", "INV-1"], { service })).code).toBe(2);
  });
});

describe("tx get where the mirror knows that it was paid", () => {
  const home = createHome();
  const now = { status: "COMPLETED" };
  const one: Service = ({ path, query }) => {
    const row = { ...paid, ...now };
    if (!path.endsWith("/transactions")) return { body: row };
    return { body: { transactions: query.get("flow") === "b2c" ? [] : [row], total: query.get("flow") === "b2c" ? 0 : 1 } };
  };
  const get = (...words: string[]) => runCli(["tx", "get", ...words], { home, service: one });

  it("shows a later failure as a conflict, a reversal not, and leaves JSON alone", async () => {
    expect((await runCli(["tx", "sync"], { home, service: one })).code).toBe(0);
    expect((await get("T1")).stderr).not.toContain("Conflict");
    now.status = "FAILED";
    for (const words of [["T1"], ["--reference", "INV-1"]]) {
      const { code, stdout, stderr } = await get(...words);
      expect([code, /FAILED/.test(stdout) && !/ended unpaid/.test(stdout), /Conflict +it was COMPLETED before/.test(stdout), stderr]).toEqual([
        0,
        true,
        true,
        expect.stringContaining("Conflict:"),
      ]);
    }
    const json = await get("T1", "--json");
    expect([JSON.parse(json.stdout), json.stderr]).toEqual([{ ...paid, status: "FAILED" }, ""]);
    now.status = "REVERSED";
    expect((await get("T1")).stdout).not.toContain("Conflict");
  });

  it.each([
    ["tx list", ["list"], "T1 .* FAILED \\(was COMPLETED\\)", "Conflict: the service says FAILED of T1"],
    ["tx list --all", ["list", "--all"], "T1 .* FAILED \\(was COMPLETED\\)", "Conflict: the service says FAILED of T1"],
    ["tx list -o csv", ["list", "-o", "csv"], "T1,INV-1,150,FAILED", "Conflict: the service says FAILED of T1"],
    ["tx list --all -o jsonl", ["list", "--all", "-o", "jsonl"], '"status":"FAILED"', "Conflict: the service says FAILED of T1"],
    ["tx list --json", ["list", "--json"], '"status": "FAILED"', "^$"],
    ["tx explain", ["explain", "T1"], "Status +FAILED\n", "^$"],
  ])("%s shows the conflict too, in JSON alone not", async (_, words, shown, noted) => {
    now.status = "COMPLETED";
    await runCli(["tx", "sync"], { home, service: one });
    now.status = "FAILED";
    const { code, stdout, stderr } = await runCli(["tx", ...words], { home, service: one });
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(shown), expect.stringMatching(noted)]);
  });

  it("tx find shows it in its table of several", async () => {
    const several: Service = ({ path, query }) => {
      const rows = ["T1", "T2"].map((id) => ({ ...paid, id, ...now }));
      if (!path.endsWith("/transactions")) return { body: rows.find(({ id }) => path.endsWith(id)) };
      return { body: { transactions: query.get("flow") === "b2c" ? [] : rows, total: query.get("flow") === "b2c" ? 0 : 2 } };
    };
    const other = createHome();
    const run = (...words: string[]) => runCli(["tx", ...words], { home: other, service: several });
    for (now.status of ["COMPLETED", "FAILED"]) await run("sync", "--full");
    expect((await run("find", "INV-1")).stdout.match(/COMPLETED \(later FAILED\)/g)).toHaveLength(2);
    expect((await run("get", "--reference", "INV-1")).stdout).toContain("FAILED (was COMPLETED)");
  });

  it("counts nothing as paid that the mirror saw reversed", async () => {
    const other = createHome();
    const run = (...words: string[]) => runCli(["tx", ...words], { home: other, service: one });
    for (now.status of ["COMPLETED", "REVERSED"]) await run("sync", "--full");
    now.status = "FAILED";
    expect((await run("get", "T1")).stderr).not.toContain("counts as paid");
    expect((await run("watch", "T1")).code).toBe(7);
  });

  it("says nothing where there is no mirror, or a broken one", async () => {
    now.status = "FAILED";
    const other = createHome();
    const without = await runCli(["tx", "get", "T1"], { home: other, service: one });
    expect([without.code, without.stderr, existsSync(join(other, "data"))]).toEqual([0, "", false]);
    mkdirSync(join(other, "data"));
    writeFileSync(join(other, "data", "mirror.db"), "no database");
    expect(await runCli(["tx", "get", "T1"], { home: other, service: one })).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("tx get --reference", () => {
  it("finds the one, in all flows, as tx get gives it", async () => {
    const { code, stdout } = await runCli(["tx", "get", "--reference", "INV-1", "--json"], { service });
    expect([code, JSON.parse(stdout)]).toEqual([0, paid]);
  });
  it("none is 4", async () => {
    const { code, stdout } = await runCli(["tx", "get", "--reference", "INV-9"], { service });
    expect([code, stdout]).toEqual([4, ""]);
  });
  it("several are all printed, and 2", async () => {
    const { code, stdout, stderr } = await runCli(["tx", "get", "--reference", "INV-2", "--json"], { service });
    expect([code, JSON.parse(stdout).transactions.map(({ id }: { id: string }) => id)]).toEqual([2, ["T2", "T3"]]);
    expect(JSON.parse(stderr).error.kind).toBe("usage");
  });
});

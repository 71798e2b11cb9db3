import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";

const make = (count: number, status = "COMPLETED"): Held[] =>
  Array.from({ length: count }, (_, index) => ({
    flow: index % 3 === 2 ? "b2c" : "standard",
    id: `t${index}`,
    reference: `R-${index}`,
    amount: 10 + index,
    status,
    providerRef: `ws_${index}`,
    metadata: { mobileMoneyReceipt: `UC${index}`, phone: `25471200${String(index).padStart(4, "0")}` },
  }));
const sync = async (held: Held[], home: string, options: Parameters<typeof serviceOf>[1] = {}, flags: string[] = []) => {
  const result = await runCli(["tx", "sync", "--json", ...flags], { service: serviceOf(held, options), home });
  return { ...result, counts: result.code === 0 ? JSON.parse(result.stdout) : undefined };
};
const find = async (text: string, home: string) => {
  const result = await runCli(["tx", "find", text, "--json"], { service: serviceOf([]), home });
  return { ...result, transactions: JSON.parse(result.stdout).transactions };
};

describe("tx sync", () => {
  it("keeps a row whose id cannot be asked about, and fetches the others", async () => {
    const home = createHome();
    const held = ["", "..", "\ud800", "t1"].map((id, index) => payment(id, `R-${index}`, 5));
    const { code, stderr, counts } = await sync(held, home);
    expect([code, stderr, counts]).toMatchObject([0, "", { new: 4, total: 4 }]);
  });

  it("that was cut short leaves a copy that tx find calls incomplete, not empty", async () => {
    const home = createHome();
    const service = serviceOf(make(9), { cap: 3, before: (_, count) => (count > 2 ? { status: 503 } : undefined) });
    expect((await runCli(["tx", "sync", "--retries", "0"], { service, home })).code).toBe(10);
    const { code, stderr } = await runCli(["tx", "find", "R-0"], { service, home });
    expect([code, stderr]).toEqual([0, expect.stringContaining("not complete yet. Run: payments-cli tx sync")]);
  });

  it("fetches everything once, then what is new and what was open", async () => {
    const home = createHome();
    const held = make(30);
    const last = held[29];
    if (last !== undefined) last.status = "SENT";
    const first = await sync(held, home, { cap: 7, before: (_, count) => (count === 2 ? { status: 503 } : undefined) });
    expect(first.counts).toMatchObject({ new: 30, changed: 0, open: 1, total: 30, calls: first.requests.length });
    expect(statSync(join(home, "data", "mirror.db")).mode & 0o777).toBe(0o600);
    const second = await sync(held, home);
    expect(second.counts).toEqual({ new: 0, changed: 0, open: 1, total: 30, calls: 3 });
    if (last !== undefined) last.status = "COMPLETED";
    held.unshift(payment("n1", "N-1", 5, { status: "SENT" }));
    const third = await sync(held, home);
    expect(third.counts).toEqual({ new: 1, changed: 1, open: 1, total: 31, calls: 4 });
  });

  it("fetches nothing again where a list writes what it shows otherwise than the details", async () => {
    const home = createHome();
    const held = make(4);
    const listed = ({ id, reference, amount, status }: Held) =>
      `{"id":"${id}","reference":"${reference}","amount":${amount}.00,"status":"${status.toLowerCase()}","page":1}`;
    const otherwise: Parameters<typeof serviceOf>[1] = {
      before: ({ path, query }) => {
        if (!path.endsWith("/transactions")) return undefined;
        const rows = held.filter(({ flow }) => flow === query.get("flow"));
        return { body: `{"transactions":[${rows.map(listed).join(",")}],"total":${rows.length}}` };
      },
    };
    expect((await sync(held, home, otherwise)).counts).toMatchObject({ new: 4, calls: 6 });
    expect((await sync(held, home, otherwise)).counts).toEqual({ new: 0, changed: 0, open: 0, total: 4, calls: 2 });
    if (held[0] !== undefined) held[0].status = "REVERSED";
    expect((await sync(held, home, otherwise)).counts).toMatchObject({ changed: 1, calls: 3 });
    expect((await sync(held, home, otherwise)).counts).toMatchObject({ changed: 0, calls: 2 });
  });

  it("is right while rows arrive between pages", async () => {
    const home = createHome();
    const held = make(24);
    let added = 0;
    const result = await sync(held, home, {
      cap: 5,
      before: ({ query }) => {
        if (query.get("flow") === "standard" && query.get("offset") !== null && added < 4) held.unshift(payment(`new${added++}`, "X", 1));
        return undefined;
      },
    });
    expect(result.counts).toMatchObject({ total: 24 + added, new: 24 + added });
  });

  it("goes on where it was stopped", async () => {
    const home = createHome();
    const held = make(60);
    const stopped = await sync(held, home, { cap: 10, before: (_, count) => (count > 20 ? { status: 401, body: { message: "no" } } : undefined) });
    expect(stopped.code).toBe(3);
    expect((await find("R1", home)).transactions).toHaveLength(1);
    const again = await sync(held, home, { cap: 10 });
    expect(again.counts).toMatchObject({ total: 60, open: 0 });
    expect(again.counts.calls).toBeLessThan(60);
  });

  it("never overwrites paid by a later failure, and replaces it by REVERSED", async () => {
    const home = createHome();
    const held = make(2);
    await sync(held, home);
    for (const row of held) row.status = "FAILED";
    const result = await sync(held, home, {}, ["--full"]);
    expect(result.counts.changed).toBe(2);
    expect((await find("UC1", home)).transactions).toMatchObject([{ id: "t1", status: "COMPLETED", status_conflict: "FAILED" }]);
    for (const row of held) row.status = "REVERSED";
    await sync(held, home, {}, ["--full"]);
    const [reversed] = (await find("UC1", home)).transactions;
    expect(reversed.status).toBe("REVERSED");
    expect(reversed).not.toHaveProperty("status_conflict");
  });

  it("drops what the service no longer has", async () => {
    const home = createHome();
    await sync(make(12), home);
    const result = await sync(make(3), home);
    expect(result.counts.total).toBe(3);
    expect((await find("R-9", home)).code).toBe(4);
  });
});

import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import { awaitFinal } from "../../src/payments/await-final.ts";
import { b2c, createBench, type FlowBench, stk } from "./flow-bench.ts";

/** Pays, then follows it while `script(poll)` sets the status before each read. */
const follow = async (
  bench: FlowBench,
  script: (read: number) => string | undefined,
  options: { waitMs?: number; money?: "in" | "out"; signal?: AbortSignal } = {},
) => {
  const plan = options.money === "out" ? b2c() : stk();
  const paid = await bench.pay(plan);
  if (paid instanceof CliError) throw paid;
  const [payment] = bench.service.payments;
  if (payment === undefined) throw new Error("no payment");
  const startMs = bench.time.nowMs;
  const readsAt: number[] = [];
  bench.onRequest = () => {
    readsAt.push(bench.time.nowMs - startMs);
    const status = script(readsAt.length);
    if (status !== undefined) payment.status = status;
  };
  const progress: string[] = [];
  const notes: string[] = [];
  const { transaction, verdict } = await awaitFinal(
    {
      transactionId: paid.id ?? "",
      operation: plan.operation,
      waitMs: options.waitMs ?? 120_000,
      attemptId: paid.attempt.id,
      idempotencyKey: paid.attempt.idempotencyKey,
      status: paid.status,
    },
    bench.context({ progress, notes, flags: { retries: 0 }, ...(options.signal === undefined ? {} : { signal: options.signal }) }),
  );
  return {
    status: transaction?.status,
    verdict: verdict?.kind ?? "paid",
    error: verdict,
    readsAt,
    progress,
    notes,
    journalled: (await bench.journal.find(paid.attempt.id))?.status,
  };
};

test("polls after 1, 2, 3, 5 s, then every 5, and says in words what it waits for", async () => {
  const statuses = ["PENDING", "PROCESSING", undefined, undefined, undefined, "COMPLETED"];
  const { readsAt, verdict, status, journalled, progress, notes } = await follow(await createBench(), (read) => statuses[read - 1]);
  expect(readsAt).toEqual([1_000, 3_000, 6_000, 11_000, 16_000, 21_000]);
  expect({ verdict, status, journalled }).toEqual({ verdict: "paid", status: "COMPLETED", journalled: "COMPLETED" });
  expect(progress.slice(0, 3)).toEqual([
    "waiting for the customer's PIN… 120 s left",
    "waiting for the customer's PIN… 119 s left",
    "the service says PROCESSING… 117 s left",
  ]);
  expect(notes.join()).toContain("receipt");
});

describe("ended unpaid", () => {
  test("is read again 3 s later, then 7", async () => {
    const { verdict, readsAt, error, journalled } = await follow(await createBench(), () => "Cancelled");
    expect({ verdict, readsAt, journalled }).toEqual({ verdict: "payment-failed", readsAt: [1_000, 4_000], journalled: "Cancelled" });
    expect(error).toMatchObject({ sent: "yes", journalId: expect.any(String), idempotencyKey: expect.any(String) });
  });
  test("and then paid is paid", async () => {
    expect((await follow(await createBench(), (read) => (read === 1 ? "FAILED" : "COMPLETED"))).verdict).toBe("paid");
  });
  test("and then open goes on", async () => {
    expect(await follow(await createBench(), (read) => ["FAILED", "SENT", "SENT", "COMPLETED"][read - 1])).toMatchObject({
      verdict: "paid",
      readsAt: [1_000, 4_000, 6_000, 9_000],
    });
  });
  test("EXPIRED ends money in, not money out", async () => {
    expect((await follow(await createBench(), () => "EXPIRED")).verdict).toBe("payment-failed");
    expect((await follow(await createBench(), () => "EXPIRED", { money: "out", waitMs: 10_000 })).verdict).toBe("pending");
  });
});

describe("8, whatever happens to the reading", () => {
  test("time runs out, with the last answer", async () => {
    expect(await follow(await createBench(), () => undefined, { waitMs: 4_000 })).toMatchObject({
      verdict: "pending",
      status: "SENT",
      readsAt: [1_000, 3_000, 4_000],
    });
  });
  test.each(["500-before", "429", "400", "reset-before", "says-false", "refused-connection", "without-id-after"] as const)("%s for ever", async (fault) => {
    const bench = await createBench();
    bench.strikesReads = true;
    bench.faults.push(undefined, ...Array.from({ length: 100 }, () => fault));
    const { verdict, status } = await follow(bench, () => undefined, { waitMs: 30_000 });
    expect({ verdict, status }).toEqual({ verdict: "pending", status: undefined });
  });
  test("a key that is refused ends it at once", async () => {
    const bench = await createBench();
    bench.strikesReads = true;
    bench.faults.push(undefined, "401");
    const { verdict, readsAt } = await follow(bench, () => undefined);
    expect({ verdict, readsAt }).toEqual({ verdict: "pending", readsAt: [1_000] });
  });
  test("a break in between is overcome", async () => {
    const bench = await createBench();
    bench.strikesReads = true;
    bench.faults.push(undefined, "500-before", "reset-before", "html-502-after");
    expect((await follow(bench, (read) => (read === 4 ? "COMPLETED" : undefined))).verdict).toBe("paid");
  });
  test("Ctrl-C", async () => {
    const controller = new AbortController();
    const { verdict, status, error } = await follow(
      await createBench(),
      (read) => {
        if (read === 2) controller.abort();
        return undefined;
      },
      { signal: controller.signal },
    );
    expect({ verdict, status }).toEqual({ verdict: "pending", status: "SENT" });
    expect(error?.message).toContain("Interrupted");
  });
  test("a 404 counts as open", async () => {
    const bench = await createBench();
    const taken: (typeof bench.service.payments)[number][] = [];
    const result = await follow(
      bench,
      (read) => {
        if (read === 1) taken.push(...bench.service.payments.splice(0));
        if (read === 3) bench.service.payments.push(...taken);
        if (read === 4) for (const payment of bench.service.payments) payment.status = "COMPLETED";
        return undefined;
      },
      {},
    );
    expect(result).toMatchObject({ verdict: "paid", status: "COMPLETED" });
  });
});

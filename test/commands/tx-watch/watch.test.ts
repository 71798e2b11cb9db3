import { describe, expect, it } from "vitest";
import { createHome, runCli, type SeenRequest } from "../../support/cli.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";

/** A service whose statuses follow a script: the n-th detail read of an id gives the n-th status, the last one for ever. */
const scripted = (
  script: Readonly<Record<string, readonly string[]>>,
  flow: "standard" | "b2c" = "standard",
  forced?: (request: SeenRequest, count: number) => { status: number; headers?: Record<string, string> } | undefined,
) => {
  const held: Held[] = Object.entries(script).map(([id, statuses]) => ({ flow, id, reference: `R-${id}`, amount: 100, status: statuses[0] ?? "SENT" }));
  const reads = new Map<string, number>();
  return serviceOf(held, {
    before: (request, count) => {
      const wrong = forced?.(request, count);
      if (wrong !== undefined) return wrong;
      const row = held.find(({ id }) => request.path.endsWith(`/${id}`));
      if (row === undefined) return undefined;
      const read = reads.get(row.id) ?? 0;
      reads.set(row.id, read + 1);
      const statuses = script[row.id] ?? [];
      row.status = statuses[Math.min(read, statuses.length - 1)] ?? row.status;
      return undefined;
    },
  });
};
const watch = async (argv: readonly string[], service: ReturnType<typeof scripted>, options: Parameters<typeof runCli>[1] = {}) => {
  const result = await runCli(["tx", "watch", ...argv, "-o", "jsonl"], { service, ...options });
  const lines = result.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return { ...result, lines, steps: lines.map(({ previousStatus, transaction }) => [transaction.id, previousStatus, transaction.status]) };
};

describe("tx watch", () => {
  it("ends with 0 for what the mirror saw paid, and shows that the service contradicts it", async () => {
    const home = createHome();
    await runCli(["tx", "sync"], { home, service: scripted({ T1: ["COMPLETED"], T2: ["COMPLETED"] }) });
    const { code, steps, stderr } = await watch(["T1"], scripted({ T1: ["FAILED"] }), { home });
    expect([code, steps]).toEqual([0, []]);
    expect(stderr).toContain("T1 was COMPLETED and is now said to be FAILED");
    expect((await watch(["T2"], scripted({ T2: ["REVERSED"] }), { home })).code).toBe(7);
  });

  it("prints changes only and ends with 0 when all are paid", async () => {
    const { code, steps, lines } = await watch(
      ["T1", "T2"],
      scripted({ T1: ["SENT", "SENT", "COMPLETED"], T2: ["QUEUED", "PROCESSING", "PROCESSING", "COMPLETED"] }),
    );
    expect(code).toBe(0);
    expect(steps).toEqual([
      ["T2", "QUEUED", "PROCESSING"],
      ["T1", "SENT", "COMPLETED"],
      ["T2", "PROCESSING", "COMPLETED"],
    ]);
    expect(Object.keys(lines[0])).toEqual(["at", "previousStatus", "transaction"]);
  });

  it("shows what is already final, and ends", async () => {
    const { code, steps } = await watch(["T1"], scripted({ T1: ["COMPLETED"] }));
    expect([code, steps]).toEqual([0, [["T1", null, "COMPLETED"]]]);
  });

  it("ends with 7 when one ended unpaid, believing it on the second look", async () => {
    const failed = await watch(["T1"], scripted({ T1: ["SENT", "FAILED", "FAILED"] }));
    expect(failed.code).toBe(7);
    expect(failed.steps).toEqual([["T1", "SENT", "FAILED"]]);
    const late = await watch(["T1"], scripted({ T1: ["SENT", "FAILED", "COMPLETED"] }));
    expect(late.code).toBe(0);
    expect(late.steps).toEqual([["T1", "SENT", "COMPLETED"]]);
  });

  it("tells a contradiction once, not at every look", async () => {
    const stop = new AbortController();
    const service = scripted({ T1: ["SENT", "COMPLETED", "FAILED"] }, "standard", (_, count) => {
      if (count === 7) stop.abort();
      return undefined;
    });
    const { steps, stderr } = await watch(["T1", "--follow"], service, { signal: stop.signal });
    expect([steps, stderr.split("a contradiction").length - 1]).toEqual([[["T1", "SENT", "COMPLETED"]], 1]);
  });

  it("knows by the flow that a push that EXPIRED is over, and that a payout is not", async () => {
    expect((await watch(["T1"], scripted({ T1: ["SENT", "EXPIRED"] }))).code).toBe(7);
    const payout = await watch(["T1"], scripted({ T1: ["QUEUED", "TIMEOUT", "TIMEOUT", "COMPLETED"] }, "b2c"));
    expect(payout.code).toBe(0);
    expect(payout.steps).toEqual([
      ["T1", "QUEUED", "TIMEOUT"],
      ["T1", "TIMEOUT", "COMPLETED"],
    ]);
  });

  it("follows what is open without ids, and a reference", async () => {
    const script = { A: ["COMPLETED"], B: ["SENT", "COMPLETED"] };
    expect((await watch([], scripted(script))).steps).toEqual([["B", "SENT", "COMPLETED"]]);
    expect((await watch(["--reference", "R-B"], scripted(script))).steps).toEqual([["B", "SENT", "COMPLETED"]]);
    expect((await watch(["--reference", "none"], scripted(script))).code).toBe(4);
    expect((await watch([], scripted({ A: ["COMPLETED"] }))).code).toBe(0);
  });

  it("is 4 for an id that is not there, 2 for a global one, 3 for a refused key", async () => {
    expect((await watch(["nope"], scripted({ T1: ["SENT"] }))).code).toBe(4);
    expect((await watch(["GD-1"], scripted({}))).code).toBe(2);
    expect(
      (
        await watch(
          ["T1"],
          scripted({ T1: ["SENT"] }, "standard", () => ({ status: 401 })),
        )
      ).code,
    ).toBe(3);
  });

  it("is 8 when Ctrl-C comes or reading fails for good, and waits a 429 out", async () => {
    const stop = new AbortController();
    const interrupted = await watch(
      ["T1"],
      scripted({ T1: ["SENT"] }, "standard", (_, count) => {
        if (count === 3) stop.abort();
        return undefined;
      }),
      { signal: stop.signal },
    );
    expect(interrupted.code).toBe(8);
    const unreadable = await watch(
      ["T1", "--retries", "0"],
      scripted({ T1: ["SENT"] }, "standard", (_, count) => (count > 1 ? { status: 503 } : undefined)),
    );
    expect(unreadable.code).toBe(8);
    const limited = await watch(
      ["T1", "--retries", "0"],
      scripted({ T1: ["SENT", "COMPLETED"] }, "standard", (_, count) => (count === 2 || count === 3 ? { status: 429 } : undefined)),
    );
    expect(limited.code).toBe(0);
    const clock = { nowMs: 0 };
    for (const seconds of [600, 2_592_000]) {
      const asks = { status: 429, headers: { "retry-after": String(seconds) } };
      const patient = scripted({ T1: ["SENT", "COMPLETED"] }, "standard", (_, count) => (count === 2 ? asks : undefined));
      const startedMs = clock.nowMs;
      expect((await watch(["T1"], patient, { clock })).code).toBe(0);
      expect(clock.nowMs - startedMs).toBeGreaterThanOrEqual(seconds * 1000);
    }
  });

  it("posts each change once, with the same webhook-id, also after a restart", async () => {
    const home = createHome();
    const posts: { readonly id: string | undefined; readonly status: string }[] = [];
    let down = true;
    const post = async ({ headers, body }: { headers: Readonly<Record<string, string>>; body: Uint8Array }) => {
      posts.push({ id: headers["webhook-id"], status: JSON.parse(Buffer.from(body).toString()).data.status });
      return { status: down ? 503 : 200, headers: {} };
    };
    const env = { PAYMENTS_WEBHOOK_SECRET: `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}` };
    const argv = ["T1", "--forward-to", "http://127.0.0.1:3000/h?a=1", "--retries", "0"];
    const first = await watch(argv, scripted({ T1: ["SENT", "COMPLETED"] }), { home, env, post });
    expect(first.steps).toEqual([["T1", "SENT", "COMPLETED"]]);
    expect(first.code).not.toBe(0);
    const failedPosts = posts.splice(0);
    down = false;
    const second = await watch(argv, scripted({ T1: ["COMPLETED"] }), { home, env, post });
    expect(second.code).toBe(0);
    expect(posts).toHaveLength(1);
    expect(posts[0]).toEqual(failedPosts[0]);
    await watch(argv, scripted({ T1: ["COMPLETED"] }), { home, env, post });
    expect(posts).toHaveLength(1);
  });

  it("loses nothing that is new, though a page and then a payment cannot be read, and delivers it whole after a restart", async () => {
    const home = createHome();
    const held: Held[] = [payment("T1", "R-1", 100, { status: "SENT" })];
    const fresh: Held = payment("N1", "R-2", 5, { metadata: { mobileMoneyReceipt: "UC1" } });
    const bodies: Record<string, unknown>[] = [];
    const post = async ({ body }: { body: Uint8Array }) => {
      bodies.push(JSON.parse(Buffer.from(body).toString()).data);
      return { status: 200, headers: {} };
    };
    const env = { PAYMENTS_WEBHOOK_SECRET: `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}` };
    const argv = ["--follow", "--forward-to", "http://127.0.0.1:3000/h", "--retries", "0"];
    let payoutPages = 0;
    const failing = serviceOf(held, {
      before: ({ path, query }) => {
        if (query.get("flow") === "b2c") payoutPages += 1;
        if (payoutPages === 1 && held.length === 1) held.unshift(fresh);
        if (payoutPages === 2 && query.get("flow") === "b2c") return { status: 503 };
        return path.endsWith("/T1") && payoutPages > 2 ? { status: 401 } : undefined;
      },
    });
    expect((await watch(argv, failing, { home, env, post })).code).toBe(3);
    const stop = new AbortController();
    const again = serviceOf(held, {
      before: (_, count) => {
        if (count === 8) stop.abort();
        return undefined;
      },
    });
    await watch(argv, again, { home, env, post, signal: stop.signal });
    expect(bodies).toEqual([{ id: "N1", reference: "R-2", amount: 5, status: "COMPLETED", metadata: { mobileMoneyReceipt: "UC1" } }]);
  });

  it("delivers a payout that timed out as what may still arrive, also after a restart and by replay", async () => {
    const home = createHome();
    const types: string[] = [];
    let down = true;
    const post = async ({ body }: { body: Uint8Array }) => {
      types.push(JSON.parse(Buffer.from(body).toString()).type);
      return { status: down ? 503 : 200, headers: {} };
    };
    const options = { home, post, env: { PAYMENTS_WEBHOOK_SECRET: "whsec_YSBkZW1vIHNlY3JldCBvZiAzMiBieXRlcywgZmFrZSE=" } };
    const argv = ["T1", "--forward-to", "http://127.0.0.1:3000/", "--retries", "0"];
    const stop = new AbortController();
    const timedOut = scripted({ T1: ["QUEUED", "TIMEOUT"] }, "b2c", (_, count) => {
      if (count > 5) stop.abort();
      return undefined;
    });
    await watch(argv, timedOut, { ...options, signal: stop.signal });
    down = false;
    types.length = 0;
    await watch(argv, scripted({ T1: ["TIMEOUT", "TIMEOUT", "COMPLETED"] }, "b2c"), options);
    await runCli(["webhook", "replay", "T1", "--to", "http://127.0.0.1:3000/"], { service: scripted({ T1: ["TIMEOUT"] }, "b2c"), ...options });
    expect(types).toEqual(["payment.updated", "payment.completed", "payment.updated"]);
  });
});

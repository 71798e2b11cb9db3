import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { SeenRequest } from "../../support/cli.ts";
import { document, errorOf, header, openBatch, rows } from "./payouts.ts";

const dayMs = 24 * 3600 * 1000;

/** Four rows: one paid, one that ended unpaid, one refused, one that stays open. */
const mixed = "0712345001,100,PAID\n0712345041,100,UNPAID\n0712345002,100,REFUSED\n0712345036,100,OPEN\n";
const openBench = (text = mixed, refused = ["REFUSED"]) => {
  const trouble = { refused };
  const isRefused = (body: string): boolean => trouble.refused.some((reference) => body.includes(`"${reference}"`));
  const refuse = ({ method, body }: SeenRequest) => (method === "POST" && isRefused(body) ? { status: 400, body: { message: "No such payee" } } : undefined);
  return { trouble, ...openBatch(header + text, refuse) };
};

describe("a finished batch run again", () => {
  test("is refused with its counts and its day, and sends nothing", async () => {
    const { batch, payouts, clock } = openBench();
    expect((await batch()).code).toBe(13);
    clock.nowMs += 3600 * 1000;
    const sent = payouts.posts();
    const again = await batch();
    expect([again.code, again.stdout, payouts.posts()]).toEqual([11, "", sent]);
    const error = errorOf(again.stderr);
    expect(error).toMatchObject({ kind: "duplicate", sent: "no" });
    expect(error.message).toContain("1 paid, 1 ended unpaid, 1 refused, 1 open");
    expect(error.message).toContain("2026-03-01");
    for (const flag of ["--retry-failed", "--resume", "--new-run", "--allow-duplicate"]) expect(error.hint).toContain(flag);
  });

  test("its one remedy, run as it is given, pays no row that was paid", async () => {
    const { batch, run, payouts, trouble } = openBench();
    await batch();
    const { command: words = [] } = errorOf((await batch()).stderr);
    trouble.refused = [];
    await run(words);
    expect(payouts.paid()).toEqual({ PAID: 1, UNPAID: 2, REFUSED: 1, OPEN: 1 });
  });

  test("of which every row was paid names no command that pays", async () => {
    const { batch, run, payouts } = openBench(rows(3));
    expect((await batch()).code).toBe(0);
    const { command: words = [] } = errorOf((await batch()).stderr);
    const shown = await run(words);
    expect([shown.code, document(shown.stdout).rows.map(({ transactionId }) => transactionId)]).toEqual([0, ["tx-1", "tx-2", "tx-3"]]);
    expect(payouts.posts()).toBe(3);
  });

  test("keeps the reason that the service gave for a refusal", async () => {
    const { batch, path } = openBench();
    await batch();
    const resumed = await batch("--resume");
    expect(resumed.rows[2]?.reason).toMatch(/^No such payee/);
    expect(readFileSync(`${path}.result.csv`, "utf8")).toContain("No such payee");
  });

  test("counts what the service says now, and is refused just so when it cannot be read", async () => {
    const { run, path, batch } = openBench(rows(2));
    await batch();
    const again = await run(["b2c", "batch", path, "--yes", "--json"], { service: () => ({ status: 503 }) });
    expect([again.code, errorOf(again.stderr).message.includes("2 open")]).toEqual([11, true]);
  });
});

describe("--new-run", () => {
  test("alone is refused, and names --allow-duplicate and nothing that pays twice", async () => {
    const { batch, payouts } = openBench(rows(2));
    await batch();
    const alone = await batch("--new-run");
    const { message, hint, command } = errorOf(alone.stderr);
    expect([alone.code, alone.stdout, payouts.posts(), command]).toEqual([11, "", 2, undefined]);
    expect(`${message} ${hint}`).toContain("--allow-duplicate");
  });

  test("with --allow-duplicate names the rows and the sum that were paid before, and pays with new keys", async () => {
    const { run, path, batch, payouts } = openBench("0712345001,100,A\n0712345002,250.50,B\n0712345003,70,REFUSED\n");
    await batch();
    const declined = await run(["b2c", "batch", path, "--new-run", "--allow-duplicate"], { answers: ["no"] });
    expect(declined.code).toBe(130);
    expect(declined.prompts[0]).toMatch(/rows 1-2\b/);
    expect(declined.prompts[0]).toContain("350.50");
    expect((await batch("--new-run", "--allow-duplicate")).code).toBe(13);
    expect(payouts.paid()).toEqual({ A: 2, B: 2 });
    expect(new Set(payouts.payments.keys()).size).toBe(4);
  });

  test("with --allow-duplicate names the rows that may have been paid, too", async () => {
    const { run, path, batch, payouts } = openBatch(header + rows(4), (request) => (request.body.includes("REF-1") ? payouts.payThenLose(request) : undefined));
    await batch("--retries", "0");
    const asked = await run(["b2c", "batch", path, "--new-run", "--allow-duplicate"], { answers: ["no"] });
    expect(asked.prompts[0]).toMatch(/PAID BEFORE.*rows 1, 3-4,.*300\.00/);
    expect(asked.prompts[0]).toMatch(/PERHAPS PAID BEFORE.*rows 2,.*100\.00/);
  });

  test("of a file that was never sent needs nothing else", async () => {
    const { batch, payouts } = openBench(rows(2));
    expect((await batch("--new-run")).code).toBe(0);
    expect(payouts.posts()).toBe(2);
  });

  test("that was stopped goes on by the command it gives, and pays each row once more, not twice", async () => {
    let credit = 4;
    const { run, batch, payouts } = openBatch(header + rows(3), ({ method }) => (method === "GET" || credit-- > 0 ? undefined : { status: 402, body: {} }));
    expect((await batch()).code).toBe(0);
    const stopped = await batch("--new-run", "--allow-duplicate", "--concurrency", "1");
    expect([stopped.code, stopped.summary["accepted"]]).toEqual([13, 1]);
    credit = 100;
    const { command = [] } = errorOf(stopped.stderr);
    expect((await run(command)).code).toBe(0);
    expect(payouts.paid()).toEqual({ "REF-0": 2, "REF-1": 2, "REF-2": 2 });
    expect((await batch()).code).toBe(11);
  });
});

describe("--retry-failed", () => {
  test("sends again with new keys what was refused or ended unpaid, and nothing else", async () => {
    const { batch, payouts, trouble } = openBench();
    await batch();
    const before = new Set(payouts.payments.keys());
    trouble.refused = [];
    const retried = await batch("--retry-failed");
    expect(retried.code).toBe(0);
    const { rows: shown } = retried;
    expect(shown.map(({ row, state }) => [row, state])).toEqual([1, 2, 3, 4].map((row) => [row, "accepted"]));
    expect(payouts.paid()).toEqual({ PAID: 1, UNPAID: 2, REFUSED: 1, OPEN: 1 });
    expect([...payouts.payments.keys()].filter((key) => !before.has(key))).toHaveLength(2);
  });

  test("leaves rows alone that were not sent or have no outcome", async () => {
    const state = { trouble: true };
    const { batch: pay, payouts } = openBatch(header + rows(4), (request, count) => {
      if (!state.trouble || request.method === "GET") return undefined;
      if (request.body.includes("REF-0")) return { status: 400, body: {} };
      if (request.body.includes("REF-1")) return payouts.payThenLose(request);
      return count > 3 ? { status: 402, body: {} } : undefined;
    });
    const batch = (...flags: string[]) => pay("--concurrency", "1", "--retries", "0", ...flags);
    const first = await batch();
    expect(first.rows.map(({ state: one }) => one)).toEqual(["refused", "unknown", "accepted", "notSent"]);
    state.trouble = false;
    const retried = await batch("--retry-failed");
    expect([retried.code, retried.rows.map(({ state: one }) => one)]).toEqual([13, ["accepted", "unknown", "accepted", "notSent"]]);
    expect(payouts.paid()).toEqual({ "REF-0": 1, "REF-1": 1, "REF-2": 1 });
    expect((await batch()).code).toBe(0);
    expect(payouts.paid()).toEqual({ "REF-0": 1, "REF-1": 1, "REF-2": 1, "REF-3": 1 });
  });

  test("that is stopped says so, and keeps the name of what ended unpaid", async () => {
    const { batch, run, path, payouts } = openBench("0712345041,100,A\n0712345041,100,B\n0712345001,100,C\n");
    await batch();
    const service: typeof payouts.service = (request, count) => (request.method === "POST" ? { status: 402, body: {} } : payouts.service(request, count));
    const stopped = await run(["b2c", "batch", path, "--yes", "--json", "--retry-failed", "--concurrency", "1"], { service });
    expect(stopped.code).toBe(13);
    expect(document(stopped.stdout).rows.map(({ state, transactionId }) => [state, transactionId])).toEqual([
      ["notSent", "tx-1"],
      ["notSent", "tx-2"],
      ["accepted", "tx-3"],
    ]);
    expect((await batch("--retry-failed")).code).toBe(0);
    expect(payouts.paid()).toEqual({ A: 2, B: 2, C: 1 });
  });

  test("looks twice before it takes a payout for unpaid", async () => {
    const { batch, payouts, clock } = openBench("0712345041,100,A\n");
    await batch();
    const [payment] = payouts.payments.values();
    const since = clock.nowMs;
    // The first look sees FAILED, one 3 s later no more.
    Object.defineProperty(payment ?? {}, "status", { get: () => (clock.nowMs - since < 3000 ? "FAILED" : "COMPLETED") });
    const retried = await batch("--retry-failed");
    expect([retried.code, payouts.posts()]).toEqual([0, 1]);
  });

  test("sends nothing where the service cannot be asked", async () => {
    const { run, path, batch, payouts } = openBench("0712345041,100,A\n");
    await batch();
    const service: typeof payouts.service = (request, count) => (request.method === "GET" ? { status: 503 } : payouts.service(request, count));
    const retried = await run(["b2c", "batch", path, "--yes", "--json", "--retry-failed"], { service });
    expect([retried.code, payouts.posts()]).toEqual([10, 1]);
  });

  test("of a file that was never run is refused, and so are two ways at once", async () => {
    const { batch, payouts } = openBench(rows(1));
    for (const flags of [["--retry-failed"], ["--retry-failed", "--resume"], ["--resume", "--new-run"], ["--retry-failed", "--new-run"]])
      expect((await batch(...flags)).code).toBe(2);
    expect(payouts.posts()).toBe(0);
  });
});

describe("an unfinished batch run again", () => {
  const openUnfinished = () => {
    const state = { credit: 2 };
    const opened = openBatch(header + rows(5), ({ method }) => (method === "GET" || state.credit-- > 0 ? undefined : { status: 402, body: {} }));
    return { ...opened, state, argv: ["b2c", "batch", opened.path, "--yes", "--concurrency", "1"] };
  };

  test("within a day goes on, and says how far it had come", async () => {
    const { clock, state, payouts, argv, run } = openUnfinished();
    expect((await run(argv)).code).toBe(13);
    state.credit = 100;
    clock.nowMs += dayMs - 60_000;
    const again = await run(argv);
    expect([again.code, again.stderr.includes("2 of 5"), payouts.posts()]).toEqual([0, true, 6]);
  });

  test("later is refused with its counts and its day, and goes on by the command it gives", async () => {
    const { clock, state, payouts, argv, run } = openUnfinished();
    await run(argv);
    state.credit = 100;
    clock.nowMs += dayMs + 60_000;
    const late = await run([...argv, "--json"]);
    const { message, command = [] } = errorOf(late.stderr);
    expect([late.code, late.stdout, payouts.posts()]).toEqual([11, "", 3]);
    expect(message).toContain("2 paid, 0 ended unpaid, 0 refused, 0 open, 3 not sent");
    expect(message).toContain("2026-03-01");
    expect((await run(command)).code).toBe(0);
    expect(Object.values(payouts.paid())).toEqual([1, 1, 1, 1, 1]);
  });

  test("with a row that got no answer a day ago: the commands it gives, one after the other, settle it", async () => {
    const lost = { posts: true, list: [] as object[] };
    const { clock, payouts, run, path } = openBatch(header + rows(3), (request) => {
      if (request.path.endsWith("/transactions")) return { body: { transactions: lost.list, total: lost.list.length } };
      return lost.posts && request.body.includes('"REF-1"') ? payouts.payThenLose(request) : undefined;
    });
    await run(["b2c", "batch", path, "--yes", "--retries", "0"]);
    lost.posts = false;
    lost.list = [...payouts.payments.values()];
    clock.nowMs += dayMs + 60_000;
    const codes: number[] = [];
    for (let words: readonly string[] = ["b2c", "batch", path, "--yes"]; words.length > 0 && codes.length < 5; ) {
      const { code, stderr } = await run([...words, "--json"].filter((word, at, all) => all.indexOf(word) === at));
      codes.push(code);
      words = code === 0 ? [] : (errorOf(stderr).command ?? []);
    }
    expect(codes).toEqual([11, 13, 0]);
    expect(payouts.posts()).toBe(3);
  });

  test("on a clock that was set back is refused, as its age is not known, and --resume goes on", async () => {
    const { clock, state, payouts, argv, run } = openUnfinished();
    await run(argv);
    state.credit = 100;
    clock.nowMs -= 2 * dayMs;
    const back = await run([...argv, "--json"]);
    expect([back.code, payouts.posts()]).toEqual([11, 3]);
    const resumed = await run(errorOf(back.stderr).command ?? []);
    expect([resumed.code, Object.values(payouts.paid())]).toEqual([0, [1, 1, 1, 1, 1]]);
  });
});

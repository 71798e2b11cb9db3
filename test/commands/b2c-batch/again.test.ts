import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { createPayouts, document, errorOf, header, rows, write } from "./payouts.ts";

const dayMs = 24 * 3600 * 1000;

/** Four rows: one paid, one that ended unpaid, one refused, one that stays open. */
const mixed = "0712345001,100,PAID\n0712345041,100,UNPAID\n0712345002,100,REFUSED\n0712345036,100,OPEN\n";
const openBench = (text = mixed, refused = ["REFUSED"]) => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const trouble = { refused };
  const payouts = createPayouts((request) =>
    request.method === "POST" && trouble.refused.some((reference) => request.body.includes(`"${reference}"`))
      ? { status: 400, body: { message: "No such payee" } }
      : undefined,
  );
  const path = write(home, header + text);
  const batch = (...flags: string[]) => runCli(["b2c", "batch", path, "--yes", "--json", ...flags], { home, clock, service: payouts.service });
  const command = (words: readonly string[] = []) => runCli(words, { home, clock, service: payouts.service });
  return { home, clock, path, payouts, trouble, batch, command };
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
    const { batch, command, payouts, trouble } = openBench();
    await batch();
    const { command: words = [] } = errorOf((await batch()).stderr);
    trouble.refused = [];
    await command(words);
    expect(payouts.paid()).toEqual({ PAID: 1, UNPAID: 2, REFUSED: 1, OPEN: 1 });
  });

  test("of which every row was paid names no command that pays", async () => {
    const { batch, command, payouts } = openBench(rows(3));
    expect((await batch()).code).toBe(0);
    const { command: words = [] } = errorOf((await batch()).stderr);
    const shown = await command(words);
    expect([shown.code, document(shown.stdout).rows.map(({ transactionId }) => transactionId)]).toEqual([0, ["tx-1", "tx-2", "tx-3"]]);
    expect(payouts.posts()).toBe(3);
  });

  test("keeps the reason that the service gave for a refusal", async () => {
    const { batch, path } = openBench();
    await batch();
    const resumed = await batch("--resume");
    expect(document(resumed.stdout).rows[2]?.reason).toMatch(/^No such payee/);
    expect(readFileSync(`${path}.result.csv`, "utf8")).toContain("No such payee");
  });

  test("counts what the service says now, and is refused just so when it cannot be read", async () => {
    const { home, clock, path, batch } = openBench(rows(2));
    await batch();
    const again = await runCli(["b2c", "batch", path, "--yes", "--json"], { home, clock, service: () => ({ status: 503 }) });
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
    const { home, clock, path, batch, payouts } = openBench("0712345001,100,A\n0712345002,250.50,B\n0712345003,70,REFUSED\n");
    await batch();
    const options = { home, clock, service: payouts.service };
    const declined = await runCli(["b2c", "batch", path, "--new-run", "--allow-duplicate"], { ...options, answers: ["no"] });
    expect(declined.code).toBe(130);
    expect(declined.prompts[0]).toMatch(/rows 1-2\b/);
    expect(declined.prompts[0]).toContain("350.50");
    expect((await batch("--new-run", "--allow-duplicate")).code).toBe(13);
    expect(payouts.paid()).toEqual({ A: 2, B: 2 });
    expect(new Set(payouts.payments.keys()).size).toBe(4);
  });

  test("with --allow-duplicate names the rows that may have been paid, too", async () => {
    const home = createHome();
    const payouts = createPayouts((request) => (request.body.includes("REF-1") ? payouts.payThenLose(request) : undefined));
    const path = write(home, header + rows(4));
    const options = { home, service: payouts.service };
    await runCli(["b2c", "batch", path, "--yes", "--retries", "0"], options);
    const asked = await runCli(["b2c", "batch", path, "--new-run", "--allow-duplicate"], { ...options, answers: ["no"] });
    expect(asked.prompts[0]).toMatch(/PAID BEFORE.*rows 1, 3-4,.*300\.00/);
    expect(asked.prompts[0]).toMatch(/PERHAPS PAID BEFORE.*rows 2,.*100\.00/);
  });

  test("of a file that was never sent needs nothing else", async () => {
    const { batch, payouts } = openBench(rows(2));
    expect((await batch("--new-run")).code).toBe(0);
    expect(payouts.posts()).toBe(2);
  });

  test("that was stopped goes on by the command it gives, and pays each row once more, not twice", async () => {
    const home = createHome();
    let credit = 4;
    const payouts = createPayouts(({ method }) => (method === "GET" || credit-- > 0 ? undefined : { status: 402, body: {} }));
    const path = write(home, header + rows(3));
    const batch = (...flags: string[]) => runCli(["b2c", "batch", path, "--yes", "--json", "--concurrency", "1", ...flags], { home, service: payouts.service });
    expect((await batch()).code).toBe(0);
    const stopped = await batch("--new-run", "--allow-duplicate");
    expect([stopped.code, document(stopped.stdout).summary["accepted"]]).toEqual([13, 1]);
    credit = 100;
    const { command = [] } = errorOf(stopped.stderr);
    expect((await runCli(command, { home, service: payouts.service })).code).toBe(0);
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
    const { rows: shown } = document(retried.stdout);
    expect(shown.map(({ row, state }) => [row, state])).toEqual([1, 2, 3, 4].map((row) => [row, "accepted"]));
    expect(payouts.paid()).toEqual({ PAID: 1, UNPAID: 2, REFUSED: 1, OPEN: 1 });
    expect([...payouts.payments.keys()].filter((key) => !before.has(key))).toHaveLength(2);
  });

  test("leaves rows alone that were not sent or have no outcome", async () => {
    const home = createHome();
    const state = { trouble: true };
    const payouts = createPayouts((request, count) => {
      if (!state.trouble || request.method === "GET") return undefined;
      if (request.body.includes("REF-0")) return { status: 400, body: {} };
      if (request.body.includes("REF-1")) return payouts.payThenLose(request);
      return count > 3 ? { status: 402, body: {} } : undefined;
    });
    const path = write(home, header + rows(4));
    const batch = (...flags: string[]) =>
      runCli(["b2c", "batch", path, "--yes", "--json", "--concurrency", "1", "--retries", "0", ...flags], { home, service: payouts.service });
    const first = await batch();
    expect(document(first.stdout).rows.map(({ state: one }) => one)).toEqual(["refused", "unknown", "accepted", "notSent"]);
    state.trouble = false;
    const retried = await batch("--retry-failed");
    expect([retried.code, document(retried.stdout).rows.map(({ state: one }) => one)]).toEqual([13, ["accepted", "unknown", "accepted", "notSent"]]);
    expect(payouts.paid()).toEqual({ "REF-0": 1, "REF-1": 1, "REF-2": 1 });
    expect((await batch()).code).toBe(0);
    expect(payouts.paid()).toEqual({ "REF-0": 1, "REF-1": 1, "REF-2": 1, "REF-3": 1 });
  });

  test("that is stopped says so, and keeps the name of what ended unpaid", async () => {
    const { batch, home, clock, path, payouts } = openBench("0712345041,100,A\n0712345041,100,B\n0712345001,100,C\n");
    await batch();
    const service: typeof payouts.service = (request, count) => (request.method === "POST" ? { status: 402, body: {} } : payouts.service(request, count));
    const stopped = await runCli(["b2c", "batch", path, "--yes", "--json", "--retry-failed", "--concurrency", "1"], { home, clock, service });
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
    const { home, clock, path, batch, payouts } = openBench("0712345041,100,A\n");
    await batch();
    const service: typeof payouts.service = (request, count) => (request.method === "GET" ? { status: 503 } : payouts.service(request, count));
    const retried = await runCli(["b2c", "batch", path, "--yes", "--json", "--retry-failed"], { home, clock, service });
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
    const home = createHome();
    const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
    const state = { credit: 2 };
    const payouts = createPayouts(({ method }) => (method === "GET" || state.credit-- > 0 ? undefined : { status: 402, body: {} }));
    const path = write(home, header + rows(5));
    const argv = ["b2c", "batch", path, "--yes", "--concurrency", "1"];
    const run = (words: readonly string[]) => runCli(words, { home, clock, service: payouts.service });
    return { clock, state, payouts, argv, run };
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

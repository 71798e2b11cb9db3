import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../../src/journal/journal.ts";
import { TransportError } from "../../../src/service/transport.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";
import { newAttempt } from "../../support/new-attempt.ts";
import { withdrawal } from "../../support/withdrawal.ts";

const momo = {
  rail: "UG_MOMO",
  displayName: "Momo",
  country: "UG",
  currencies: ["UGX"],
  collectionFlow: "PUSH",
  minAmount: 500,
  maxAmount: 5_000_000,
  live: true,
  capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
};
const withdraw = [...withdrawal, "--yes", "--json", "--retries", "0"];
const read = { body: { transactions: [], total: 0, providers: [momo] } };
const lost: Service = ({ method }) => {
  if (method === "POST") throw new TransportError("reset", true, "reset");
  return read;
};
const pays: Service = ({ method }) =>
  method === "POST" ? { body: { success: true, transactionId: "T-1", status: "QUEUED", disbursement: { reference: "GD-1", status: "PROCESSING" } } } : read;
const b2c = (reference: string, ...more: string[]) => ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", reference, "--yes", "--json", ...more];
const attemptsOf = (stdout: string): readonly Record<string, unknown>[] => JSON.parse(stdout).attempts;

describe("journal list", () => {
  test("is empty at first", async () => {
    const document = await runCli(["journal", "list", "--json"]);
    expect([document.code, JSON.parse(document.stdout), document.stderr]).toEqual([0, { attempts: [] }, ""]);
    const { code, stdout } = await runCli(["journal", "list"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("No payment attempts")]);
  });

  test("has every attempt with the keys of rules.md", async () => {
    const home = createHome();
    const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
    await runCli(b2c("A"), { home, service: pays, clock });
    await runCli(b2c("B"), { home, service: lost, clock });
    const [b, a] = attemptsOf((await runCli(["journal", "list", "--json"], { home })).stdout);
    expect(Object.keys(a ?? {})).toEqual("id startedAt profile operation reference amount currency idempotencyKey state transactionId status".split(" "));
    expect(a).toMatchObject({ operation: "b2c", reference: "A", amount: "100", currency: "KES", state: "accepted", transactionId: "T-1", status: "QUEUED" });
    expect(b).toMatchObject({ reference: "B", state: "unknown" });
    for (const [flags, references] of [
      [["--state", "unknown"], "B"],
      [["--reference", "A"], "A"],
      [["--day", "2026-03-01"], "BA"],
      [["--day", "2026-03-02"], ""],
      [["--limit", "1"], "B"],
      [["--operation", "stk"], ""],
    ] as const) {
      expect(
        attemptsOf((await runCli(["journal", "list", "--json", ...flags], { home })).stdout)
          .map(({ reference }) => reference)
          .join(""),
      ).toBe(references);
    }
    const table = await runCli(["journal", "list"], { home, width: 200 });
    expect(table.stdout).toContain("unknown");
    expect(table.stdout).toContain("KES 100.00");
  });

  test.each([[["--state", "maybe"]], [["--day", "2026-02-30"]], [["--limit", "0"]], [["--limit", "x"]]])("%s is a usage error", async (flags) => {
    expect(await runCli(["journal", "list", ...flags])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("journal show", () => {
  test("has the request, the tries and the answer", async () => {
    const home = createHome();
    let posts = 0;
    await runCli(b2c("A", "--idempotency-key", "own-key"), {
      home,
      service: ({ method }) => {
        if (method === "POST" && posts++ === 0) throw new TransportError("reset", true, "reset");
        return {
          status: 200,
          body: '{"transactionId":"T-1","status":"QUEUED","pricingQuote":{"amount":100.0}}',
          headers: { "content-type": "application/json" },
        };
      },
    });
    const { code, stdout } = await runCli(["journal", "show", "own-key", "--json"], { home });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      state: "accepted",
      baseUrl: "http://127.0.0.1:9",
      payee: "254712345678",
      body: { phone: "254712345678", amount: 100, reference: "A" },
      tries: [{ error: "reset" }, { httpStatus: 200 }],
      answer: { transactionId: "T-1" },
    });
    expect(stdout).toContain("100.0\n");
    expect((await runCli(["journal", "show", "own-key"], { home })).stdout).toContain("254712345678");
  });
  test("an attempt that is not there is 4", async () => {
    expect(await runCli(["journal", "show", "nothing", "--json"])).toMatchObject({ code: 4, stdout: "" });
    expect((await runCli(["journal", "show"])).code).toBe(2);
  });
});

describe("journal resume", () => {
  const unknown = async () => {
    const home = createHome();
    const { code, stderr } = await runCli(b2c("A", "--retries", "1"), { home, service: lost });
    const { error } = JSON.parse(stderr);
    expect([code, error.kind, error.sent]).toEqual([9, "outcome-unknown", "unknown"]);
    expect(error.hint).toContain(`payments-cli journal resume ${error.journalId}`);
    return { home, id: String(error.journalId), key: String(error.idempotencyKey) };
  };

  test("settles with the same key (reports.md, H6)", async () => {
    const { home, id, key } = await unknown();
    const { code, stdout, requests } = await runCli(["journal", "resume", id, "--yes", "--json"], { home, service: pays });
    expect(code).toBe(0);
    expect(attemptsOf(stdout)).toMatchObject([{ id, state: "accepted", transactionId: "T-1" }]);
    expect(requests.map(({ method, headers }) => [method, headers["idempotency-key"]])).toEqual([
      ["GET", undefined],
      ["POST", key],
    ]);
    expect(attemptsOf((await runCli(["journal", "resume", "--all", "--json"], { home, service: pays })).stdout)).toEqual([]);
  });

  test("9 while it stays unknown, stdout empty; the same command is 11 meanwhile", async () => {
    const { home, id, key } = await unknown();
    for (const argv of [[id], [id, "--yes"], ["--all", "--yes"], []]) {
      const { code, stdout, stderr } = await runCli(["journal", "resume", ...argv, "--json"], { home, service: lost });
      expect([argv, code, stdout]).toEqual([argv, 9, ""]);
      const { error } = JSON.parse(stderr);
      expect(error).toMatchObject({ sent: "unknown", journalId: id, idempotencyKey: key });
      expect(error.message.split("We don't know yet")).toHaveLength(2);
    }
    expect(await runCli(b2c("A"), { home, service: pays })).toMatchObject({ code: 11, stdout: "", requests: [] });
  });

  test.each([
    ["payout", b2c("A", "--retries", "0"), []],
    ["payout, after --all", b2c("A", "--retries", "0"), ["--all"]],
    ["withdrawal", withdraw, []],
    ["withdrawal, after --all --yes", withdraw, ["--all", "--yes"]],
  ])("without a terminal the command that an unsettled %s names settles it", async (_, argv, flags) => {
    const home = createHome();
    const { error } = JSON.parse((await runCli(argv, { home, service: lost })).stderr);
    const which = flags.length === 0 ? [error.journalId] : flags;
    const left = JSON.parse((await runCli(["journal", "resume", ...which, "--json", "--retries", "0"], { home, service: lost })).stderr);
    expect((await runCli(left.error.command, { home, service: pays })).code).toBe(0);
  });

  test("without a terminal the command that a withdrawal without an outcome names settles it", async () => {
    const home = createHome();
    const { error } = JSON.parse((await runCli(withdraw, { home, service: lost })).stderr);
    expect((await runCli(error.command, { home, service: pays })).code).toBe(0);
  });

  test("what stops the payment before it is sent again says that it may have been made", async () => {
    const { home, id, key } = await unknown();
    const own = b2c("A", "--idempotency-key", key);
    const sentOf = async (argv: readonly string[], env = {}) => {
      const { requests, stderr } = await runCli(argv, { home, service: pays, env });
      const { sent, journalId } = JSON.parse(stderr).error;
      return [requests, sent, journalId];
    };
    expect(await sentOf(own.filter((word) => word !== "--yes"))).toEqual([[], "unknown", id]);
    expect(await sentOf(own, { PAYMENTS_API_KEY: "another_key_0123456789" })).toEqual([[], "unknown", id]);
    await runCli(["approval", "policy", "--from", "50"], { home });
    expect(await sentOf(own)).toEqual([[], "unknown", id]);
  });

  test("without the passphrase of its key, a withdrawal says that it may have been made, and names the flags that it needs", async () => {
    const home = createHome();
    const profile = (argv: readonly string[], stdin: string) => runCli(argv, { home, stdin, service: pays, env: { PAYMENTS_API_KEY: undefined } });
    await profile(["login", "--base-url", "http://127.0.0.1:9", "--with-key"], "test_key_0123456789abcdef");
    await profile(["profile", "set", "default", "--with-withdrawal-key"], "test_key_9876543210\ncorrect horse battery staple\n");
    const options = { home, stdin: "correct horse battery staple", env: { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined } };
    const { error } = JSON.parse((await runCli([...withdraw, "--passphrase-stdin"], { ...options, service: lost })).stderr);
    expect(error.command).toEqual(["journal", "resume", error.journalId, "--yes", "--passphrase-stdin"]);
    const { stderr } = await runCli(["journal", "resume", error.journalId, "--yes", "--json"], { ...options, service: pays });
    expect(JSON.parse(stderr).error).toMatchObject({ kind: "usage", sent: "unknown", journalId: error.journalId });
    const left = JSON.parse((await runCli(["journal", "resume", error.journalId, "--json"], { ...options, service: pays })).stderr);
    expect((await runCli(left.error.command, { ...options, service: pays })).code).toBe(0);
  });

  test("--mark closes by hand, without a network or an account", async () => {
    const { home, id } = await unknown();
    expect((await runCli(["journal", "resume", "--mark", "refused"], { home })).code).toBe(2);
    expect((await runCli(["journal", "resume", id, "--mark", "maybe"], { home })).code).toBe(2);
    const { code, stdout } = await runCli(["journal", "resume", id, "--mark", "refused", "--json"], { home });
    expect([code, attemptsOf(stdout)]).toMatchObject([0, [{ id, state: "refused" }]]);
    expect((await runCli(b2c("A"), { home, service: pays })).code).toBe(0);
  });

  test("several without --all: a usage error, or a choice on a terminal", async () => {
    const { home } = await unknown();
    await runCli(b2c("B"), { home, service: lost });
    expect(await runCli(["journal", "resume", "--json"], { home, service: pays })).toMatchObject({ code: 2, stdout: "" });
    const chosen = await runCli(["journal", "resume"], { home, service: pays, answers: [{ choose: "B" }, true] });
    expect([chosen.code, chosen.prompts.length]).toEqual([0, 2]);
    expect((await runCli(["journal", "resume", "--all", "--yes", "--json"], { home, service: pays })).code).toBe(0);
  });

  test("several that a killed process left: the command of the error lists them", async () => {
    const home = createHome();
    const journal = await openJournal({ dataFolder: join(home, "data"), clock: { now: () => Date.UTC(2026, 2, 1) } });
    for (const id of ["A", "B"]) await journal.open(newAttempt(id));
    journal.dispose();
    const { error } = JSON.parse((await runCli(["journal", "resume", "--json"], { home })).stderr);
    expect(attemptsOf((await runCli([...error.command, "--json"], { home })).stdout)).toHaveLength(2);
  });

  test("another key is 3, another place too", async () => {
    const { home, id } = await unknown();
    expect((await runCli(["journal", "resume", id, "--yes"], { home, service: pays, env: { PAYMENTS_API_KEY: "another_key_0123456789" } })).code).toBe(3);
    expect((await runCli(["journal", "resume", id, "--yes"], { home, service: pays, env: { PAYMENTS_BASE_URL: "http://127.0.0.1:10" } })).code).toBe(3);
    expect((await runCli(["journal", "resume", "nothing"], { home, service: pays })).code).toBe(4);
  });
});

test("journal prune drops requests of closed attempts, and the guard still holds", async () => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const paid: Service = ({ method, path }) => ({
    body: method === "POST" ? { transactionId: "T-1", status: "QUEUED" } : path.endsWith("T-1") ? { id: "T-1", status: "COMPLETED" } : {},
  });
  await runCli(b2c("A", "--idempotency-key", "own"), { home, service: paid, clock });
  clock.nowMs += 40 * 86_400_000;
  expect((await runCli(["journal", "prune", "--json"], { home, clock })).code).toBe(2);
  expect(JSON.parse((await runCli(["journal", "prune", "--older-than", "30", "--json"], { home, clock })).stdout)).toEqual({ pruned: 1 });
  const shown = await runCli(["journal", "show", "own", "--json"], { home, clock });
  expect(JSON.parse(shown.stdout)).toMatchObject({ body: null, answer: null });
  expect(shown.stdout).not.toContain("254712345678");
  expect(await runCli(b2c("A"), { home, service: paid, clock })).toMatchObject({ code: 11 });
  const again = await runCli(b2c("A", "--idempotency-key", "own"), { home, service: paid, clock });
  expect([again.code, JSON.parse(again.stdout).id]).toEqual([0, "T-1"]);
});

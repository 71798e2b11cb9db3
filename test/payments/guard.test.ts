import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import type { Attempt } from "../../src/journal/port.ts";
import { describeDuplicate, duplicateError, findDuplicates } from "../../src/payments/guard.ts";
import { createHome } from "../support/cli.ts";
import { newAttempt } from "../support/new-attempt.ts";

const startMs = Date.parse("2026-03-01T00:00:00Z");
const hourMs = 3_600_000;
type Seen = string | { readonly id: string; readonly status: string } | Error;

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  ...newAttempt("earlier"),
  state: "accepted",
  transactionId: "T-1",
  tries: [],
  unanswered: false,
  ...more,
});

/** Guards against these attempts; each read of the service sees the next of `seen`. */
const guard = async (likes: readonly Attempt[], { seen = [], exempt = {}, ageMs = 0 }: { seen?: Seen[]; exempt?: object; ageMs?: number } = {}) => {
  const noted: string[] = [];
  let nowMs = startMs + ageMs;
  let reads = 0;
  const call = async () => {
    const answer = seen[reads++];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no more reads");
    return { status: 200, headers: {}, text: "", body: typeof answer === "string" ? { id: "T-1", status: answer } : answer };
  };
  const { blocking, judged } = await findDuplicates({ guardKey: "g", baseUrl: "u" }, exempt, {
    journal: { list: async () => likes, setStatus: async (_, status) => void noted.push(status), nowMs: async () => nowMs },
    client: async () => ({ call }),
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
    signal: new AbortController().signal,
    account: async () => ({ baseUrl: "u", keyHint: "" }),
    paths: { data: createHome() },
  });
  return { blocking: blocking?.id, status: blocking?.status, judged, noted, reads, sleptMs: nowMs - startMs - ageMs };
};

describe("an earlier payout", () => {
  test("that was refused does not stand in the way, and is not among the judged", async () => {
    expect(await guard([attempt({ state: "refused" })])).toMatchObject({ blocking: undefined, judged: [], reads: 0 });
  });

  test.each(["started", "unknown"] as const)("that is %s stands in the way, unread", async (state) => {
    expect(await guard([attempt({ state })], { seen: ["FAILED", "FAILED"] })).toMatchObject({ blocking: "earlier", judged: ["earlier"], reads: 0 });
  });

  test.each(["QUEUED", "COMPLETED", "TIMEOUT"])("that is %s now stands in the way after one look", async (status) => {
    expect(await guard([attempt()], { seen: [status] })).toMatchObject({ blocking: "earlier", reads: 1, sleptMs: 0, noted: [status] });
  });

  test("that ended unpaid is read again 3 s later, and then frees the payment", async () => {
    expect(await guard([attempt()], { seen: ["FAILED", "FAILED"] })).toMatchObject({ blocking: undefined, judged: ["earlier"], reads: 2, sleptMs: 3_000 });
    expect(await guard([attempt()], { seen: ["FAILED", "COMPLETED"] })).toMatchObject({ blocking: "earlier" });
  });

  test("that was seen unpaid before is looked at twice as well: the service may have been wrong for a while", async () => {
    expect(await guard([attempt({ status: "FAILED" })], { seen: ["FAILED", "FAILED"] })).toMatchObject({ blocking: undefined, reads: 2 });
    expect(await guard([attempt({ status: "FAILED" })], { seen: ["FAILED", "COMPLETED"] })).toMatchObject({ blocking: "earlier", status: "COMPLETED" });
    expect(await guard([attempt({ status: "FAILED" })], { seen: ["COMPLETED"] })).toMatchObject({ blocking: "earlier", reads: 1, status: "COMPLETED" });
    expect(await guard([attempt({ status: "FAILED" })], { seen: ["FAILED", new CliError("unavailable", "down")] })).toMatchObject({ blocking: "earlier" });
  });

  test("that was paid stands in the way, whatever failure is said of it later", async () => {
    expect(await guard([attempt({ status: "COMPLETED" })], { seen: ["FAILED"] })).toMatchObject({ blocking: "earlier", noted: [] });
    expect(await guard([attempt({ status: "COMPLETED" })], { seen: ["REVERSED", "REVERSED"] })).toMatchObject({ blocking: undefined });
  });

  test.each([
    ["another id", { id: "T-2", status: "FAILED" }],
    ["nothing that can be read", new CliError("unavailable", "down")],
  ] as const)("about which the service says %s stands in the way", async (_, seen) => {
    expect(await guard([attempt()], { seen: [seen, seen] })).toMatchObject({ blocking: "earlier", noted: [] });
  });

  test("without a transaction that is known stands in the way", async () => {
    const { transactionId: _, ...rest } = attempt();
    expect(await guard([rest], { seen: ["FAILED", "FAILED"] })).toMatchObject({ blocking: "earlier", reads: 0 });
  });
});

test("money in that was accepted does not stand in the way", async () => {
  for (const operation of ["stk", "collect"] as const) expect(await guard([attempt({ operation })])).toMatchObject({ blocking: undefined, reads: 0 });
});

test("a withdrawal stands in the way for 24 hours, unless it was seen to end unpaid", async () => {
  const withdrawal = attempt({ operation: "withdraw" });
  expect(await guard([withdrawal], { ageMs: 24 * hourMs - 1 })).toMatchObject({ blocking: "earlier", reads: 0 });
  expect(await guard([withdrawal], { ageMs: 24 * hourMs })).toMatchObject({ blocking: undefined });
  expect(await guard([attempt({ operation: "withdraw", status: "FAILED" })])).toMatchObject({ blocking: undefined });
});

test("the attempt that is sent again, and runs of a batch that are paid once more, are exempt", async () => {
  expect(await guard([attempt({ state: "unknown" })], { exempt: { own: "earlier" } })).toMatchObject({ blocking: undefined, judged: [] });
  const row = attempt({ state: "unknown", batchId: "run-1" });
  expect(await guard([row], { exempt: { replaced: new Set(["run-1"]) } })).toMatchObject({ blocking: undefined, judged: ["earlier"] });
  expect(await guard([row], { exempt: { replaced: new Set(["run-2"]) } })).toMatchObject({ blocking: "earlier" });
  expect(await guard([attempt({ state: "unknown" })], { exempt: { replaced: new Set(["run-1"]) } })).toMatchObject({ blocking: "earlier" });
});

test("the refusal names the attempt, and the command that fits its state", () => {
  const flags = { sandbox: true } as Parameters<typeof duplicateError>[1];
  expect(duplicateError(attempt(), flags)).toMatchObject({
    kind: "duplicate",
    journalId: "earlier",
    idempotencyKey: "earlier",
    command: ["journal", "show", "earlier"],
  });
  expect(duplicateError(attempt({ state: "unknown" }), flags).command).toEqual(["journal", "resume", "earlier", "--sandbox"]);
  const messages = [attempt(), attempt({ state: "unknown" }), attempt({ damaged: true }), attempt({ reference: " " })].map(
    (one) => describeDuplicate(one, flags).message,
  );
  expect(new Set(messages).size).toBe(4);
  expect([messages[0]?.includes("already accepted"), messages[1]?.includes("already accepted")]).toEqual([true, false]);
  expect(messages[3]).toContain("100.00");
  expect(describeDuplicate(attempt({ status: "QUEUED" }), flags).message).toContain("QUEUED");
});

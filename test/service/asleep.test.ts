import { describe, expect, it } from "vitest";
import { CliError } from "../../src/errors.ts";
import type { CallInput } from "../../src/ports.ts";
import { routes } from "../../src/service/contract/routes.ts";
import type { Transport } from "../../src/service/transport.ts";
import { fakeWire, json, type Met } from "./fake-wire.ts";

const hourMs = 3_600_000;
const paid = json(200, { transactionId: "T1", status: "QUEUED" });
const lost: Met = { fails: "reset", left: true };

/** A clock whose monotonic half sleeps with the machine: each pause takes `asleepMs` of wall time more than it should. */
const pay = async (script: readonly Met[], asleepMs: number, input: Partial<CallInput> = {}) => {
  const wire = fakeWire(script);
  let slept = 0;
  const clock = {
    now: () => wire.clock.nowMs + slept,
    monotonic: () => wire.clock.nowMs,
    sleep: async (ms: number) => {
      wire.clock.nowMs += ms;
      slept += asleepMs;
    },
  };
  const { client, sent } = fakeWire(script, { clock });
  const end = await client.call(routes.b2c, { body: "{}", idempotencyKey: "key-1", ...input }).catch((error: unknown) => error);
  return { end, sent: sent.length };
};

describe("a machine that slept, or a process that was stopped, while the connection was made", () => {
  const payLate = async (asleepMs: number, input: Partial<CallInput> = {}) => {
    let nowMs = Date.UTC(2026, 10, 28);
    let written = 0;
    const transport: Transport = {
      send: async (_, { beforeWriting }) => {
        nowMs += asleepMs;
        beforeWriting?.();
        written += 1;
        return { status: 200, headers: {}, body: new TextEncoder().encode('{"transactionId":"T1","status":"QUEUED"}') };
      },
      close: async () => undefined,
    };
    const { client } = fakeWire([], { transport, clock: { now: () => nowMs, monotonic: () => 0, sleep: async () => undefined } });
    const end = await client.call(routes.b2c, { body: "{}", idempotencyKey: "key-1", ...input }).catch((error: unknown) => error);
    return { end, written };
  };
  const firstSentMs = Date.UTC(2026, 10, 28) - hourMs;

  it.each([
    ["a day", 23 * hourMs],
    ["set back by two hours", -2 * hourMs],
  ])("%s: an attempt of an earlier call is not sent again, and its outcome is unknown", async (_, asleepMs) => {
    expect(await payLate(asleepMs, { firstSentMs })).toMatchObject({ written: 0, end: { kind: "outcome-unknown", sent: "unknown" } });
  });

  it("a first try is not sent a day late either, and nothing exists", async () => {
    expect(await payLate(24 * hourMs)).toMatchObject({ written: 0, end: { kind: "unavailable", sent: "no" } });
  });

  it("hours are no obstacle", async () => {
    expect(await payLate(22 * hourMs, { firstSentMs })).toMatchObject({ written: 1, end: { status: 200 } });
  });
});

describe("a machine that slept inside a retry's pause", () => {
  it.each([
    ["over 24 hours", 24 * hourMs],
    ["set back by an hour", -hourMs],
  ])("%s: the key is not sent again, and the outcome is unknown", async (_, asleepMs) => {
    const { end, sent } = await pay([lost, paid], asleepMs);
    expect(sent).toBe(1);
    expect(end).toBeInstanceOf(CliError);
    expect(end).toMatchObject({ kind: "outcome-unknown", sent: "unknown", message: expect.stringContaining("not sent again") });
  });

  it("what was only refused a while is not sent a day later either, and nothing exists", async () => {
    const { end, sent } = await pay([{ status: 429 }, paid], 24 * hourMs);
    expect([sent, end]).toMatchObject([1, { kind: "rejected", sent: "no" }]);
  });

  it("23 hours, or a clock put right by seconds, are no obstacle", async () => {
    for (const asleepMs of [23 * hourMs, -5_000]) expect(await pay([lost, paid], asleepMs)).toMatchObject({ sent: 2, end: { status: 200 } });
  });

  it("nothing is sent again that may arrive after the 24 hours", async () => {
    const now = Date.UTC(2026, 10, 28);
    expect(await pay([paid], 0, { firstSentMs: now - 24 * hourMs + 20_000 })).toMatchObject({ sent: 0, end: { kind: "outcome-unknown" } });
    expect(await pay([paid], 0, { firstSentMs: now - 24 * hourMs + 60_000 })).toMatchObject({ sent: 1, end: { status: 200 } });
  });

  it("a resumed attempt counts from its own first sending, and may not be sent at all", async () => {
    const now = Date.UTC(2026, 10, 28);
    expect(await pay([lost, paid], hourMs, { firstSentMs: now - 23.5 * hourMs })).toMatchObject({
      sent: 1,
      end: { kind: "outcome-unknown" },
    });
    expect(await pay([paid], 0, { firstSentMs: now - 24 * hourMs })).toMatchObject({ sent: 0, end: { kind: "outcome-unknown" } });
  });
});

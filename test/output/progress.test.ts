import { describe, expect, it } from "vitest";
import { createProgress } from "../../src/host/progress.ts";
import { progressLine } from "../../src/output/progress-line.ts";
import { qrLines } from "../../src/output/qr.ts";

describe("createProgress", () => {
  const run = (draws: boolean, columns = 20): { out: () => string; at: (ms: number, text: string) => void; end: () => void } => {
    let out = "";
    let now = 0;
    const progress = createProgress({ draws, columns: () => columns, nowMs: () => now, write: (text) => (out += text) });
    return {
      out: () => out,
      at: (ms, text) => {
        now = ms;
        progress.update(text);
      },
      end: () => progress.end(),
    };
  };
  it("redraws one line, not too often, and clears it", () => {
    const line = run(true);
    line.at(0, "one");
    line.at(10, "two");
    line.at(100, "three\u001b[31m is too long for this");
    line.end();
    line.end();
    expect(line.out()).toBe("\r\u001b[2Kone\r\u001b[2Kthree\\x1b[31m is t…\r\u001b[2K");
  });
  it("asks a line that counts again as time passes, and draws what came too soon after", () => {
    let out = "";
    let now = 0;
    let told: (() => void) | undefined;
    const every = (_: number, tick: () => void) => {
      told = tick;
      return () => {
        told = undefined;
      };
    };
    const progress = createProgress({ draws: true, columns: () => 40, nowMs: () => now, write: (text) => (out += text), every });
    progress.update(() => `${Math.ceil((2000 - now) / 1000)} s left`);
    for (now = 200; now <= 1000; now += 200) told?.();
    progress.update("ended unpaid");
    now += 200;
    told?.();
    progress.end();
    expect([out.split("\r\u001b[2K"), told]).toEqual([["", "2 s left", "1 s left", "ended unpaid", ""], undefined]);
  });
  it("writes nothing where nothing may be drawn", () => {
    const line = run(false);
    line.at(0, "one");
    line.end();
    expect(line.out()).toBe("");
  });
});

it.each([
  [{ label: "Rows", done: 0, total: 100, startedMs: 0, nowMs: 0 }, "Rows [--------------------] 0% 0 of 100"],
  [{ done: 4000, total: 10_000, startedMs: 0, nowMs: 5000 }, "[########------------] 40% 4,000 of 10,000, 800/s, 8 s left"],
  [{ done: 10, total: 10, startedMs: 0, nowMs: 4000 }, "[####################] 100% 10 of 10, 2.5/s"],
  [{ done: 1234, startedMs: 0, nowMs: 100 }, "1,234"],
  [{ done: 5, total: 0, startedMs: 0, nowMs: 0 }, "5"],
])("progressLine %j", (state, expected) => {
  expect(progressLine(state)).toBe(expected);
});

it("qrLines fit or are not shown", async () => {
  const lines = await qrLines("https://pay.example/checkout/GC-1", { columns: 80, rows: 24 });
  expect(lines).toBeDefined();
  expect(new Set(lines?.map((line) => line.length)).size).toBe(1);
  expect(await qrLines("https://pay.example/checkout/GC-1", { columns: 20, rows: 24 })).toBeUndefined();
  expect(await qrLines("https://pay.example/checkout/GC-1", { columns: 80, rows: 8 })).toBeUndefined();
  await expect(qrLines("x".repeat(10_000), { columns: 500, rows: 500 })).rejects.toThrow();
});

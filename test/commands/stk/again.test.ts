import { describe, expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const push = ["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-1"];
const accepted: Service = (_, count) => ({ body: { success: true, transactionId: `T${count}`, status: "SENT" } });
const at = (minutes: number) => ({ nowMs: Date.UTC(2026, 2, 1, 8, minutes) });

describe("stk for the same phone and reference", () => {
  test("within minutes asks on a terminal, and sends nothing if declined", async () => {
    const home = createHome();
    await runCli(push, { home, service: accepted, clock: at(0) });
    const declined = await runCli(push, { home, service: accepted, clock: at(2), answers: [false] });
    expect([declined.code, declined.requests.length]).toEqual([130, 0]);
    expect(declined.prompts.join()).toContain("Send another prompt?");
    const agreed = await runCli(push, { home, service: accepted, clock: at(3), answers: [true] });
    expect([agreed.code, agreed.requests.length]).toEqual([0, 1]);
  });

  test("within minutes is a note in a script; another reference, phone or hour is none", async () => {
    const home = createHome();
    await runCli(push, { home, service: accepted, clock: at(0) });
    const script = await runCli(push, { home, service: accepted, clock: at(2) });
    expect([script.code, script.requests.length, script.notes]).toEqual([0, 1, expect.stringContaining("2 min ago")]);
    for (const [argv, minutes] of [
      [[...push.slice(0, -1), "INV-2"], 3],
      [["stk", "--phone", "0722345678", ...push.slice(3)], 3],
      [push, 60],
      [[...push, "--dry-run"], 3],
      [[...push, "--json"], 3],
    ] as const)
      expect((await runCli(argv, { home, service: accepted, clock: at(minutes) })).notes).not.toContain("was sent to this phone");
  });
});

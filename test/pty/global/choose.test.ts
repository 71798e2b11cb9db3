import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { json, type LoopbackService, startService } from "../../support/process.ts";
import { withdrawal } from "../../support/withdrawal.ts";
import { talk as onTerminal, type Shown } from "../interactive/terminal.ts";

const rails: unknown = JSON.parse(readFileSync(new URL("../../cases/rails.json", import.meta.url), "utf8"));
const start = (): Promise<LoopbackService> =>
  startService(({ url }, response) => {
    if (url.endsWith("/providers")) return json(response, 200, { success: true, providers: rails });
    if (url.endsWith("/wallet")) return json(response, 200, { success: true, wallet: { currency: "USD" } });
    return json(response, 200, {
      success: true,
      message: "Created",
      authorizationUrl: "https://pay.example/c/1",
      collection: { reference: "GC-1", status: "PENDING", amount: 1, fee: 0 },
      disbursement: { reference: "GD-1", status: "PROCESSING", amount: 1, fee: 0 },
    });
  });

type Step = readonly [see: RegExp, type: string, resize?: number];
type Options = { readonly cols?: number; readonly term?: string };

/** The binary on a terminal, against this service; each step waits for what it sees before it types. */
const talk = (service: LoopbackService, args: readonly string[], steps: readonly Step[], { cols = 100, term = "xterm" }: Options = {}): Promise<Shown> =>
  onTerminal(
    args,
    steps.map(([see, type, resize]) => ({ see, type, ...(resize === undefined ? {} : { resize }) })),
    { url: service.url, cols, env: { TERM: term } },
  );
const creations = ({ seen }: LoopbackService): readonly unknown[] => seen.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));

const choosing: readonly Step[] = [
  [/❯ Kenya/, "\u001b[B"],
  [/❯ Uganda/, "\r"],
  // The only rail there is not asked for, but named.
  [/UG_MOMO[\s\S]*Amount in UGX[\s\S]*5,000,000/, "10\r"],
  [/too\s+small/, "\b\b5000\r"],
  [/phone/, "0772000001\r"],
];
const wanted = [{ rail: "UG_MOMO", msisdn: "0772000001", amount: 5000, currency: "UGX" }];

describe("global collect on a terminal", () => {
  for (const cols of [40, 120]) {
    it(`offers the rails there are, at ${cols} columns`, async () => {
      const service = await start();
      const { code, text } = await talk(service, ["global", "collect"], choosing, { cols });
      expect([code, creations(service)]).toEqual([0, wanted]);
      expect(text).toContain("GC-1");
    });
  }

  it("goes on with the list after the window was made narrow", async () => {
    const service = await start();
    const { code } = await talk(service, ["global", "collect"], [[/❯ Kenya/, "\u001b[B", 40], ...choosing.slice(1)], { cols: 120 });
    expect([code, creations(service)]).toEqual([0, wanted]);
  });

  it("draws nothing on a dumb terminal", async () => {
    const service = await start();
    const steps: readonly Step[] = [
      [/Amount in USD/, "25\r"],
      [/email/i, "payer@example.com\r"],
    ];
    const { code, text } = await talk(service, ["global", "collect", "--rail", "KE_CARD", "--currency", "USD"], steps, { term: "dumb" });
    expect([code, creations(service)]).toEqual([0, [{ rail: "KE_CARD", customerEmail: "payer@example.com", amount: 25, currency: "USD" }]]);
    expect(text).toContain("https://pay.example/c/1");
    expect(text).not.toContain("\u001b");
  });

  it("Ctrl-C at a question ends it cleanly", async () => {
    const service = await start();
    const { code, text } = await talk(service, ["global", "collect"], [[/Country/, "\u0003"]]);
    expect([code, creations(service)]).toEqual([130, []]);
    expect(text).not.toMatch(/ {4}at /);
  });
});

describe("global withdraw on a terminal", () => {
  it("P5: shows whose money it is and where it goes, and wants the amount typed", async () => {
    const service = await start();
    const { code, text } = await talk(service, withdrawal, [[/Type the amount/, "500\r"]]);
    expect([code, creations(service)]).toEqual([130, []]);
    const words = text.replace(/\s+/g, " ");
    for (const part of ["UGX 5,000", "MTN", "0772000001", "UG_MOMO", "MOBILE_MONEY", "environment", "127.0.0.1", "fee"]) expect(words).toContain(part);
  });
});

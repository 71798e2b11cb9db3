import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CliError, type ErrorKind, type Sent } from "../../src/errors.ts";
import type { Try } from "../../src/journal/port.ts";
import type { Answer } from "../../src/ports.ts";
import { routes } from "../../src/service/contract/routes.ts";
import { fakeWire, json, type Met } from "./fake-wire.ts";

const body = '{"phone":"254712345678","amount":150.50,"reference":"R1"}';
const accepted = json(200, { transactionId: "T1", status: "SENT" });
const met = {
  accepted,
  reset: { fails: "reset", left: true },
  timeout: { fails: "timeout", left: true },
  refusedConnection: { fails: "refused", left: false },
  dns: { fails: "dns", left: false },
  tls: { fails: "tls", left: false },
  proxy: { fails: "proxy", left: false },
  500: json(500, { message: "boom" }),
  503: { status: 503 },
  408: { status: 408 },
  300: json(300, { transactionId: "T1" }),
  302: { status: 302, headers: { location: "https://else.example/" } },
  html: { status: 200, body: "<html>Welcome</html>" },
  empty: { status: 200 },
  cut: { status: 200, body: '{"transactionId":"T' },
  noId: json(200, { status: "SENT" }),
  emptyId: json(201, { transactionId: "" }),
  blankId: json(201, { transactionId: " \t" }),
  nullId: json(200, { success: true, paid: true, transactionId: null }),
  nullIdAsText: json(200, { success: true, transactionId: "null" }),
  zeroId: json(200, { success: true, transactionId: 0 }),
  objectAsId: json(200, { success: true, transactionId: { $oid: "T1" } }),
  falseAsText: json(200, { success: "false", message: "Insufficient float", transactionId: "T1" }),
  falseInCapitals: json(200, { success: "FALSE", transactionId: "T1" }),
  successNo: json(200, { success: "no", transactionId: "T1" }),
  success0: json(200, { success: 0, transactionId: "T1" }),
  success00: { status: 200, body: '{"success":0.0,"transactionId":"T1"}' },
  successNull: json(200, { success: null, transactionId: "T1" }),
  successEmpty: json(200, { success: "", transactionId: "T1" }),
  successObject: json(200, { success: {}, transactionId: "T1" }),
  otherNameFalse: json(200, { Success: "False", transactionId: "T1" }),
  twoSuccesses: json(200, { success: true, SUCCESS: "false", transactionId: "T1" }),
  binary: { status: 200, body: new Uint8Array([123, 0xff, 0xfe]) },
  400: json(400, { message: "bad" }),
  401: json(401, { message: "who" }),
  402: json(402, { code: "PAYMENT_REQUIRED", message: "Add credits" }),
  403: json(403, {}),
  404: json(404, {}),
  409: json(409, { code: "IDEMPOTENCY_IN_PROGRESS" }),
  422: json(422, { message: "key reused" }),
  429: { status: 429 },
  saysNo: json(200, { success: false, message: "Rail closed" }),
  saysNoWithId: json(200, { success: false, transactionId: "T1" }),
  saysNoInCapitals: json(200, { SUCCESS: false, transactionId: "T1" }),
} as const satisfies Record<string, Met>;
type Name = `${keyof typeof met}`;
const metBy: Readonly<Record<Name, Met>> = met;
/** What proves nothing: R2-16 has the answers with a null id or a success that is not true. */
const open: readonly Name[] = [
  ...(["reset", "timeout", "500", "503", "408", "300", "302", "html", "empty", "cut", "noId", "emptyId", "binary"] as const),
  ...(["blankId", "nullId", "nullIdAsText", "zeroId", "objectAsId", "falseAsText", "falseInCapitals", "successNo", "success0", "success00"] as const),
  ...(["successNull", "successEmpty", "successObject", "otherNameFalse", "twoSuccesses"] as const),
];
const neverLeft: readonly Name[] = ["refusedConnection", "dns", "tls", "proxy"];
const refusals = {
  400: "rejected",
  401: "auth",
  402: "payment-required",
  403: "auth",
  404: "not-found",
  422: "rejected",
  saysNo: "rejected",
  saysNoWithId: "rejected",
  saysNoInCapitals: "rejected",
} as const;

const pay = async (names: readonly Name[], options: Parameters<typeof fakeWire>[1] = {}) => {
  const wire = fakeWire(
    names.map((name) => metBy[name]),
    options,
  );
  const tries: Try[] = [];
  const end: Answer | CliError = await wire.client
    .call(routes.stkPush, {
      body,
      idempotencyKey: "key-1",
      onTry: (tried) => {
        tries.push(tried);
      },
    })
    .catch((error: unknown) => {
      if (error instanceof CliError) return error;
      throw error;
    });
  return { ...wire, end, tries };
};
const expectEnd = (end: unknown, kind: ErrorKind, sent: Sent): void => {
  expect(end).toBeInstanceOf(CliError);
  expect(end).toMatchObject({ kind, sent });
};

describe("a creation", () => {
  it("sends the exact bytes, the key, and the headers of the service", async () => {
    const { sent, end } = await pay(["accepted"]);
    expect(end).toMatchObject({ status: 200, body: { transactionId: "T1", status: "SENT" } });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      method: "POST",
      body,
      headers: { authorization: "Bearer sk_test_1234567890", accept: "application/json", "content-type": "application/json", "idempotency-key": "key-1" },
    });
    expect(sent[0]?.url.href).toBe("https://api.example.test/base/api/v1/merchants/payments/stk-push");
  });

  it.each(open)("%s, then accepted: the same key and bytes, done (H1, H2)", async (name) => {
    const { sent, end, tries } = await pay([name, name, "accepted"]);
    expect(end).toMatchObject({ status: 200 });
    expect(sent.map(({ headers, body: bytes }) => [headers["idempotency-key"], bytes])).toEqual([1, 2, 3].map(() => ["key-1", body]));
    expect(tries.map(({ outcome }) => outcome)).toEqual(["unanswered", "unanswered", "answered"]);
    expect(sent[1]?.atMs).toBeGreaterThanOrEqual((sent[0]?.atMs ?? 0) + 250);
  });

  it.each([200, 201, 226, 299])("%d with an id is accepted", async (status) => {
    const { client } = fakeWire([json(status, { transactionId: "T1", status: "SENT" })]);
    expect(await client.call(routes.stkPush, { body, idempotencyKey: "key-1" })).toMatchObject({ status });
  });

  it.each(open)("%s for ever: unknown after all tries", async (name) => {
    const { sent, end } = await pay([name]);
    expectEnd(end, "outcome-unknown", "unknown");
    expect(sent).toHaveLength(4);
  });

  it.each(open)("%s with --retries 0 is one request, and unknown (H8)", async (name) => {
    const { sent, end } = await pay([name], { retries: 0 });
    expectEnd(end, "outcome-unknown", "unknown");
    expect(sent).toHaveLength(1);
  });

  it.each(Object.entries(refusals))("%s at once is a refusal: %s", async (name, kind) => {
    const { sent, end } = await pay([name as Name]);
    expectEnd(end, kind, "no");
    expect(sent).toHaveLength(1);
  });

  it.each(open.flatMap((first) => [...Object.keys(refusals), ...neverLeft].map((second) => [first, second as Name] as const)))(
    "%s, then %s: stays unknown",
    async (first, second) => {
      expectEnd((await pay([first, second])).end, "outcome-unknown", "unknown");
    },
  );

  it.each(neverLeft)("%s for ever: nothing left, unavailable", async (name) => {
    const { end, tries } = await pay([name]);
    expectEnd(end, "unavailable", "no");
    expect(tries.every(({ outcome }) => outcome === "refused")).toBe(true);
  });

  it.each(neverLeft)("%s, then what ever comes is judged as if it were first", async (name) => {
    if (name === "tls") return;
    expect((await pay([name, "accepted"])).end).toMatchObject({ status: 200 });
    expectEnd((await pay([name, "402"])).end, "payment-required", "no");
  });

  it.each([true, "true", "TRUE", "yes", 1, "1", "OK"])("R2-16: a success of %j with an id is one", async (success) => {
    const wire = fakeWire([json(200, { success, transactionId: "T1" })]);
    await expect(wire.client.call(routes.b2c, { body, idempotencyKey: "key-1" })).resolves.toMatchObject({ status: 200 });
    expect(wire.sent).toHaveLength(1);
  });

  it("R2-16: a textual false keeps the service's words", async () => {
    const { end } = await pay(["falseAsText"]);
    expect(end).toMatchObject({ kind: "outcome-unknown", message: expect.stringContaining("Insufficient float") });
  });

  it.each([
    ["503", "last answer: 503"],
    ["302", "last answer: 302"],
    ["500", "last answer: 500: boom"],
    ["noId", "last answer: 200 without `transactionId`"],
  ] as const)("if every try ends with %s, the error says so in a few words", async (name, words) => {
    expect((await pay([name])).end).toMatchObject({ message: `We don't know yet if the payment was made (${words}).` });
  });

  it("a refusal keeps code and message (O1, O7)", async () => {
    expect((await pay(["402"])).end).toMatchObject({ code: "PAYMENT_REQUIRED", message: "Add credits", status: 402 });
    expect((await pay(["saysNo"])).end).toMatchObject({ message: "Rail closed", status: 200 });
  });

  it("409 is waited out beyond the tries, until the time ends", async () => {
    const { sent, end } = await pay(["409", "409", "409", "409", "409", "409", "accepted"]);
    expect(end).toMatchObject({ status: 200 });
    expect(sent).toHaveLength(7);
    const forever = await pay(["409"]);
    expectEnd(forever.end, "outcome-unknown", "unknown");
    const tookMs = forever.clock.nowMs - (forever.sent[0]?.atMs ?? 0);
    expect(tookMs).toBeGreaterThan(30_000);
    expect(tookMs).toBeLessThanOrEqual(40_000);
    expectEnd((await pay(["409", "402"])).end, "outcome-unknown", "unknown");
    expect((await pay(["409"], { retries: 0 })).sent).toHaveLength(1);
  });

  it("waiting for an answer in progress uses up none of the retries", async () => {
    const { end, sent } = await pay(["409", "409", "409", "503", "accepted"], { retries: 1 });
    expect([end, sent.length]).toMatchObject([{ status: 200 }, 5]);
  });

  it("429 is retried; left over it is a refusal, unless an earlier try went unanswered", async () => {
    expect((await pay(["429", "429", "accepted"])).end).toMatchObject({ status: 200 });
    const over = await pay(["429"]);
    expectEnd(over.end, "rejected", "no");
    expect(over.sent).toHaveLength(4);
    expect(over.end).toMatchObject({ retryable: true });
    expectEnd((await pay(["reset", "429"])).end, "outcome-unknown", "unknown");
  });

  it("Retry-After is the lower bound, in seconds or as a date; beyond the time left it ends at once (H4)", async () => {
    const seconds = fakeWire([{ status: 429, headers: { "retry-after": "2" } }, accepted]);
    await seconds.client.call(routes.stkPush, { body, idempotencyKey: "k" });
    expect((seconds.sent[1]?.atMs ?? 0) - (seconds.sent[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
    const date = fakeWire([{ status: 503, headers: { date: "Sat, 28 Nov 2026 09:00:00 GMT", "retry-after": "Sat, 28 Nov 2026 09:00:07 GMT" } }, accepted]);
    await date.client.call(routes.stkPush, { body, idempotencyKey: "k" });
    expect((date.sent[1]?.atMs ?? 0) - (date.sent[0]?.atMs ?? 0)).toBe(7_000);
    const day = fakeWire([{ status: 429, headers: { "retry-after": "86400" } }]);
    const end = await day.client.call(routes.stkPush, { body, idempotencyKey: "k" }).catch((error: unknown) => error);
    expectEnd(end, "rejected", "no");
    expect(day.sent).toHaveLength(1);
    expect((end as CliError).hint).toContain("2026-11-29 00:00:00 UTC");
    const open503 = fakeWire([{ status: 503, headers: { "retry-after": "86400" } }]);
    const unknown = await open503.client.call(routes.stkPush, { body, idempotencyKey: "k" }).catch((error: unknown) => error);
    expectEnd(unknown, "outcome-unknown", "unknown");
    expect(unknown).toMatchObject({ status: 503, retryAfterMs: 86_400_000, hint: expect.stringContaining("2026-11-29 00:00:00 UTC") });
    expect(open503.sent).toHaveLength(1);
  });

  it("a last try that asks to wait says when to try again, also beside a key in the answer", async () => {
    for (const [status, kind] of [
      [429, "rejected"],
      [503, "outcome-unknown"],
    ] as const) {
      const wire = fakeWire([json(status, { message: "Bearer sk_test_1234567890 is throttled" }, { "retry-after": "60" })], { retries: 0 });
      const end = await wire.client.call(routes.stkPush, { body, idempotencyKey: "k" }).catch((error: unknown) => error);
      expect(end).toMatchObject({ kind, retryAfterMs: 60_000, hint: expect.stringContaining("2026-11-28 00:01:00 UTC") });
      expect(JSON.stringify([end, String(end)])).not.toContain("sk_test_1234567890");
    }
  });

  it("work in progress elsewhere does not use up the tries, and a try that was lost does", async () => {
    const { sent, end } = await pay(["409", "reset", "409", "reset", "409", "accepted"], { retries: 1 });
    expectEnd(end, "outcome-unknown", "unknown");
    expect(sent).toHaveLength(4);
  });

  it("given up in flight is unknown, before sending or while waiting with nothing open it is interrupted", async () => {
    const before = fakeWire([accepted]);
    expectEnd(await before.client.call(routes.b2c, { body, idempotencyKey: "k", signal: AbortSignal.abort() }).catch((e: unknown) => e), "interrupted", "no");
    expect(before.sent).toHaveLength(0);
    const endAfter = async (name: Name, retries = 3): Promise<unknown> => {
      const controller = new AbortController();
      const wire = fakeWire([metBy[name]], { retries });
      const onTry = (): void => controller.abort();
      return await wire.client.call(routes.b2c, { body, idempotencyKey: "k", signal: controller.signal, onTry }).catch((e: unknown) => e);
    };
    expectEnd(await endAfter("reset"), "outcome-unknown", "unknown");
    expectEnd(await endAfter("429"), "interrupted", "no");
    expectEnd(await endAfter("402"), "payment-required", "no");
    expect(await endAfter("accepted")).toMatchObject({ status: 200 });
  });

  it("is not tried again once it was told to stop, though what is in flight may still be answered", async () => {
    const stoppedAfter = async (name: Name) => {
      const stop = new AbortController();
      const wire = fakeWire([metBy[name], accepted]);
      const input = { body, idempotencyKey: "k", signal: new AbortController().signal, stop: stop.signal, onTry: () => stop.abort() };
      return { end: await wire.client.call(routes.b2c, input).catch((e: unknown) => e), sent: wire.sent.length };
    };
    expect(await stoppedAfter("503")).toMatchObject({ end: { kind: "outcome-unknown", sent: "unknown", status: 503 }, sent: 1 });
    expect(await stoppedAfter("429")).toMatchObject({ end: { kind: "interrupted", sent: "no" }, sent: 1 });
    expect(await stoppedAfter("accepted")).toMatchObject({ end: { status: 200 }, sent: 1 });
  });

  it("what cannot be recorded is not tried again, and an accepted payment is still reported", async () => {
    const failing = async (): Promise<void> => {
      throw new Error("disk full");
    };
    const wire = fakeWire([met.reset, accepted]);
    expectEnd(await wire.client.call(routes.b2c, { body, idempotencyKey: "k", onTry: failing }).catch((e: unknown) => e), "outcome-unknown", "unknown");
    expect(wire.sent).toHaveLength(1);
    const good = fakeWire([accepted]);
    expect(await good.client.call(routes.b2c, { body, idempotencyKey: "k", onTry: failing })).toMatchObject({ status: 200 });
  });

  it("a fault of the transport that nobody foresaw counts as left", async () => {
    const { client } = fakeWire([]);
    expectEnd(await client.call(routes.b2c, { body, idempotencyKey: "k" }).catch((e: unknown) => e), "outcome-unknown", "unknown");
  });

  it("names of the global endpoints are needed too", async () => {
    const collection = json(200, { success: true, collection: { reference: "GC-1" } });
    expect(await fakeWire([collection]).client.call(routes.collect, { body, idempotencyKey: "k" })).toMatchObject({ status: 200 });
    expectEnd(
      await fakeWire([json(200, { success: true, collection: {} })])
        .client.call(routes.collect, { body, idempotencyKey: "k" })
        .catch((e: unknown) => e),
      "outcome-unknown",
      "unknown",
    );
  });

  it("whatever comes in whatever order: never refused once a try went unanswered, never unknown where nothing did", async () => {
    const names = fc.array(fc.constantFrom(...(Object.keys(met) as Name[])), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 0, max: 4 }), async (script, retries) => {
        const { end, sent, tries, clock } = await pay(script, { retries });
        const met = sent.map((_, at) => script[Math.min(at, script.length - 1)] ?? "accepted");
        const wentOpen = met.some((name) => open.includes(name) || name === "409");
        if (met.includes("accepted")) expect(end).toMatchObject({ status: 200 });
        else if (wentOpen) expectEnd(end, "outcome-unknown", "unknown");
        else expect(end).toMatchObject({ sent: "no" });
        expect(new Set(sent.map(({ headers, body: bytes }) => `${headers["idempotency-key"]} ${bytes}`)).size).toBe(1);
        expect(tries).toHaveLength(sent.length);
        expect(met.filter((name) => name !== "409").length).toBeLessThanOrEqual(retries + 1);
        expect(clock.nowMs - (sent[0]?.atMs ?? 0)).toBeLessThanOrEqual(10_000 * (retries + 1) + 30_000);
      }),
      { numRuns: 300 },
    );
  });
});

import { describe, expect, it } from "vitest";
import { scenarios } from "../../../src/sandbox/engine/scenarios.ts";
import { type CliOptions, createHome, runCli, type Service } from "../../support/cli.ts";

type Explained = {
  readonly verdict: string;
  readonly say: string;
  readonly command?: readonly string[];
  readonly callback?: string;
  readonly transaction?: { readonly id: string; readonly status: string };
  readonly attempts: readonly { readonly id: string; readonly state: string; readonly idempotencyKey: string }[];
  readonly ledger: readonly unknown[];
  readonly timeline: readonly { readonly at: string; readonly source: string; readonly event: string }[];
  readonly contradictions: readonly string[];
  readonly unread: readonly { readonly source: string }[];
};
const start = Date.UTC(2026, 2, 1, 8, 0, 0);

/** What is explained, with the run that explained it. */
const explain = async (text: string, options: CliOptions = {}, ...flags: readonly string[]) => {
  const result = await runCli(["tx", "explain", text, "--json", ...flags], options);
  return { ...result, story: (result.stdout === "" ? undefined : JSON.parse(result.stdout)) as Explained };
};
/** A payment on the embedded sandbox, explained so many ms later. */
const storyOf = async (argv: readonly string[], { laterMs = 10_000, text = "R-1", lines = [] as readonly (readonly string[])[] } = {}) => {
  const home = createHome();
  const clock = { nowMs: start };
  const made = await runCli([...argv, "--sandbox", "--retries", "0", "--json"], { home, clock });
  clock.nowMs += laterMs;
  for (const line of lines) await runCli([...line, "--sandbox"], { home, clock });
  return { made, clock, ...(await explain(text, { home, clock }, "--sandbox")) };
};
const push = (end: string) => ["stk", "--phone", `0712345${end}`, "--amount", "150", "--reference", "R-1"];
const payout = (end: string) => ["b2c", "--phone", `0712345${end}`, "--amount", "150", "--reference", "R-1", "--yes"];

describe("tx explain, on each scenario of the sandbox", () => {
  const ends = {
    paid: ["000", "021", "022", "023", "024", "025", "026", "037"],
    unpaid: ["011", "012", "013", "014", "015", "016", "017", "018", "038"],
    open: ["036"],
  };
  it.each(Object.entries(ends).flatMap(([verdict, all]) => all.map((end) => [end, verdict] as const)))("a push to …%s is %s", async (end, verdict) => {
    const { code, story } = await storyOf(push(end), { laterMs: 600_000 });
    expect([code, story.verdict, story.unread]).toEqual([0, verdict, []]);
    expect(story.say).toContain("KES");
    expect(story.timeline.map(({ at }) => Date.parse(at))).toEqual(story.timeline.map(({ at }) => Date.parse(at)).toSorted((one, other) => one - other));
  });

  it.each([
    ["031", "reset after the commit"],
    ["032", "500 after the commit"],
  ])("a push to …%s (%s): the service has it, and the next command settles the attempt", async (end) => {
    const { story, home, clock } = await storyOf(push(end));
    expect([story.verdict, story.command?.slice(0, 2), story.contradictions.length]).toEqual(["paid", ["journal", "resume"], 1]);
    const byAttempt = await runCli(["tx", "explain", story.attempts[0]?.id ?? "", "--sandbox", "--json"], { home, clock });
    expect(JSON.parse(byAttempt.stdout).verdict).toBe("paid");
    expect((await runCli([...(story.command ?? []), "--yes", "--json"], { home, clock })).code).toBe(0);
    const { story: after } = await explain("R-1", { home, clock }, "--sandbox");
    expect([after.verdict, after.contradictions]).toEqual(["paid", []]);
  });

  it("027: the query lags behind, so the payment is still open, and the charge is shown beside it", async () => {
    const { story } = await storyOf(push("027"));
    expect([story.verdict, story.contradictions]).toEqual(["open", [expect.stringContaining("charged")]]);
    expect(story.say).toContain("do not pay again");
  });

  it("names what the service says happened in words", async () => {
    const { story } = await storyOf(push("000"));
    expect(story.timeline.map(({ event }) => event)).toContain("Completed");
  });

  it("028: FAILED with a charge in the ledger is no end, whatever the service says at first", async () => {
    const { story } = await storyOf(push("028"));
    expect(story.verdict).toBe("unknown");
    expect(story.contradictions.length).toBeGreaterThan(0);
  });

  const topUp = ["api", "POST", "/_sandbox/topup", "-f", "wallet=balance", "-F", "amount:=1"];
  it.each([
    ["028", push, "unknown", "tx get"],
    ["028", payout, "unknown", "tx get"],
    ["011", push, "unpaid", "stk --phone"],
    ["011", payout, "unpaid", "b2c --phone"],
  ] as const)("%s after many other entries in the ledger: a bare FAILED that it cannot bear out is no end", async (end, make, verdict, command) => {
    const { story } = await storyOf(make(end), { lines: Array.from({ length: 20 }, () => topUp) });
    expect([story.verdict, story.command?.slice(0, 2).join(" ")]).toEqual([verdict, command]);
    expect(story.say).not.toContain("..");
  });

  it.each([
    ["034", "rejected"],
    ["035", "unavailable"],
  ])("a push to …%s was not accepted: %s, so it can be made again by the command", async (end) => {
    const { story } = await storyOf(push(end));
    expect(["unpaid", "unknown"]).toContain(story.verdict);
    expect(story.transaction).toBeUndefined();
    expect(story.command?.[0]).toBe(story.verdict === "unpaid" ? "stk" : "journal");
  });

  it.each([
    ["000", "paid"],
    ["041", "unpaid"],
    ["042", "unpaid"],
    ["036", "open"],
  ])("a payout to …%s is %s", async (end, verdict) => {
    const { story } = await storyOf(payout(end), { laterMs: 600_000 });
    expect(story.verdict).toBe(verdict);
    expect(story.say.startsWith("Our payment")).toBe(true);
  });

  it("028: paid after the service said FAILED for a while is shown as a contradiction", async () => {
    const home = createHome();
    const clock = { nowMs: start };
    const waited = await runCli([...push("028"), "--wait", "20", "--sandbox", "--json"], { home, clock });
    expect(waited.code).toBe(7);
    clock.nowMs += 600_000;
    const { story } = await explain("R-1", { home, clock }, "--sandbox");
    expect([story.verdict, story.contradictions]).toEqual(["paid", [expect.stringContaining("FAILED")]]);
  });

  it("a phone is no name of a payment: the command that finds its payments is given", async () => {
    const { code, stderr } = await explain("0712 345 678", {}, "--sandbox");
    expect([code, JSON.parse(stderr).error.command]).toEqual([4, ["tx", "find", "0712 345 678", "--sandbox"]]);
  });

  it("a payout that waits shows the hold of its money", async () => {
    const { story } = await storyOf(payout("036"));
    expect(story.ledger.length).toBeGreaterThan(0);
    expect(story.timeline.some(({ source, event }) => source === "ledger" && /hold/i.test(event))).toBe(true);
  });

  it("037: another amount than the one asked for is shown as a contradiction", async () => {
    const { story } = await storyOf(push("037"));
    expect(story.contradictions.some((sentence) => sentence.includes("KES 150.00"))).toBe(true);
  });
});

describe("tx explain, payments abroad", () => {
  const collect = ["global", "collect", "--rail", "mtn_ug", "--amount", "5000", "--currency", "UGX", "--msisdn", "0772345678"];

  it("an attempt is found by the beginning of its id that journal list shows", async () => {
    const { home, clock, story } = await storyOf(push("000"));
    const { code, stdout } = await runCli(["tx", "explain", String(story.attempts[0]?.id).slice(0, 8), "--sandbox", "--json"], { home, clock });
    expect([code, JSON.parse(stdout).transaction.id]).toEqual([0, story.transaction?.id]);
  });

  it("a collection is found by its journal id, with the Global Wallet as evidence, and is open", async () => {
    const home = createHome();
    const clock = { nowMs: start };
    const rails = JSON.parse((await runCli(["global", "providers", "--sandbox", "--json"], { home, clock })).stdout).providers;
    const rail = rails.find(
      (one: { collectionFlow: string; live: boolean; capabilities: { collect: boolean } }) =>
        one.collectionFlow === "PUSH" && one.live && one.capabilities.collect,
    );
    const line = [...collect];
    line[3] = rail.rail;
    line[5] = String(rail.minAmount);
    line[7] = rail.currencies[0];
    const made = await runCli([...line.slice(0, 8), "--msisdn", rail.country === "KE" ? "0712345678" : "0772345678", "--sandbox", "--json"], { home, clock });
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const [attempt] = JSON.parse((await runCli(["journal", "list", "--json"], { home, clock })).stdout).attempts;
    for (const text of [attempt.id, attempt.idempotencyKey, attempt.transactionId]) {
      const { code, stdout } = await runCli(["tx", "explain", text, "--sandbox", "--json"], { home, clock });
      const story: Explained = JSON.parse(stdout);
      expect([code, story.verdict, story.command?.slice(0, 2)]).toEqual([0, "open", ["global", "wallet"]]);
      expect(story.transaction).toBeUndefined();
    }
  });

  const made = async (lines: readonly string[]) => {
    const home = createHome();
    const clock = { nowMs: start };
    for (const line of lines) expect((await runCli([...line.split(" "), "--sandbox", "--json"], { home, clock })).code).toBe(0);
    const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home, clock })).stdout);
    const explain = async (text: string): Promise<Explained> =>
      JSON.parse((await runCli(["tx", "explain", text, "--sandbox", "--json"], { home, clock })).stdout);
    return { clock, attempts: attempts.toReversed() as { readonly id: string; readonly amount: string }[], explain };
  };
  const ugandan = (amount: number) => `global collect --rail UG_MOMO --amount ${amount} --currency UGX --msisdn 0772345000`;
  const withdrawal = "global withdraw --rail KE_MPESA --channel MOBILE_MONEY --operator MPESA --msisdn 0712345000 --amount 250 --currency KES --yes";

  it("payments abroad have no reference, and are not taken for one another", async () => {
    const { attempts, explain } = await made([ugandan(5000), withdrawal, ugandan(7000)]);
    for (const { id, amount } of attempts) {
      const story = await explain(id);
      expect(story.attempts.map((attempt) => attempt.id)).toEqual([id]);
      expect(story.say).toContain(amount === "250" ? "Our payment of KES 250" : `Your payment of UGX ${amount.slice(0, 1)},000`);
    }
  });

  const collecting = (end: string) => ["global", "collect", "--rail", "UG_MOMO", "--amount", "5000", "--currency", "UGX", "--msisdn", `0772345${end}`];
  const withdrawing = (end: string) => [
    ...["global", "withdraw", "--rail", "KE_MPESA", "--channel", "MOBILE_MONEY", "--operator", "MPESA"],
    ...["--msisdn", `0712345${end}`, "--amount", "250", "--currency", "KES", "--yes"],
  ];
  const abroad = [...scenarios.values()].flatMap(({ name, digits, for: meantFor }) => [
    ...(meantFor === "payout" ? [] : [[`a collection that is ${name}`, name, collecting(digits)] as const]),
    ...(meantFor === "push" ? [] : [[`a withdrawal that is ${name}`, name, withdrawing(digits)] as const]),
  ]);

  it.each(abroad)("%s: open while its answer is news, then not known, as nobody can look it up", async (_, name, argv) => {
    const home = createHome();
    const clock = { nowMs: start };
    const ask = async (words: readonly string[]) => await runCli([...words, "--sandbox", "--json"], { home, clock });
    const paid = await ask([...argv, "--retries", "0", ...(name === "slow" ? ["--timeout", "0.5"] : [])]);
    const [attempt] = JSON.parse((await ask(["journal", "list"])).stdout).attempts;
    const tell = async (): Promise<Explained> => JSON.parse((await ask(["tx", "explain", attempt.id])).stdout);
    const story = await tell();
    expect([story.attempts.length, story.contradictions, story.unread]).toEqual([1, [], []]);
    expect(story.say).toMatch(argv.includes("collect") ? /^Your payment of UGX 5,000/ : /^Our payment of KES 250/);
    if (name === "rate-limited") {
      // Refused, so the very same payment can be made.
      expect([paid.code, story.verdict, (await ask([...(story.command ?? []), "--dry-run"])).code]).toEqual([6, "unpaid", 0]);
      expect(JSON.parse((await ask([...(story.command ?? []), "--dry-run"])).stdout).body).toEqual(JSON.parse((await ask([...argv, "--dry-run"])).stdout).body);
      return;
    }
    if (["drop-after-commit", "error-500-after-commit", "slow", "unavailable"].includes(name)) {
      expect([paid.code, story.verdict, story.command]).toEqual([9, "unknown", ["journal", "resume", attempt.id, "--sandbox"]]);
      const isSettled = name !== "unavailable" && name !== "slow";
      // With 503 for ever, or while the first request is still being answered, it cannot be settled.
      expect((await ask([...(story.command ?? []), "--yes", "--retries", "0"])).code).toBe(isSettled ? 0 : 9);
      expect((await tell()).verdict).toBe(isSettled ? "open" : "unknown");
      return;
    }
    expect([paid.code, story.verdict, story.command]).toEqual([0, "open", ["global", "wallet", "--sandbox"]]);
    clock.nowMs += 3_600_000;
    const later = await tell();
    expect([later.verdict, later.command]).toEqual(["unknown", ["global", "wallet", "--sandbox"]]);
    expect(later.say.includes("do not pay again")).toBe(argv.includes("collect"));
    // The wallet moved, or did not: that is shown beside it, as evidence.
    expect(later.timeline.some(({ source, event }) => source === "ledger" && event.includes("evidence"))).toBe(true);
  });
});

describe("tx explain, with a scripted service", () => {
  const paid = { id: "T1", reference: "INV-1", amount: 150, status: "COMPLETED", metadata: { mobileMoneyReceipt: "QK1ABC" } };
  const wallet = { success: true, wallet: { balance: 0 }, b2cStats: {}, transactions: [] };
  const serviceOf =
    (rows: readonly Record<string, unknown>[], change: (path: string) => { readonly status: number } | undefined = () => undefined): Service =>
    ({ path }) => {
      const fault = change(path);
      if (fault !== undefined) return { ...fault, body: { success: false, code: "X", message: "no" } };
      if (path.endsWith("/transactions")) return { body: { transactions: rows, total: rows.length } };
      if (path.endsWith("/wallet")) return { body: wallet };
      const row = rows.find(({ id }) => path.endsWith(`/${String(id)}`));
      return row === undefined ? { status: 404, body: { success: false, code: "NOT_FOUND", message: "none" } } : { body: row };
    };

  it("needs at most four requests, by id and by reference", async () => {
    for (const text of ["T1", "INV-1"]) {
      const { code, requests, stdout } = await runCli(["tx", "explain", text, "--json"], { service: serviceOf([paid]) });
      expect([code, JSON.parse(stdout).verdict]).toEqual([0, "paid"]);
      expect(requests.length).toBeLessThanOrEqual(4);
      expect(requests.every(({ method }) => method === "GET")).toBe(true);
    }
  });

  it("an unknown text exits 4, within four requests, and names tx sync", async () => {
    const { code, stdout, stderr, requests } = await runCli(["tx", "explain", "NOPE-9", "--json"], { service: serviceOf([paid]) });
    expect([code, stdout]).toEqual([4, ""]);
    expect(requests.length).toBeLessThanOrEqual(4);
    expect(JSON.parse(stderr).error).toMatchObject({ kind: "not-found", command: ["tx", "sync"] });
  });

  it("two payments of one reference are listed, exit 2", async () => {
    const { code, stdout } = await runCli(["tx", "explain", "INV-1", "--json"], { service: serviceOf([paid, { ...paid, id: "T2", status: "FAILED" }]) });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).transactions.map(({ id }: { id: string }) => id)).toEqual(["T1", "T2"]);
  });

  it.each([
    ["another payment with its reference", [paid, { ...paid, id: "T2" }], "T2"],
    ["that it has no receipt", [{ ...paid, metadata: {} }], "receipt"],
  ])("a paid one names %s", async (_, rows, says) => {
    const { story } = await explain("T1", { service: serviceOf(rows) });
    expect(story).toMatchObject({ verdict: "paid", contradictions: [expect.stringContaining(says)] });
  });

  it("paid before and FAILED now stays paid, as a contradiction", async () => {
    const home = createHome();
    await runCli(["tx", "sync"], { service: serviceOf([paid]), home });
    const { story } = await explain("INV-1", { service: serviceOf([{ ...paid, status: "FAILED" }]), home });
    expect([story.verdict, story.contradictions.length]).toEqual(["paid", 1]);
  });

  it("a wallet that may not be read is named, and the rest of the story is shown", async () => {
    const service = serviceOf([paid], (path) => (path.endsWith("/wallet") ? { status: 403 } : undefined));
    const { code, story } = await explain("T1", { service });
    expect([code, story.verdict, story.unread.map(({ source }) => source)]).toEqual([0, "paid", ["ledger"]]);
  });

  it("from the mirror alone, FAILED is not taken for the end", async () => {
    const home = createHome();
    await runCli(["tx", "sync"], { service: serviceOf([{ ...paid, status: "FAILED" }]), home });
    const service = serviceOf([], () => ({ status: 503 }));
    const { code, story } = await explain("INV-1", { service, home }, "--retries", "0");
    expect([code, story.verdict]).toEqual([0, "unknown"]);
    expect(story.unread.map(({ source }) => source)).toContain("service");
  });

  it("an attempt without any answer is unknown, and the customer is asked not to pay again", async () => {
    const home = createHome();
    const down = serviceOf([], () => ({ status: 503 }));
    const made = await runCli(["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-1", "--retries", "0", "--json"], { service: down, home });
    const { journalId } = JSON.parse(made.stderr).error;
    const { code, story } = await explain("INV-1", { service: serviceOf([]), home });
    expect([code, story.verdict, story.command]).toEqual([0, "unknown", ["journal", "resume", journalId]]);
    expect(story.say).toContain("do not pay again");
  });

  const refused = async (home: string): Promise<void> => {
    const broke: Service = () => ({ status: 402, body: { success: false, code: "PAYMENT_REQUIRED", message: "no credits" } });
    expect((await runCli(["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-1"], { service: broke, home })).code).toBe(5);
  };

  it("a refused attempt can be made again, unless another payment with its reference is paid or open", async () => {
    for (const [rows, command] of [
      [[], ["stk", "--phone", "254712345678", "--amount", "150", "--reference", "INV-1"]],
      [[{ ...paid, status: "FAILED" }], ["stk", "--phone", "254712345678", "--amount", "150", "--reference", "INV-1"]],
      [[paid], ["tx", "explain", "T1"]],
      [[{ ...paid, status: "SENT" }], ["tx", "explain", "T1"]],
    ] as const) {
      const home = createHome();
      await refused(home);
      const [attempt] = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout).attempts;
      const { story } = await explain(attempt.id, { service: serviceOf(rows), home });
      expect([story.verdict, story.command]).toEqual(["unpaid", command]);
    }
  });

  it("a failed payment beside a paid one of its reference is not to be paid again", async () => {
    const rows = [
      { ...paid, id: "T1", status: "FAILED" },
      { ...paid, id: "T2" },
    ];
    const home = createHome();
    const create: Service = () => ({ body: { transactionId: "T1", status: "SENT" } });
    expect((await runCli(["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-1"], { service: create, home })).code).toBe(0);
    const { story } = await explain("T1", { service: serviceOf(rows), home });
    expect([story.verdict, story.command]).toEqual(["unpaid", ["tx", "explain", "T2"]]);
    expect(story.say).toContain("Another one for INV-1 went through");
  });

  it("of two payments with one reference, each has its own attempts, and a charge of the other is no contradiction", async () => {
    const home = createHome();
    const clock = { nowMs: start };
    const made = async (end: string): Promise<string> => {
      const { stdout } = await runCli([...push(end), "--wait", "60", "--sandbox", "--json"], { home, clock });
      clock.nowMs += 700_000;
      return JSON.parse(stdout).id;
    };
    const explained = async (id: string): Promise<Explained> =>
      JSON.parse((await runCli(["tx", "explain", id, "--sandbox", "--json"], { home, clock })).stdout);
    const [failed, first, second] = [await made("012"), await made("000"), await made("001")];
    for (const [id, verdict] of [
      [failed, "unpaid"],
      [first, "paid"],
      [second, "paid"],
    ] as const) {
      const { timeline, ...story } = await explained(id);
      const ofJournal = timeline.filter(({ source }) => source === "journal").map(({ event }) => event);
      expect([story.verdict, ofJournal.filter((event) => /started/.test(event)).length]).toEqual([verdict, 1]);
      expect(ofJournal.at(-1)).toContain(id);
      const fees = timeline.filter(({ source }) => source === "ledger");
      expect(fees).toHaveLength(2);
      for (const { event } of fees) expect(event).toContain(id === first ? second : first);
      expect(story.contradictions.filter((sentence) => sentence.includes("charged"))).toEqual([]);
    }
  });

  it("a refused attempt is no end while the service cannot say what others paid", async () => {
    const home = createHome();
    await refused(home);
    const service = serviceOf([], () => ({ status: 503 }));
    const { story } = await explain("INV-1", { service, home }, "--retries", "0");
    expect([story.verdict, story.command, story.unread.map(({ source }) => source)]).toEqual(["unknown", undefined, ["service", "ledger"]]);
  });

  it("an unsettled attempt is part of the story of another transaction with its reference", async () => {
    const home = createHome();
    const down = serviceOf([], () => ({ status: 503 }));
    await runCli(["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-1", "--retries", "0"], { service: down, home });
    const { story } = await explain("T1", { service: serviceOf([{ ...paid, status: "FAILED" }]), home });
    expect([story.verdict, story.command?.slice(0, 2)]).toEqual(["unknown", ["journal", "resume"]]);
  });

  it("an end without payment is read twice, within four requests", async () => {
    let looks = 0;
    const service: Service = (request, count) => {
      const answer = serviceOf([{ ...paid, status: "FAILED" }])(request, count);
      if (!request.path.endsWith("/T1")) return answer;
      looks += 1;
      return looks === 1 ? answer : { body: paid };
    };
    const { stdout, requests } = await runCli(["tx", "explain", "T1", "--json"], { service });
    expect([JSON.parse(stdout).verdict, looks, requests.length]).toEqual(["paid", 2, 4]);
  });

  it("FAILED is no end if the list says that it is paid, or if the ledger may not be read and the service gives no reason", async () => {
    const failed = { ...paid, status: "FAILED", metadata: {} };
    const listed: Service = (request, count) => (request.path.endsWith("/T1") ? { body: failed } : serviceOf([paid])(request, count));
    const { story } = await explain("T1", { service: listed });
    expect([story.verdict, story.contradictions.length]).toEqual(["paid", 1]);
    for (const [metadata, verdict] of [
      [{}, "unknown"],
      [{ failureReason: "No funds" }, "unpaid"],
    ] as const) {
      const service = serviceOf([{ ...failed, metadata }], (path) => (path.endsWith("/wallet") ? { status: 403 } : undefined));
      expect(JSON.parse((await runCli(["tx", "explain", "T1", "--json"], { service })).stdout).verdict).toBe(verdict);
    }
  });

  it("a payment of which nobody knows the way is neither the customer's nor ours", async () => {
    const { stdout } = await runCli(["tx", "explain", "T1", "--json"], { service: serviceOf([paid]) });
    expect(JSON.parse(stdout).say).toMatch(/^The payment of KES 150/);
  });

  it("nothing known and no service: the service's own exit code", async () => {
    const { code, stdout } = await runCli(["tx", "explain", "INV-1", "--json", "--retries", "0"], { service: serviceOf([], () => ({ status: 503 })) });
    expect([code, stdout]).toEqual([10, ""]);
    expect((await runCli(["tx", "explain", "INV-1", "--json"], { service: serviceOf([], () => ({ status: 401 })) })).code).toBe(3);
  });

  it("shows the story to a person, without the service's control characters", async () => {
    const { code, stdout } = await runCli(["tx", "explain", "T1"], {
      service: serviceOf([{ ...paid, metadata: { mobileMoneyReceipt: "QK\u001b[2J1" } }]),
      terminal: true,
    });
    expect(code).toBe(0);
    for (const word of ["Paid", "Tell the customer", "QK", "service"]) expect(stdout).toContain(word);
    expect(stdout).not.toContain("\u001b[2J");
  });

  it("an empty text is a usage error", async () => {
    expect((await runCli(["tx", "explain", "", "--json"], { service: serviceOf([]) })).code).toBe(2);
  });
});

describe("tx explain, callbacks", () => {
  const callbackUrl = "https://shop.example/hook";
  const env = { PAYMENTS_WEBHOOK_SECRET: `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}` };

  it("a paid payment whose callback nobody saw is delivered by the next command, and then nothing is left to do", async () => {
    const argv = [...push("021"), "--callback-url", callbackUrl];
    const { story, home, clock } = await storyOf(argv);
    const id = story.transaction?.id ?? "";
    expect([story.verdict, story.command]).toEqual(["paid", ["webhook", "replay", id, "--to", callbackUrl, "--sandbox"]]);
    // Another program may have taken it: this machine does not know.
    expect(story.callback).toMatch(/saw none.*shop\.example\/hook may have received one.*next command sends it one more/);
    const replayed = await runCli([...(story.command ?? []), "--json"], { home, clock, env, post: async () => ({ status: 204, headers: {} }) });
    expect(replayed.code).toBe(0);
    const { story: after } = await explain(id, { home, clock }, "--sandbox");
    expect([after.command, after.callback]).toEqual([undefined, expect.stringContaining("itself sent one: COMPLETED posted, answered 204")]);
    expect(after.timeline.some(({ source, event }) => source === "callback" && event.includes("COMPLETED"))).toBe(true);
  });

  it("a reversal is delivered by the next command too", async () => {
    const { story } = await storyOf([...push("038"), "--callback-url", callbackUrl], { laterMs: 600_000 });
    expect([story.verdict, story.transaction?.status, story.command?.slice(0, 2)]).toEqual(["unpaid", "REVERSED", ["webhook", "replay"]]);
  });

  it("a callback that the listener received is part of the story", async () => {
    const { home, clock, story } = await storyOf(push("000"));
    const id = story.transaction?.id ?? "";
    const stop = new AbortController();
    const body = new TextEncoder().encode(JSON.stringify({ type: "payment.completed", id: "evt_1", data: { id, status: "COMPLETED" } }));
    const listening = await runCli(["webhook", "listen", "--sandbox", "--json"], {
      home,
      clock,
      signal: stop.signal,
      host: {
        listen: async ({ handle }) => {
          await handle({ method: "POST", target: "/", headers: {}, body });
          queueMicrotask(() => stop.abort());
          return { url: "http://127.0.0.1:4020", port: 4020, close: async () => undefined };
        },
      },
    });
    expect(listening.code).toBe(0);
    const { story: after } = await explain(id, { home, clock }, "--sandbox");
    expect(after.timeline.filter(({ source }) => source === "callback")).toHaveLength(1);
    expect([story.callback, after.callback]).toEqual(["None was asked for.", expect.stringContaining("COMPLETED received")]);
  });
});

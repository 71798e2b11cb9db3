import { describe, expect, it } from "vitest";
import { judgeCard, testCards } from "../../src/sandbox/checkout/cards.ts";
import { createCheckout } from "../../src/sandbox/checkout/checkout.ts";
import type { Transaction } from "../../src/sandbox/engine/entities.ts";
import { rails } from "../../src/sandbox/engine/rails.ts";

const callbackReturnUrl = "https://shop.example/thanks?order=7";
const collection: Transaction = {
  id: "GC-0001",
  flow: "collection",
  reference: "GC-0001",
  status: "PENDING",
  amount: 123_450,
  fee: 100,
  carrierFee: 0,
  currency: "KES",
  provider: "KE_CARD",
  providerRef: "",
  description: `Coffee <script>alert("1")</script>`,
  party: `a"'><img src=x>@example.com`,
  metadata: { flow: "REDIRECT", callbackReturnUrl },
  createdMs: 0,
  steps: [],
};

const open = (more: Partial<Transaction> = {}) => {
  const settled: string[] = [];
  let current: Transaction = { ...collection, ...more };
  const checkout = createCheckout({
    findCheckout: async (reference, token) => (reference === current.id && token === "t0ken" ? current : undefined),
    settleCollection: async (_, action) => {
      if (current.status !== "PENDING") throw new Error("settled already");
      settled.push(action);
      current = { ...current, status: action === "confirm" ? "COMPLETED" : "FAILED" };
      return current;
    },
  });
  const path = `/checkout/${current.id}?token=t0ken`;
  const headers = { host: "127.0.0.1:4010" };
  return {
    settled,
    get: (at = path) => checkout({ method: "GET", path: at, headers, body: "" }),
    post: (form: Readonly<Record<string, string>>) => checkout({ method: "POST", path, headers, body: new URLSearchParams(form).toString() }),
  };
};

describe("the hosted checkout", () => {
  it("shows the amount and escapes what the merchant and the payer wrote", async () => {
    const page = await open().get();
    expect(page?.status).toBe(200);
    expect(page?.body).toContain("1,234.50");
    expect(page?.body).toContain("Coffee &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(page?.body).not.toMatch(/<script|<img src=x/);
    expect(page?.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it.each(["//", "///", "//:99999/", "/\\", "//host/checkout/GC-0001?token=t0ken", "/checkout/", "/checkout/GC-0001/x"])("%j is no checkout", async (path) => {
    expect(await open().get(path)).toBeUndefined();
  });

  for (const card of testCards)
    it(`card ${card.number} ${card.says}, then the payer is sent back`, async () => {
      const checkout = open();
      const answer = await checkout.post({ method: "card", card: card.number });
      expect(answer?.status).toBe(303);
      const status = card.outcome === "approve" ? "COMPLETED" : "FAILED";
      expect(answer?.headers["location"]).toBe(`https://shop.example/thanks?order=7&reference=GC-0001&status=${status}`);
      expect(checkout.settled).toEqual([card.outcome === "approve" ? "confirm" : "fail"]);
      // A second try in another tab settles nothing twice.
      const again = await checkout.post({ method: "card", card: card.number });
      expect(again?.status).toBe(200);
      expect(again?.body).toContain(status === "COMPLETED" ? "Payment approved" : "Payment declined");
      expect(checkout.settled).toHaveLength(1);
    });

  it("pays or declines by bank", async () => {
    const approving = open();
    await approving.post({ method: "bank", bank: "approve" });
    expect(approving.settled).toEqual(["confirm"]);
    const declining = open();
    await declining.post({ method: "bank", bank: "decline" });
    expect(declining.settled).toEqual(["fail"]);
  });

  it("declines or waits where a scenario says so, whatever the card", async () => {
    const declining = open({ scenario: "no-funds" });
    expect((await declining.post({ method: "card", card: "4242424242424242" }))?.headers["location"]).toContain("status=FAILED");
    expect(declining.settled).toEqual(["fail"]);
    const waiting = open({ scenario: "stuck" });
    expect((await waiting.post({ method: "bank", bank: "approve" }))?.headers["location"]).toContain("status=PENDING");
    expect(waiting.settled).toEqual([]);
  });

  it("shows an amount with its currency's decimals", async () => {
    expect((await open({ amount: 1_250_000 }).get())?.body).toContain("12,500.00<");
    expect((await open({ amount: 500_000, currency: "UGX" }).get())?.body).toContain("5,000<");
  });

  it("goes back without settling when the payer leaves", async () => {
    const checkout = open();
    const answer = await checkout.post({ method: "abandon" });
    expect(answer?.headers["location"]).toContain("status=ABANDONED");
    expect(checkout.settled).toEqual([]);
    expect((await checkout.get())?.body).toContain("Pay by card");
  });

  it("refuses real cards, no card and other forms, and keeps nothing of what was typed", async () => {
    const checkout = open();
    for (const form of [{ method: "card", card: "4111 1111 1111 1111" }, { method: "card", card: "1234" }, { method: "bank" }, {}, { method: "card" }]) {
      const answer = await checkout.post(form);
      expect(answer?.status).toBe(422);
      expect(answer?.body).toContain('role="alert"');
      expect(answer?.body).not.toContain("4111");
    }
    expect(checkout.settled).toEqual([]);
  });

  it("sends nobody to anything but http and https", async () => {
    for (const callbackReturnUrl of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "nonsense"]) {
      const answer = await open({ metadata: { flow: "REDIRECT", callbackReturnUrl } }).post({ method: "bank", bank: "approve" });
      expect(answer?.status, callbackReturnUrl).toBe(200);
      expect(answer?.headers["location"]).toBeUndefined();
      expect(answer?.body).not.toContain('href="javascript');
    }
  });

  it("knows its own links only", async () => {
    const checkout = open();
    expect((await checkout.get("/checkout/GC-0001?token=wrong"))?.status).toBe(404);
    expect((await checkout.get("/checkout/GC-0001"))?.status).toBe(404);
    expect((await checkout.get("/checkout/GC-9999?token=t0ken"))?.status).toBe(404);
    for (const path of ["/checkout", "/checkout/", "/checkout/a/b", "/checkout/..%2f..", "/"]) expect(await checkout.get(path), path).toBeUndefined();
  });

  it("offers the methods that the rail has", async () => {
    for (const { rail, capabilities } of rails.filter((one) => one.collectionFlow === "REDIRECT")) {
      const page = (await open({ provider: rail }).get())?.body ?? "";
      expect([rail, page.includes("Pay by card"), page.includes("Pay from")]).toEqual([
        rail,
        capabilities.categories.includes("CARD"),
        capabilities.categories.includes("BANK"),
      ]);
    }
    expect((await open({ status: "EXPIRED" }).get())?.body).toContain("expired");
  });
});

describe("judgeCard", () => {
  const rows: readonly [string, string][] = [
    ["4242424242424242", "approve"],
    [" 4242-4242 4242-4242 ", "approve"],
    ["4000000000000002", "decline"],
    ["4111111111111111", "not-a-test-card"],
    ["4242424242424241", "not-a-card"],
    ["", "not-a-card"],
    ["４２４２４２４２４２４２４２４２", "not-a-card"],
  ];
  for (const [typed, verdict] of rows) it(`"${typed}" is ${verdict}`, () => expect(judgeCard(typed)).toBe(verdict));
});

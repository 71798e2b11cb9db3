import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/library.ts";
import { createHome } from "../support/cli.ts";
import { runBinary } from "../support/process.ts";
import { findingsOf, hasChromium, openChromium, openPage } from "./chromium.ts";

const views = ["overview", "phone", "transactions", "deliveries", "global", "rails", "controls", "requests"];

describe.skipIf(!hasChromium)("the dashboard in a browser", () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let receiver: Server;
  let callbackUrl: string;
  let received: string[];

  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
  });
  beforeEach(async () => {
    received = [];
    receiver = createServer((request, response) => {
      request.on("data", (chunk) => received.push(String(chunk)));
      request.on("end", () => response.writeHead(200).end("ok"));
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callbacks`;
    sandbox = await createSandbox({ seed: 7 });
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await sandbox.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });

  const post = async (path: string, body: unknown): Promise<{ readonly status: number; readonly body: { readonly [key: string]: unknown } }> => {
    const answer = await fetch(`${sandbox.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as { readonly [key: string]: unknown } };
  };
  const push = (more: object = {}) =>
    post("/api/v1/merchants/payments/stk-push", { phone: "254712345000", amount: 1500, reference: "INV-77", callbackUrl, ...more });

  it("rings, takes the PIN, shows fee, receipt and callback, and resends it", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await page.goto(`${sandbox.url}/`);
    await page.locator("#live[data-state=live]").waitFor();
    expect((await push()).status).toBe(200);
    await page.getByRole("link", { name: /rings.*INV-77/ }).click();
    await page.getByLabel("Enter PIN").fill("12");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Enter the 4 digits of the PIN.").waitFor();
    for (const digit of ["3", "4"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Send", exact: true }).press("Enter");
    await page.getByText(/Confirmed. KES 1,500.00 paid for INV-77/).waitFor();
    await page.getByRole("link", { name: "Open the transaction" }).click();
    await page.getByText("Paid", { exact: true }).first().waitFor();
    const details = await page.locator(".facts").first().textContent();
    expect(details).toMatch(/Receipt[A-Z0-9]{10}/);
    expect(details).toMatch(/Service feeKES [1-9]/);
    await page.getByText("Delivered").waitFor();
    const before = received.length;
    expect(received.join()).toContain("payment.completed");
    await page
      .getByRole("button", { name: /^Resend/ })
      .first()
      .click();
    await page.getByText("Sent again.").waitFor();
    await expect.poll(() => received.length).toBeGreaterThan(before);
    expect(troubles).toEqual([]);
  });

  it("rings for a prompt that the command line sent, and --wait ends 0", async () => {
    const { page } = await openPage(browser, sandbox.url);
    await page.goto(`${sandbox.url}/#/phone`);
    await page.locator("#live[data-state=live]").waitFor();
    const words = ["stk", "--phone", "0712345678", "--amount", "250", "--reference", "FROM-CLI", "--wait", "60", "--json"];
    const env = { PAYMENTS_API_KEY: sandbox.apiKey, PAYMENTS_BASE_URL: sandbox.url };
    const running = runBinary(words, { home: createHome(), env });
    await page.getByText("Account FROM-CLI").waitFor({ timeout: 20_000 });
    await page.getByLabel("Enter PIN").fill("2580");
    await page.keyboard.press("Enter");
    const { code, stdout } = await running;
    expect(JSON.parse(stdout)).toMatchObject({ reference: "FROM-CLI", status: "COMPLETED" });
    expect(code).toBe(0);
  });

  it("declines, and takes 0000 for a wrong PIN", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await page.goto(`${sandbox.url}/#/phone`);
    await page.locator("#live[data-state=live]").waitFor();
    await push({ reference: "WRONG" });
    await page.getByLabel("Enter PIN").fill("0000");
    await page.keyboard.press("Enter");
    await page.getByText("The PIN was wrong.").waitFor();
    await push({ reference: "NO" });
    await page.getByText("Account NO").waitFor();
    await page.getByRole("button", { name: "Decline", exact: true }).click();
    await page.getByText("The prompt was declined.").waitFor();
    await page.goto(`${sandbox.url}/#/transactions`);
    await page.getByRole("row", { name: /WRONG Failed/ }).waitFor();
    await page.getByRole("row", { name: /NO Cancelled/ }).waitFor();
    expect(troubles).toEqual([]);
  });

  it("lifts a 402 by adding credits", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    const wallet = (await (
      await fetch(`${sandbox.url}/api/v1/merchants/payments/wallet`, { headers: { authorization: `Bearer ${sandbox.apiKey}` } })
    ).json()) as {
      readonly wallet: { readonly balance: number };
    };
    await sandbox.topup("balance", -wallet.wallet.balance - 40);
    expect((await push()).status).toBe(402);
    await page.goto(`${sandbox.url}/`);
    await page.getByText("Negative: new payments are refused").waitFor();
    await page.getByRole("button", { name: "Add credits" }).click();
    await page.getByLabel("Amount (KES)").fill("500");
    await page.getByRole("dialog").getByRole("button", { name: "Add credits" }).click();
    await page.getByText("KES460.00", { exact: true }).waitFor();
    expect((await push()).status).toBe(200);
    expect(troubles).toEqual([]);
  });

  it("pays a collection at the hosted checkout and sends the payer back", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    const back = `${sandbox.url}/?order=9`;
    const made = await post("/api/v1/global/collections", {
      rail: "KE_CARD",
      customerEmail: "a@example.com",
      amount: 1250,
      currency: "KES",
      callbackReturnUrl: back,
    });
    await page.goto(String(made.body["authorizationUrl"]));
    expect(await findingsOf(page)).toEqual([]);
    await page.getByLabel("Card number").fill("4111111111111111");
    await page.getByRole("button", { name: "Pay by card" }).click();
    await page.getByText(/Only test numbers work here/).waitFor();
    await page.getByLabel("Card number").fill("4242 4242 4242 4242");
    await page.getByRole("button", { name: "Pay by card" }).click();
    await page.waitForURL(/order=9&reference=GC-.*&status=COMPLETED/);
    await page.goto(`${sandbox.url}/#/global`);
    await page.getByRole("row", { name: /GC-.* Paid/ }).waitFor();
    expect(troubles).toEqual([]);
  });

  it("shows hostile text as text", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    const hostile = `<img src=x onerror=alert(1)>"'\u202e`;
    await push({ reference: hostile, description: "</script><script>alert(2)</script>" });
    await page.goto(`${sandbox.url}/#/phone`);
    await page.locator("#live[data-state=live]").waitFor();
    await page.getByText("<img src=x").first().waitFor();
    for (const view of views) {
      await page.goto(`${sandbox.url}/#/${view}`);
      await page.locator("h1").waitFor();
      expect(await page.locator("main img, main script").count()).toBe(0);
    }
    expect(troubles).toEqual([]);
  });

  it("has nothing for axe to find, in light and dark, and nothing cut off on a small screen", async () => {
    await push({ reference: "PAID", phone: "254712345011" });
    const { page, troubles } = await openPage(browser, sandbox.url, { colorScheme: "light" });
    // Names and roles are the same in every look: colours are what the dark one can break.
    const check = async (view: string): Promise<void> => {
      expect(await findingsOf(page), `${view}, light`).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await findingsOf(page, ["color-contrast"]), `${view}, dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await findingsOf(page, ["color-contrast", "scrollable-region-focusable"]), `${view}, small`).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), `${view}, small`).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1280, height: 900 });
    };
    await page.goto(`${sandbox.url}/`);
    await page.locator("#live[data-state=live]").waitFor();
    await push();
    await post("/api/v1/merchants/payments/b2c", { phone: "254712345000", amount: 100, reference: "OUT", callbackUrl });
    await post("/api/v1/global/collections", { rail: "UG_MOMO", msisdn: "0772345000", amount: 5000, currency: "UGX" });
    for (const view of views) {
      await page.goto(`${sandbox.url}/#/${view}`);
      await page.locator(`.view-${view} .card`).first().waitFor();
      await page.locator('main[aria-busy="false"]').waitFor();
      await check(view);
    }
    await page.goto(`${sandbox.url}/#/transactions`);
    await page.locator("td a").first().click();
    await page.locator(".timeline").waitFor();
    await check("one transaction");
    expect(troubles).toEqual([]);
  });
});

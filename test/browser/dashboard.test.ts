import { readFileSync } from "node:fs";
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
    receiver = createServer((request, response) => {
      request.on("data", (chunk) => received.push(String(chunk)));
      request.on("end", () => response.writeHead(200).end("ok"));
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callbacks`;
    [browser, sandbox] = await Promise.all([openChromium(), createSandbox({ seed: 7 })]);
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
    receiver?.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });
  beforeEach(async () => {
    received = [];
    await sandbox.reset();
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
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

  it("rings for a prompt that the command line sent; the PIN pays it, --wait ends 0, fee, receipt and callback are shown, and it is resent", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await page.goto(`${sandbox.url}/`);
    await page.locator("#live[data-state=live]").waitFor();
    // The command to copy pays this sandbox, wherever it keeps its data, and does not show the key.
    const command = await page.locator(".copyable", { hasText: "First payment" }).locator("code").textContent();
    expect(command).toMatch(/^PAYMENTS_API_KEY=sk_s….{4} payments-cli stk --base-url /);
    expect(command).toContain(sandbox.url);
    const words = ["stk", "--phone", "0712345678", "--amount", "1500", "--reference", "INV-77", "--callback-url", callbackUrl, "--wait", "60", "--json"];
    const env = { PAYMENTS_API_KEY: sandbox.apiKey, PAYMENTS_BASE_URL: sandbox.url };
    const running = runBinary(words, { home: createHome(), env });
    await page.getByRole("link", { name: /^Answer .*INV-77/ }).click({ timeout: 20_000 });
    await page.getByLabel("Enter PIN").fill("12");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Enter the 4 digits of the PIN.").waitFor();
    for (const digit of ["3", "4"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Send", exact: true }).press("Enter");
    await page.getByText(/Paid, receipt [A-Z0-9]{10}. KES 1,500.00 for INV-77/).waitFor();
    await page.getByRole("link", { name: "Open the transaction" }).click();
    await page.getByText("Completed", { exact: true }).first().waitFor();
    const details = await page.locator(".facts").first().textContent();
    expect(details).toMatch(/Receipt[A-Z0-9]{10}/);
    expect(details).toMatch(/Service feeKES [1-9]/);
    await page.getByText("Delivered").waitFor();
    expect(received.join()).toContain("payment.completed");
    const before = received.length;
    await page.goto(`${sandbox.url}/#/deliveries`);
    await page.getByRole("link", { name: /INV-77/ }).waitFor();
    await page.getByRole("button", { name: /^Resend/ }).click();
    await page.getByText("Sent again.").waitFor();
    await expect.poll(() => received.length).toBeGreaterThan(before);
    const { code, stdout } = await running;
    expect(JSON.parse(stdout)).toMatchObject({ reference: "INV-77", status: "COMPLETED" });
    expect(code).toBe(0);
    expect(troubles).toEqual([]);
  });

  it("declines, takes 0000 for a wrong PIN, and rings for a PUSH collection", async () => {
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
    await post("/api/v1/global/collections", { rail: "UG_MOMO", msisdn: "0772345678", amount: 5000, currency: "UGX", description: "Coffee" });
    await page.getByRole("link", { name: /^Answer 0772345678: UGX 5,000/ }).click();
    await page.getByLabel("Enter PIN").fill("2580");
    // Another that rings meanwhile takes neither the PIN nor the keyboard.
    await push({ reference: "LATER" });
    await page.getByRole("button", { name: "Pick up LATER" }).waitFor();
    expect(await page.getByLabel("Enter PIN").inputValue()).toBe("2580");
    expect(await page.evaluate("document.activeElement.id")).toBe("pin");
    await page.getByRole("button", { name: "Decline LATER" }).click();
    await page.getByRole("button", { name: "Pick up LATER" }).waitFor({ state: "detached" });
    await page.getByLabel("Enter PIN").press("Enter");
    await page.getByText(/Paid. UGX 5,000/).waitFor();
    await page.getByRole("link", { name: "Open the collection" }).click();
    await page.locator(".facts").getByText("UG_MOMO").waitFor();
    await page.getByText("Completed", { exact: true }).first().waitFor();
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

  it("pays at the hosted checkout by card or bank, declines and abandons, and sends the payer back", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    const open = async (rail: string, currency: string): Promise<void> => {
      const back = `${sandbox.url}/?order=9`;
      const made = await post("/api/v1/global/collections", { rail, customerEmail: "a@example.com", amount: 1250, currency, callbackReturnUrl: back });
      await page.goto(String(made.body["authorizationUrl"]));
    };
    const cameBack = (status: string): Promise<void> => page.waitForURL(new RegExp(`order=9&reference=GC-.*&status=${status}`));
    const byCard = async (number: string): Promise<void> => {
      await page.getByLabel("Card number").fill(number);
      await page.getByRole("button", { name: "Pay by card" }).click();
    };
    await open("KE_CARD", "KES");
    expect(await findingsOf(page)).toEqual([]);
    await byCard("4111111111111111");
    await page.getByText(/Only test numbers work here/).waitFor();
    await byCard("4242 4242 4242 4242");
    await cameBack("COMPLETED");
    await open("KE_CARD", "KES");
    await byCard("4000 0000 0000 0002");
    await cameBack("FAILED");
    await open("NG_CHECKOUT", "NGN");
    await page.getByLabel("Test bank that approves").check();
    await page.getByRole("button", { name: "Pay from the bank" }).click();
    await cameBack("COMPLETED");
    await open("KE_CARD", "KES");
    await page.getByRole("button", { name: "Cancel and go back" }).click();
    await cameBack("ABANDONED");
    await page.goto(`${sandbox.url}/#/global`);
    for (const row of [/GC-.* Pending KES/, /GC-.* Completed NGN/, /GC-.* Failed KES/, /GC-.* Completed KES/])
      await page.getByRole("row", { name: row }).waitFor();
    expect(troubles).toEqual([]);
  });

  it("arms a scenario, lets a fault stand until it is removed, and downloads a statement with chosen defects", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await sandbox.setAutoApprove(0);
    for (const n of [1, 2]) await push({ reference: `INV-${n}`, callbackUrl: undefined });
    await sandbox.advance(5_000);
    await page.goto(`${sandbox.url}/#/controls`);
    await page.getByLabel("Scenario", { exact: true }).selectOption("no-funds");
    await page.getByRole("button", { name: "Arm", exact: true }).click();
    await page.getByRole("button", { name: "Disarm no-funds, number 1" }).waitFor();
    const armed = await push({ reference: "ARMED", callbackUrl: undefined });
    await sandbox.advance(5_000);
    expect(await sandbox.control("GET", `transactions/${String(armed.body["transactionId"])}`)).toMatchObject({ status: "FAILED", scenario: "no-funds" });
    await page.getByText("No scenario is armed.").waitFor();

    await page.getByLabel("What goes wrong").selectOption("503");
    await page.getByLabel("How often").selectOption("");
    await page.getByRole("button", { name: "Add fault" }).click();
    await page.getByText("every time, until removed").waitFor();
    expect([(await push()).status, (await push()).status, (await push()).status]).toEqual([503, 503, 503]);
    await page.getByRole("button", { name: "Remove fault 1" }).click();
    await page.getByText("No active faults.").waitFor();
    expect((await push()).status).toBe(200);

    for (const name of ["A row is missing", "A wrong amount", "A failed attempt before a paid one", "A reversal that the service does not know"])
      await page.getByLabel(name).uncheck();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download with defects" }).click()]);
    expect(file.suggestedFilename()).toBe("statement-with-defects.csv");
    expect(readFileSync(await file.path(), "utf8").match(/Acc\. INV-1,/g)).toHaveLength(2);
    await page.getByRole("row", { name: /A row stands twice INV-1/ }).waitFor();
    await page.getByLabel("wallet:read").check();
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByRole("button", { name: "Copy new key" }).waitFor();
    expect(troubles).toEqual([]);
  });

  it("takes the keyboard into each dialog, keeps it there, and gives it back to what opened it", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    const dialog = page.getByRole("dialog");
    const hasKeyboard = (): Promise<unknown> => page.evaluate("document.querySelector('dialog').contains(document.activeElement)");
    const opened = { "Send prompt": "overview", "Add credits": "overview", Withdraw: "global", "Start afresh": "controls" };
    for (const [name, view] of Object.entries(opened)) {
      await page.goto(`${sandbox.url}/#/${view}`);
      await page.getByRole("button", { name, exact: true }).press("Enter");
      await dialog.waitFor();
      await expect.poll(hasKeyboard, { message: name }).toBe(true);
      if (name === "Withdraw") expect(await findingsOf(page, { part: "dialog" })).toEqual([]);
      if (name === "Add credits") {
        // Beyond the last field is the browser's own bar, and then the first again: never what lies beneath.
        for (let n = 0; n < 6; n += 1) {
          await page.keyboard.press("Tab");
          expect((await hasKeyboard()) || (await page.evaluate("document.activeElement === document.body"))).toBe(true);
        }
        // What opened it is built anew meanwhile.
        await sandbox.topup("balance", 7);
        await page.getByText("KES1,000,007.00").waitFor();
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await page.locator(":focus").textContent()).toBe(name);
    }
    expect(troubles).toEqual([]);
  });

  it("asks for the key under a name that is not this machine's own", async () => {
    const origin = sandbox.url.replace("127.0.0.1", "shop.localhost");
    const { page, troubles } = await openPage(browser, origin);
    await page.goto(origin);
    await page.getByLabel("API key").fill("sk_sandbox_wrong");
    await page.keyboard.press("Enter");
    await page.getByText("That is not this sandbox's key.").waitFor();
    await page.getByLabel("API key").fill(sandbox.apiKey);
    await page.keyboard.press("Enter");
    await page.locator("#live[data-state=live]").waitFor();
    expect(troubles).toEqual([]);
  });

  it("shows hostile text as text", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    const hostile = `<img src=x onerror=alert(1)>"'\u202e`;
    await push({ reference: hostile, description: "</script><script>alert(2)</script>" });
    const charged = { rail: "KE_CARD", customerEmail: "a@example.com", amount: 50, currency: "KES", description: hostile };
    expect((await post("/api/v1/global/collections", { ...charged, callbackReturnUrl: "javascript:alert(3)" })).status).toBe(400);
    const collection = await post("/api/v1/global/collections", charged);
    await post("/api/v1/global/collections", { rail: "UG_MOMO", msisdn: "0772345678", amount: 5000, currency: "UGX", description: hostile });
    await page.goto(`${sandbox.url}/#/phone`);
    await page.locator("#live[data-state=live]").waitFor();
    await page.getByText("<img src=x").first().waitFor();
    for (const view of views) {
      await page.goto(`${sandbox.url}/#/${view}`);
      await page.locator("h1").waitFor();
      expect(await page.locator("main img, main script").count()).toBe(0);
    }
    await page.goto(`${sandbox.url}/#/transactions/%E0%A4%A<img src=x onerror=alert(5)>`);
    await page.getByText("No such transaction").waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    await page.goto(String(collection.body["authorizationUrl"]));
    await page.getByText("<img src=x").waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it("has nothing for axe to find, in light and dark, and nothing cut off on a small screen", async () => {
    await push({ reference: "PAID", phone: "254712345011" });
    const long = await push({ reference: `ORDER-2026-11-28-${"0".repeat(60)}`, callbackUrl: `${callbackUrl}/${"long".repeat(20)}` });
    await sandbox.answerPrompt(String(long.body["transactionId"]), "approve");
    const { page, troubles } = await openPage(browser, sandbox.url, { colorScheme: "light" });
    // Names and roles are the same in every look: colours are what the dark one can break.
    const check = async (view: string): Promise<void> => {
      // The frame around is the same on every view, and looked at with the first.
      const where = view === views[0] ? {} : { part: "main" };
      expect(await findingsOf(page, where), `${view}, light`).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await findingsOf(page, { ...where, rules: ["color-contrast"] }), `${view}, dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), `${view}, ${width}`).toBeLessThanOrEqual(0);
      }
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
      // What is folded away is looked at too.
      await page.evaluate("document.querySelector('main details')?.setAttribute('open', '')");
      await check(view);
    }
    await page.goto(`${sandbox.url}/#/transactions`);
    await page.getByRole("link", { name: /^ORDER-/ }).click();
    await page.getByText("payment.completed").first().waitFor();
    await check("one transaction");
    expect(troubles).toEqual([]);
  });
});

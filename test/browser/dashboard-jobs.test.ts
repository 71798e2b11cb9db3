import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/library.ts";
import { hasChromium, openChromium, openPage } from "./chromium.ts";

describe.skipIf(!hasChromium)("jobs at the dashboard", () => {
  let browser: Browser;
  let sandbox: Sandbox;
  beforeAll(async () => {
    [browser, sandbox] = await Promise.all([openChromium(), createSandbox({ seed: 7 })]);
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });
  beforeEach(() => sandbox.reset());
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  const post = async (path: string, body: unknown): Promise<void> => {
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    const answer = await fetch(`${sandbox.url}/api/v1/merchants/payments/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
  };
  const push = (reference: string) => post("stk-push", { phone: "254712345000", amount: 1500, reference, callbackUrl: "http://127.0.0.1:9/hook" });
  const payOut = (reference: string) => post("b2c", { phone: "254722000001", amount: 500, reference });

  it("sends a prompt to a phone as it is written, finds it by that phone, and opens it by a click on its row", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await page.goto(`${sandbox.url}/#/transactions`);
    await page.getByRole("button", { name: "Send prompt" }).click();
    await page.getByLabel("Phone", { exact: true }).fill("0712 345 000");
    await page.getByLabel("Reference", { exact: true }).fill("INV-5");
    await page.getByRole("dialog").getByRole("button", { name: "Send prompt" }).click();
    await page.getByLabel("Enter PIN").fill("1234");
    await page.keyboard.press("Enter");
    await page.getByText(/^Paid, receipt [A-Z0-9]{10}\. KES 1,500\.00 for INV-5\.$/).waitFor();
    await payOut("PAY-1");
    await page.goto(`${sandbox.url}/#/transactions`);
    await page.getByRole("row", { name: /PAY-1/ }).waitFor();
    await page.getByLabel("Reference, phone, receipt or id").fill("0712 345");
    await page.getByRole("row", { name: /PAY-1/ }).waitFor({ state: "detached" });
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines[0]).toBe("id,createdAt,kind,reference,phone,amount,status,receipt");
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^TX\w+,[^,]+,Prompt,INV-5,254712345000,1500,COMPLETED,[A-Z0-9]{10}$/)]);
    await page.getByRole("row", { name: /INV-5/ }).getByRole("cell", { name: "Prompt" }).click();
    await page.getByText("Completed, paid").waitFor();
    await page.getByLabel("Reference, phone, receipt or id").waitFor({ state: "detached" });
    expect(troubles).toEqual([]);
  });

  it("says that it holds a prompt, in a message that covers nothing and can be closed", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await page.goto(`${sandbox.url}/`);
    await page.locator("#live", { hasText: "Connected" }).waitFor();
    await push("INV-1");
    await page.getByText("The prompt waits until you answer it here.").waitFor();
    const { heldByDashboard } = (await sandbox.control("GET", "prompts")) as { readonly heldByDashboard: boolean };
    expect(heldByDashboard).toBe(true);
    const box = await page.locator("#ringing").boundingBox();
    const main = await page.locator("#main").boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(main?.y ?? 0);
    await page.getByRole("button", { name: "Close this message" }).click();
    await page.locator("#ringing").waitFor({ state: "hidden" });
    await push("INV-2");
    await page.getByText(/for INV-2\./).waitFor();
    expect(troubles).toEqual([]);
  });

  it("takes a phone of another country as it is written, and the phone says why a prompt ended by itself", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await sandbox.setAutoApprove(60_000);
    await page.goto(`${sandbox.url}/#/global`);
    await page.getByRole("button", { name: "Collect", exact: true }).click();
    await page.getByLabel("Rail").selectOption("UG_MOMO");
    await page.getByLabel("Payer's phone").fill("+256 772 345-011");
    await page.getByRole("dialog").getByRole("button", { name: "Collect" }).click();
    await page.getByText(/^GC-\w+ waits for the payer\.$/).waitFor();
    await page.getByRole("link", { name: /^Answer 256772345011: UGX 1,000/ }).click();
    await page.getByLabel("Enter PIN").waitFor();
    await sandbox.advance(60_000);
    await page.getByText(/^Not paid: UGX 1,000 for GC-\w+\. The balance is insufficient for the transaction\.$/).waitFor();
    expect(troubles).toEqual([]);
  });

  it("tells money in from money out, shows the webhook secret, and finds a callback by its reference", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url);
    await sandbox.setAutoApprove(0);
    await push("INV-1");
    await push("INV-2");
    await payOut("PAY-1");
    await sandbox.advance(10_000);
    await page.goto(`${sandbox.url}/`);
    await page.getByRole("img", { name: "Money in by status: Completed 2" }).waitFor();
    await page.getByRole("img", { name: "Money out by status: Completed 1" }).waitFor();
    await page.getByRole("button", { name: "Copy webhook secret" }).waitFor();
    await page.goto(`${sandbox.url}/#/deliveries`);
    await page.getByRole("link", { name: /INV-1/ }).waitFor();
    await page.getByLabel("Reference, event or URL").fill("inv-2");
    await page.getByRole("link", { name: /INV-1/ }).waitFor({ state: "detached" });
    await page.getByText("Body", { exact: true }).first().click();
    await page.locator("pre", { hasText: "payment.completed" }).first().waitFor();
    await page.getByLabel("Reference, event or URL").fill("nothing like it");
    await page.getByText("No matches.").waitFor();
    expect(troubles).toEqual([]);
  });

  it("copies a request as curl, and sets the clock back to now", async () => {
    const { page, troubles } = await openPage(browser, sandbox.url, { permissions: ["clipboard-read", "clipboard-write"] });
    await push("IT'S-1");
    await page.goto(`${sandbox.url}/#/requests`);
    await page.getByText("/api/v1/merchants/payments/stk-push").first().click();
    await page.getByRole("button", { name: "Copy as curl: POST /api/v1/merchants/payments/stk-push" }).click();
    await page.getByText("Command copied.").waitFor();
    const command = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(command).toContain(`curl -X POST '${sandbox.url}/api/v1/merchants/payments/stk-push' -H 'Authorization: Bearer ${sandbox.apiKey}'`);
    expect(command).toContain(`"reference":"IT'\\''S-1"`);
    await page.goto(`${sandbox.url}/#/controls`);
    await page.getByRole("button", { name: "+ 1 day" }).click();
    await expect.poll(() => sandbox.now()).toBeGreaterThan(Date.now() + 86_000_000);
    await page.getByRole("button", { name: "Back to now" }).click();
    await expect.poll(() => sandbox.now()).toBeLessThan(Date.now() + 60_000);
    expect(troubles).toEqual([]);
  });
});

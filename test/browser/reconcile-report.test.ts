import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHome, runCli } from "../support/cli.ts";
import { type Held, serviceOf } from "../support/transactions-service.ts";
import { findingsOf, hasChromium, openChromium } from "./chromium.ts";

/** What is told in one or two words and takes more than one line: the column is too narrow. */
const brokenWords = async (page: Page): Promise<unknown> =>
  await page.evaluate(`[...document.querySelectorAll("#rows td:first-child")].filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell.lastChild);
    return range.getClientRects().length > 1;
  }).map((cell) => cell.textContent)`);

const folder = fileURLToPath(new URL("../cases/reconcile/mini/", import.meta.url));

describe.skipIf(!hasChromium)("the reconciliation page in a browser", () => {
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    browser = await openChromium();
    const held: Held[] = JSON.parse(readFileSync(join(folder, "transactions.json"), "utf8")).map(
      ({ x, ...row }: { x: { flow: "standard" | "b2c" }; id: string }) => ({ ...row, flow: x.flow }),
    );
    const report = join(createHome(), "day.html");
    await runCli(["tx", "reconcile", join(folder, "orders.csv"), "--report", report], { service: serviceOf(held) });
    url = pathToFileURL(report).href;
  });
  afterAll(async () => {
    await browser?.close();
  });

  it("shows figures, chart and rows, filters them, and has nothing for axe to find", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 1100, height: 900 } });
      const page = await context.newPage();
      const troubles: string[] = [];
      page.on("pageerror", (error) => troubles.push(String(error)));
      page.on("request", (request) => request.url() !== url && troubles.push(request.url()));
      await page.goto(url);
      expect(await page.locator(".verdict").textContent()).toBe("6 differences");
      expect(await page.locator("svg rect").count()).toBe(4);
      expect(await page.locator(".totals tbody tr").count()).toBe(5);
      expect(await page.locator("#rows tbody tr:visible").count()).toBe(6);
      expect(await brokenWords(page)).toEqual([]);
      await page.getByLabel("Show").selectOption("missed_callback");
      expect(await page.locator("#rows tbody tr:visible").count()).toBe(1);
      expect(await page.locator("#shown").textContent()).toBe("1 of 6");
      await page.getByLabel("Show").selectOption("");
      const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
      const lines = readFileSync(await saved.path(), "utf8")
        .trimEnd()
        .split("\r\n");
      expect(lines[0]).toBe("\ufeffside,category,reference,receipt,phone,amount,date,line,id,reason");
      expect(lines).toHaveLength(1 + (await page.locator("#rows td:is(:nth-child(3), :nth-child(4)) > .record").count()));
      await page.getByLabel("Containing").fill("inv-1005");
      expect(await page.locator("#rows tbody tr:visible").count()).toBe(1);
      expect(await findingsOf(page)).toEqual([]);
      expect(troubles).toEqual([]);
      await context.close();
    }
  });

  it("is readable on a phone and on paper", async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    const page = await context.newPage();
    await page.goto(url);
    expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
    // Without its heading a cell is told by what stands before it.
    expect(await page.evaluate("getComputedStyle(document.querySelector('#rows td:nth-child(4)'), '::before').content")).toBe('"There"');
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".filter").isVisible()).toBe(false);
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(5000);
    await context.close();
  });
});

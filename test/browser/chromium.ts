import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** These tests need Debian's chromium: `apt-get install chromium`. */
export const hasChromium = existsSync(executablePath);
export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath, args });

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with what is shown, one line a finding; with `rules` alone and within `part` alone, where given. */
export const findingsOf = async (
  page: Page,
  { rules, part }: { readonly rules?: readonly string[]; readonly part?: string } = {},
): Promise<readonly string[]> => {
  // Half a megabyte: sent and parsed once a page, not once a look.
  if (await page.evaluate("window.axe === undefined")) await page.evaluate(`(() => { ${axe} })()`);
  const options = { resultTypes: ["violations"], preload: false, ...(rules === undefined ? {} : { runOnly: { type: "rule", values: rules } }) };
  return (await page.evaluate(
    `axe.run(${part === undefined ? "document" : JSON.stringify(part)}, ${JSON.stringify(options)}).then((found) => found.violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ": " + node.target)))`,
  )) as readonly string[];
};

/** A page that notes every error and every request that leaves its own origin. */
export const openPage = async (
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly troubles: string[] }> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(8_000);
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) troubles.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url())) troubles.push(`outside: ${request.url()}`);
  });
  return { page, troubles };
};

// Makes docs/pictures from real runs of the built program on a throw-away sandbox. Needs `npm run build`, and chromium for the dashboard.
import { spawn as start } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { chromium } from "playwright-core";
import { pictureOf, screenOf } from "./screen.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const binary = join(root, "bin", "payments-cli.js");
const pictures = join(root, "docs", "pictures");
const home = mkdtempSync(join(tmpdir(), "payments-cli-pictures-"));
const env = { PATH: process.env.PATH ?? "", PAYMENTS_HOME: home, TERM: "xterm-256color", TZ: "Africa/Nairobi" };
const columns = 104;
const clearLine = "\u001b[2K";

/** What one command writes to a terminal, with the line that a person typed. */
const onTerminal = (args, cols = columns) =>
  new Promise((resolve) => {
    const typed = `\u001b[2m$\u001b[22m payments-cli ${args.join(" ")}\r\n`;
    let text = typed;
    const terminal = spawn(process.execPath, [binary, ...args], { cols, rows: 60, cwd: home, env });
    terminal.onData((data) => {
      text += data;
    });
    terminal.onExit(({ exitCode }) => resolve({ text, exitCode }));
  });

const picture = async (name, says, args, { seesWait = false } = {}) => {
  const { text, exitCode } = await onTerminal(args);
  if (exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${exitCode}:\n${text}`);
  const screens = [screenOf(text, columns)];
  // The screen as it was while the program waited: up to where its status line was wiped the second time.
  const [first, second] = [...text.matchAll(/\u001b\[2K/g)].map(({ index }) => index);
  if (seesWait && first !== undefined) screens.unshift(screenOf(text.slice(0, second ?? first + clearLine.length), columns));
  const svg = pictureOf(screens, columns, says);
  if (svg.length > 30_000) throw new Error(`${name}.svg has ${svg.length} bytes, more than 30,000.`);
  writeFileSync(join(pictures, `${name}.svg`), svg);
};

const pay = (command, phone, amount, reference, ...more) =>
  onTerminal([command, "--phone", phone, "--amount", amount, "--reference", reference, "--yes", "--sandbox", ...more]);

const dashboard = async () => {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error("The dashboard's picture needs chromium: apt-get install chromium");
  const sandbox = start(process.execPath, [binary, "sandbox", "--port", "0", "--json"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const line = await new Promise((resolve) => sandbox.stdout.once("data", resolve));
    const { dashboardUrl } = JSON.parse(String(line));
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: "light" });
    await page.goto(dashboardUrl);
    await page.getByText("Latest payments").waitFor();
    await page.evaluate(() => document.fonts.ready);
    const image = await page.screenshot({ animations: "disabled" });
    if (image.length > 150_000) throw new Error(`dashboard.png has ${image.length} bytes, more than 150,000.`);
    writeFileSync(join(pictures, "dashboard.png"), image);
  } finally {
    await browser.close();
    // It writes in the folder that goes until its very end.
    const ended = once(sandbox, "exit");
    sandbox.kill("SIGINT");
    await ended;
  }
};

try {
  mkdirSync(pictures, { recursive: true });
  const wait = ["stk", "--phone", "0712345678", "--amount", "1500", "--reference", "INV-1001", "--wait", "--sandbox"];
  await picture("stk-wait", "stk --wait tells what is waited for, then what was paid and its receipt", wait, { seesWait: true });
  await onTerminal(["api", "POST", "/_sandbox/topup", "--sandbox", "-f", "wallet=balance", "-F", "amount:=500000"]);
  await pay("stk", "0712345002", "2400", "INV-1002", "--wait");
  await pay("stk", "0722000011", "980", "INV-1003", "--wait");
  await pay("b2c", "0712345001", "500", "REFUND-77", "--wait");
  await pay("stk", "0722000036", "3200", "INV-1004");
  await onTerminal(["tx", "sync", "--sandbox"]);
  await picture("tx-list", "tx list: direction, phone, time and receipt of each payment", ["tx", "list", "--flow", "all", "--sandbox"]);
  const orders = [
    "reference,amount,status",
    "INV-1001,1500,paid",
    "INV-1002,2400,pending",
    "INV-1003,980,failed",
    "INV-1004,3200,pending",
    "INV-1005,750,paid",
  ];
  writeFileSync(join(home, "orders.csv"), `${orders.join("\n")}\n`);
  await picture("tx-reconcile", "tx reconcile: what differs between orders and the service, and what to do", ["tx", "reconcile", "orders.csv", "--sandbox"]);
  await dashboard();
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

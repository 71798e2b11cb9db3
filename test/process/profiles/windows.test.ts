import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { json, runBinary, startService } from "../../support/process.ts";

const folder = mkdtempSync(join(tmpdir(), "payments-cli-windows-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** What Windows has not: modes, links without a right of their own, the sync of a folder. */
const pretence = `
const fs = require("node:fs");
// The SQLite of this machine stands in for the one of Windows.
const extensions = require("node:module")._extensions;
const loadNative = extensions[".node"];
const own = process.platform + "-" + process.arch + (process.platform === "linux" ? "-glibc" : "");
extensions[".node"] = (module, file) => loadNative(module, file.replace(/win32-\\w+/, own));
Object.defineProperty(process, "platform", { value: "win32" });
const { posix, win32 } = require("node:path");
Object.assign(win32, { join: posix.join, resolve: posix.resolve, isAbsolute: posix.isAbsolute });
const refuse = (name) => () => { throw Object.assign(new Error(name + " on Windows"), { code: "EPERM" }); };
for (const name of ["symlink", "symlinkSync", "fchmod", "fchmodSync", "fchown", "fchownSync", "lchown", "lchownSync"]) fs[name] = refuse(name);
const isFolder = (path) => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
for (const [of, name] of [[fs, "openSync"], [fs.promises, "open"]]) {
  const open = of[name];
  of[name] = (path, ...rest) => (isFolder(path) ? refuse("opening a folder")() : open.call(of, path, ...rest));
}
`;

test("keys, journal, batch, report and doctor work where the platform is Windows", async () => {
  const preload = join(folder, "windows.cjs");
  writeFileSync(preload, pretence);
  const payouts: unknown[] = [];
  const service = await startService(({ method, body }, response) => {
    if (method === "POST") payouts.push(JSON.parse(body));
    json(response, 200, { success: true, transactionId: `T${payouts.length}`, status: "QUEUED", providers: [], transactions: [], wallet: {}, total: 0 });
  });
  const home = join(folder, "Wanjirũ's home");
  const run = async (args: readonly string[], stdin = "") =>
    await runBinary(args, { home, stdin, env: { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, TEMP: folder } });
  const done = async (args: readonly string[], stdin?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(args, stdin);
    expect([code, stderr], args.join(" ")).toEqual([0, expect.not.stringContaining("EPERM")]);
    return stdout;
  };
  await done(["login", "--base-url", service.url, "--with-key", "--name", "shop"], "\ufeffkey_0123456789\r\n");
  expect(JSON.parse(await done(["whoami", "--json"]))).toMatchObject({ profile: "shop", storage: "file" });
  await done(["profile", "set", "shop", "--with-webhook-secret"], "first secret\r\nsecond secret\r\n");
  await done(["stk", "--phone", "0712345678", "--amount", "10", "--reference", "W-1"]);
  const file = join(folder, "payouts.csv");
  writeFileSync(file, "\ufeffphone,amount,reference\r\n0712345001,100,PAY-1\r\n0722000002,250,PAY-2\r\n");
  await done(["b2c", "batch", file, "--yes"]);
  expect(payouts).toMatchObject([{ reference: "W-1" }, { reference: "PAY-1" }, { reference: "PAY-2" }]);
  expect(readFileSync(`${file}.result.csv`, "utf8")).toContain("accepted");
  const report = join(folder, "report.html");
  await done(["tx", "reconcile", file, "--report", report]);
  expect(readFileSync(report, "utf8")).toContain("PAY-2");
  expect(JSON.parse(await done(["journal", "list", "--json"])).attempts).toHaveLength(3);
  const { checks } = JSON.parse(await done(["doctor", "--json"])) as { checks: { name: string; ok: boolean }[] };
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  await done(["profile", "remove", "shop"]);
  expect(readdirSync(join(home, "config")).filter((name) => name.includes(".tmp"))).toEqual([]);
});

import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../../src/storage/make-folder.ts";
import { createHome, runCli } from "../../support/cli.ts";

const stk = ["stk", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--json"];

test.runIf(existsSync("/proc/self"))("a folder that nobody can make ends the command instead of hanging it", { timeout: 5_000 }, async () => {
  const { code, requests, stdout, stderr } = await runCli(stk, { home: "/proc/nowhere", service: () => ({ body: { transactionId: "t1" } }) });
  expect({ code, requests: requests.length, stdout }).toEqual({ code: 2, requests: 0, stdout: "" });
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "usage", sent: "no" } });
});

test.runIf(existsSync("/proc/self"))("a journal that was never there and can't be made is an empty one", { timeout: 5_000 }, async () => {
  const { code, stdout } = await runCli(["journal", "list", "--json"], { home: "/proc/nowhere", service: () => ({}) });
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, attempts: [] });
});

test("a sandbox whose data can be kept nowhere is told in words", async () => {
  const home = createHome();
  writeFileSync(join(home, "file"), "");
  const { code, stdout, stderr } = await runCli(["tx", "list", "--sandbox", "--json"], { home: join(home, "file") });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "usage", sent: "no", hint: expect.stringContaining("PAYMENTS_HOME") } });
});

test("folders are made with those above them, for their owner alone", () => {
  const home = createHome();
  makeFolder(join(home, "a", "b", "c"));
  makeFolder(join(home, "a", "b", "c"));
  expect(["a", "a/b", "a/b/c"].map((path) => statSync(join(home, path)).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
});

test("a file, or a link that leads nowhere, in its place is told", () => {
  const home = createHome();
  writeFileSync(join(home, "file"), "");
  symlinkSync(join(home, "gone"), join(home, "link"));
  for (const path of ["file", "file/below", "link", "link/below"]) expect(() => makeFolder(join(home, path))).toThrow();
  makeFolder(home);
});

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quoteForShell } from "../../src/shell.ts";
import { folder, toWindows } from "../support/windows.ts";

test("cmd reads what a hint quotes", () => {
  const texts = ["my shop", "it's", "a&b|c<d>e^f", "(a)", "C:\\my files\\", "C:\\x\\y.csv", "a,b", "--x=1", "x=y z", "!x", ""];
  const [script, line, seen] = ["words.js", "words.bat", "words.json"].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(script, `require("fs").writeFileSync(${JSON.stringify(toWindows(seen))}, JSON.stringify(process.argv.slice(2)))`);
  const words = [toWindows(process.env["PAYMENTS_WINDOWS_NODE"] ?? ""), toWindows(script), ...texts];
  writeFileSync(line, `@echo off\r\n${words.map((word) => quoteForShell(word, "windows")).join(" ")}\r\n`);
  spawnSync("wine", ["cmd", "/c", toWindows(line)], { stdio: "ignore" });
  expect(JSON.parse(readFileSync(seen, "utf8"))).toEqual(texts);
});

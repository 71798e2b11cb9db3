import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { quoteForShell } from "../../../src/shell.ts";

const printable = [
  ...["my shop", "it's", '"', "$HOME", "\u0024{x}", "$(id)", "`id`", "a;b", "&&", "|", "*", "?", "~", "~/x", "\\", "a\\\\b", "end\\", "\\'", "!x", "=x", ""],
  ...["#", "山", "-o", "--x=1", "[x]", "{a,b}", "<x>", "(a)", "^x", "%self", "100%", "@x", "a,b", "x=y z", "Juma’s “shop”", "🫖", "1 2  3", "\\n", "'"],
];
const controls = ["a\tb", "a\nb", "\u001b[31m", "a'\u0007\\"];
const shells = [
  ["bash", ["-c"], [...printable, ...controls]],
  ["zsh", ["-fc"], [...printable, ...controls]],
  ["dash", ["-c"], printable],
  ["fish", ["--no-config", "-c"], printable],
] as const;

/** What is on this machine; CI installs all of them. */
const present = shells.filter(([shell, flags]) => spawnSync(shell, [...flags, "exit 0"]).status === 0);

it("bash is there", () => expect(present.map(([shell]) => shell)).toContain("bash"));

it.each(present)("%s reads what a hint quotes", (shell, flags, texts) => {
  const line = texts.map((text) => quoteForShell(text)).join(" ");
  const { stdout, stderr } = spawnSync(shell, [...flags, `printf '%s\\0' ${line}`], { encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8" } });
  expect([stderr, stdout.split("\0").slice(0, -1)]).toEqual(["", texts]);
});

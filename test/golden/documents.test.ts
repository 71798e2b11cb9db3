import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readCommandLine } from "../../src/cli/command-line.ts";
import { helpTopics } from "../../src/cli/help-topics.ts";
import { registry } from "../../src/cli/registry.ts";
import { toInput } from "../../src/command-input.ts";
import { createHome, runCli } from "../support/cli.ts";

const pages = ["README.md", "docs/assistants.md", "docs/layouts.md", "docs/safety.md", "docs/sandbox.md", "docs/scripts.md", "docs/support.md", "docs/team.md"];

/** Commands of the code blocks, and those in backticks within a sentence: `payments-cli …` up to a pipe, comment or redirection. */
const commandsOf = (page: string): readonly string[] => {
  const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), "utf8");
  // Every other part between fences is code.
  const parts = text.split(/^```.*$/m);
  const blocks = parts.filter((_, index) => index % 2 === 1).flatMap((block) => block.split("\n"));
  const prose = parts.filter((_, index) => index % 2 === 0).join("\n");
  const inline = [...prose.matchAll(/`(payments-cli [^`\n]+)`/g)].map(([, code = ""]) => code);
  return [...blocks, ...inline].flatMap((line) => /payments-cli (?:[^#|<>;…`]|\S#)+/.exec(line)?.[0].trim() ?? []);
};
const wordsOf = (line: string): readonly string[] => [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");

const all = pages.flatMap((page) => commandsOf(page).map((line) => [page, line] as const));

test("the pages show commands", () => {
  for (const page of pages) expect(all.filter(([of]) => of === page).length, page).toBeGreaterThan(1);
});

test.each(all)("%s: %s", (_, line) => {
  const words = wordsOf(line).slice(1);
  if (words[0] === "help") {
    if (words[1] !== undefined) expect(Object.keys(helpTopics)).toContain(words[1]);
    return;
  }
  if (words.includes("--help")) return;
  const { entry, fault, path, ...typed } = readCommandLine(registry, words);
  // "webhook", "profile" and the like name a group in a sentence.
  if (entry === undefined) expect(path).toEqual(words);
  else expect([fault, toInput(entry.spec, typed)]).toMatchObject([undefined, {}]);
});

test("README.md: the five things that people do most, then what support staff does, work in this order on the sandbox", async () => {
  const home = createHome();
  const page = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
  const blocks = [...page.matchAll(/^## (?:The five things|Support staff)[^#]*?^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  expect(blocks).toHaveLength(2);
  const inHome = (word: string): string => (/\.(csv|html)$/.test(word) ? join(home, word) : word);
  let run = 0;
  for (const line of blocks.join("\n").split("\n")) {
    const [, content, file] = /^printf '(.*)' > (\S+)$/.exec(line) ?? [];
    if (content !== undefined && file !== undefined) writeFileSync(inHome(file), content.replaceAll("\\n", "\n"));
    if (!line.startsWith("payments-cli ")) continue;
    const { code, stderr } = await runCli(
      wordsOf(line.replace(/ +#.*$/, ""))
        .slice(1)
        .map(inHome),
      { home },
    );
    expect([line, code, stderr.includes("error:")]).toEqual([line, 0, false]);
    run += 1;
  }
  expect(run).toBeGreaterThan(11);
});

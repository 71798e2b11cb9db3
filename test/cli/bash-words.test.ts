import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forBash, readLine } from "../../src/cli/bash-words.ts";

const insert = (line: string, cur: string, values: readonly string[]): readonly string[] => {
  const read = readLine(line);
  if (read === undefined) return [];
  return forBash(
    values.map((value) => ({ value, summary: "" })),
    read.current,
    cur,
  );
};

describe("a line as bash reads it", () => {
  it.each([
    ["payments-cli tx ", ["payments-cli", "tx"], ""],
    ["payments-cli  tx\tli", ["payments-cli", "tx"], "li"],
    [`x 'a b' "c d" e\\ f g`, ["x", "a b", "c d", "e f"], "g"],
    [`x "a\\"b\\$c\\n" `, ["x", 'a"b$c\\n'], ""],
    ["x --profile='my s", ["x"], "--profile=my s"],
    ["x '' ", ["x", ""], ""],
  ])("%j", (line, words, text) => {
    const read = readLine(line);
    expect([read?.words, read?.current.text]).toEqual([words, text]);
  });

  it.each(["x $(touch y) ", "x `y` z", "x | y", 'x "$HOME" ', "x 'closed'", "x > "])("%j is for bash alone to tell", (line) => {
    expect(readLine(line)).toBeUndefined();
  });
});

describe("what bash inserts", () => {
  it.each([
    ["x my", "my", ["my shop"], ["my\\ shop"]],
    ["x 'my", "'my", ["my shop", "my's"], ["my shop"]],
    ['x "my', '"my', ["my $x", "my!", 'my"', "my`"], ["my \\$x", "my\\`"]],
    ["x --profile=my", "my", ["--profile=my shop"], ["my\\ shop"]],
    ["x --profile=", "=", ["--profile=my shop"], ["my\\ shop"]],
    ["x --profile='my", "'my", ["--profile=my shop"], ["my shop"]],
    ["x a:b", "b", ["a:b:c"], ["b:c"]],
    ["x a:", ":", ["a:b"], ["b"]],
    ["x other", "other", ["my shop"], []],
  ])("%j", (line, cur, values, inserted) => {
    expect(insert(line, cur, values)).toEqual(inserted);
  });

  it.skipIf(spawnSync("bash", ["--version"]).error !== undefined)("is one word, and that very text, for every text and quote", () => {
    const texts = fc.sample(fc.string({ unit: fc.constantFrom(...`ab1 $\`"'\\!;|&<>(){}[]*?~#=:%^,-é日`), minLength: 1, maxLength: 12 }), {
      numRuns: 400,
      seed: 1,
    });
    for (const quote of ["", "'", '"']) {
      const inserted = texts.flatMap((text) => insert(`x ${quote}`, quote, [text]).map((entry) => ({ text, word: `${quote}${entry}${quote}` })));
      const script = `set +H; printf '%s\\0' ${inserted.map(({ word }) => word).join(" ")}`;
      const { stdout } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
      expect(stdout.split("\0").slice(0, -1)).toEqual(inserted.map(({ text }) => text));
      expect(inserted.length).toBeGreaterThan(100);
    }
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let folder: string;
let script: string;

beforeAll(async () => {
  folder = await mkdtemp(join(root, "node_modules", ".prompts-"));
  script = join(folder, "asker.mjs");
  const build = await rolldown({ input: fileURLToPath(new URL("./asker.ts", import.meta.url)), platform: "node", logLevel: "silent" });
  await build.write({ file: script, format: "esm", codeSplitting: false });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Step = { readonly see: RegExp; readonly type: string };

/** Runs the asker in a pty; each step waits for what it sees before it types. */
const talk = (
  args: readonly string[],
  steps: readonly Step[],
  size: { cols: number; rows: number } = { cols: 80, rows: 24 },
): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    // A build service has CI set, and would take the colours away that are looked for here.
    const { NODE_OPTIONS: _, CI: __, ...env } = process.env;
    const terminal = spawn(process.execPath, [script, ...args], { ...size, cwd: root, env: { ...env, TERM: "xterm" } });
    let text = "";
    let since = 0;
    const left = [...steps];
    terminal.onData((data) => {
      text += data;
      const next = left[0];
      if (next === undefined || !next.see.test(text.slice(since))) return;
      left.shift();
      since = text.length;
      terminal.write(next.type);
    });
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, text }));
  });

const shownCursor = (text: string): boolean => text.lastIndexOf("\u001b[?25h") >= text.lastIndexOf("\u001b[?25l");

describe("drawn questions", () => {
  it("explains a wrong answer in place and takes the next", async () => {
    const { code, text } = await talk(
      ["text"],
      [
        { see: /Amount/, type: "99\r" },
        { see: /not from 10 to 20/, type: "\b\b15\r" },
      ],
    );
    expect(text).toContain('answer="15"');
    expect(code).toBe(0);
  });
  it("takes what is offered", async () => {
    expect((await talk(["offered"], [{ see: /REF-1/, type: "\r" }])).text).toContain('answer="REF-1"');
  });
  it("never shows a secret", async () => {
    const { text } = await talk(["secret"], [{ see: /API key/, type: "k-123\u0014\r" }]);
    expect(text.replace(/answer=.*/, "")).not.toContain("k-123");
    expect(text).toContain('answer="k-123');
  });
  it("forgets a wrong secret, so that the right one can be pasted, and breaks what is wrong at words", async () => {
    const steps = [
      { see: /API key/, type: "no key\r" },
      { see: /line ends?/, type: "k-123\r" },
    ];
    const { code, text } = await talk(["secret"], steps, { cols: 40, rows: 24 });
    expect([code, text]).toEqual([0, expect.stringContaining('answer="k-123"')]);
    expect(text).toMatch(/> That is no key. Paste the whole key\S*\r\n\S* {2}again, without spaces or line ends/);
    expect(text.replace(/answer=.*/, "")).not.toMatch(/no key\r|k-1/);
  });
  it("cleans text of others and keeps to no colour", async () => {
    const { text } = await talk(["confirm"], [{ see: /it\?/, type: "y\r" }]);
    expect(text).toContain("answer=true");
    expect(text).not.toMatch(/\u001b\]0;owned|\u001b\[3\dm/);
    expect((await talk(["confirm", "colour"], [{ see: /it\?/, type: "n\r" }])).text).toMatch(/\u001b\[3\dm/);
  });
  it.each([
    { cols: 80, rows: 24 },
    { cols: 40, rows: 10 },
  ])("finds one of many by typing ($cols columns)", async (size) => {
    const { text } = await talk(
      ["many"],
      [
        { see: /RAIL_0/, type: "uganda" },
        { see: /RAIL_17/, type: "\r" },
      ],
      size,
    );
    expect(text).toContain('answer={"id":17}');
  });
  it("picks one of few with the arrows", async () => {
    expect((await talk(["few"], [{ see: /RAIL_2/, type: "\u001b[B\r" }])).text).toContain('answer={"id":1}');
  });
  it.each([
    ["Ctrl-C", "text", "\u0003"],
    ["Ctrl-D", "text", "\u0004"],
    ["Ctrl-C", "few", "\u0003"],
    ["Ctrl-D", "many", "\u0004"],
    ["Ctrl-C", "secret", "ab\u0003"],
  ])("%s at %s ends as interrupted with the cursor back", async (_, which, key) => {
    const { code, text } = await talk([which], [{ see: /Amount|RAIL_0|API key/, type: key }]);
    expect(text).toContain("kind=interrupted");
    expect(code).toBe(130);
    expect(shownCursor(text)).toBe(true);
  });
  it("asks one after the other", async () => {
    expect(
      (
        await talk(
          ["two"],
          [
            { see: /First/, type: "a\r" },
            { see: /Second/, type: "b\r" },
          ],
        )
      ).text,
    ).toContain('answer=["a","b"]');
  });
});

describe("plain lines", () => {
  it.each([
    [
      "text",
      [
        { see: /Amount.*: /, type: "9\r" },
        { see: /not from[\s\S]*: /, type: "15\r" },
      ],
      'answer="15"',
    ],
    ["offered", [{ see: /REF-1/, type: "\r" }], 'answer="REF-1"'],
    ["secret", [{ see: /API key/, type: "k-1x\u007f23\r" }], 'answer="k-123"'],
    [
      "confirm",
      [
        { see: /y\/N/, type: "what\r" },
        { see: /answer y or n[\s\S]*: /, type: "yes\r" },
      ],
      "answer=true",
    ],
    [
      "many",
      [
        { see: /Number/, type: "99\r" },
        { see: /from 1 to 30[\s\S]*: /, type: "18\r" },
      ],
      'answer={"id":17}',
    ],
    [
      "two",
      [
        { see: /First/, type: "a\r" },
        { see: /Second/, type: "b\r" },
      ],
      'answer=["a","b"]',
    ],
    ["text", [{ see: /Amount/, type: "\u0003" }], "kind=interrupted"],
    ["text", [{ see: /Amount/, type: "\u0004" }], "kind=interrupted"],
    ["secret", [{ see: /API key/, type: "\u0003" }], "kind=interrupted"],
  ] as const)("%s without one escape: %j → %s", async (which, steps, expected) => {
    const { text } = await talk([which, "plain"], steps);
    expect(text).toContain(expected);
    expect(text).not.toContain("\u001b");
    if (which === "secret") expect(text.replace(/answer=.*/, "")).not.toContain("k-1");
  });
});

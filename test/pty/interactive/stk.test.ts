import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { json, startService } from "../../support/process.ts";
import { hasCursor, readable, type Step, talk } from "./terminal.ts";

const answered = { transactionId: "T1", status: "SENT", message: "sent", pricingQuote: { amount: 150, fee: 3, total: 153 } };
const start = () => startService((_, response) => json(response, 200, answered));
const asked: readonly Step[] = [
  { see: /phone/, type: "07x\r" },
  { see: /has a character/, type: "\u00150712345678\r" },
  { see: /Amount/, type: "0\r" },
  { see: /positive/, type: "\b150\r" },
  { see: /eference/, type: "INV-7\r" },
];
const creations = (service: Awaited<ReturnType<typeof start>>) => service.seen.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));

describe("stk on a terminal", () => {
  it.each([40, 200])("asks for what is missing and explains what is wrong in place, at %i columns", async (cols) => {
    const service = await start();
    const shown = await talk(["stk"], asked, { url: service.url, cols });
    expect([shown.code, creations(service)]).toEqual([0, [{ phone: "254712345678", amount: 150, reference: "INV-7" }]]);
    expect(readable(shown.text)).toContain("T1");
    expect(readable(shown.text)).toMatch(/Run again with:\s+payments-cli stk --phone 0712345678 --amount 150 --reference INV-7\n/);
    // Each answer stays to be read while the next is asked for.
    expect(readable(shown.text)).toMatch(/✔.* 0712345678\n[\s\S]*✔.*\s150\n[\s\S]*✔.*\sINV-7\n/);
    expect(hasCursor(shown)).toBe(true);
  });

  it("goes on asking after the window was made narrow", async () => {
    const service = await start();
    const [first, ...others] = asked;
    const resized = first === undefined ? [] : [{ ...first, resize: 40 }, ...others];
    const { code } = await talk(["stk"], resized, { url: service.url, cols: 120 });
    expect([code, creations(service).length]).toEqual([0, 1]);
  });

  it.each([["Ctrl-C", "\u0003"]])("%s ends it with nothing sent, the cursor back and no stack", async (_, key) => {
    const service = await start();
    const shown = await talk(
      ["stk"],
      [
        { see: /phone/, type: "0712345678\r" },
        { see: /Amount/, type: key },
      ],
      { url: service.url },
    );
    expect([shown.code, creations(service)]).toEqual([130, []]);
    expect(readable(shown.text)).toMatch(/nothing was sent/i);
    expect(shown.text).not.toMatch(/ {4}at /);
    expect(hasCursor(shown)).toBe(true);
  });

  it("asks nothing under --no-input, and names every missing flag", async () => {
    const service = await start();
    const { code, text } = await talk(["stk", "--no-input"], [], { url: service.url });
    expect([code, service.seen]).toEqual([2, []]);
    expect(text).toContain("--phone, --amount, --reference");
  });

  it.each([[{ TERM: "dumb" }], [{ ACCESSIBLE: "1", NO_COLOR: "1" }]])("asks in plain lines with %j", async (env) => {
    const service = await start();
    const plain = asked.map((step) => ({ ...step, ...(step.type === undefined ? {} : { type: step.type.replace(/^[\u0015\b]/, "") }) }));
    const { code, text } = await talk(["stk"], plain, { url: service.url, env });
    expect([code, creations(service).length]).toEqual([0, 1]);
    expect(text).not.toContain("\u001b");
  });
});

describe("stk --wait on a terminal", () => {
  const waited = ["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-7", "--wait"];

  it("tells what is waited for on one line, which is gone at the end", async () => {
    const { code, text } = await talk(waited, []);
    expect(code).toBe(0);
    expect(text).toMatch(/\r\u001b\[2Kwaiting for the customer's PIN/);
    const kept = readable(text);
    expect(kept).not.toContain("waiting for");
    expect(kept).toMatch(/Status +COMPLETED, paid/);
    expect(kept).toMatch(/Completed +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT\+3\n/);
  });

  it.each([
    [[], { TERM: "dumb" }],
    [["--no-input"], { NO_COLOR: "1" }],
  ])("draws nothing with %j and %j", async (flags, env) => {
    const { url } = await startService(({ method }, response) => json(response, 200, method === "POST" ? answered : { id: "T1", status: "COMPLETED" }));
    const { code, text } = await talk([...waited, ...flags], [], { env, url });
    expect(code).toBe(0);
    expect(text).not.toContain("\u001b");
  });
});

describe("tables on a terminal", () => {
  const transactions = [
    { id: "T1", reference: "山田太郎", amount: 1234567.5, status: "COMPLETED" },
    { id: "T2", reference: "🎉 INV", amount: 5, status: "FAILED" },
    { id: "T3", reference: "INV-3", amount: 80, status: "SENT" },
  ];
  const list = () => startService((_, response) => json(response, 200, { success: true, transactions, total: 3, limit: 50, offset: 0 }));
  const rowsOf = (text: string): readonly string[] =>
    readable(text)
      .split("\n")
      .filter((line) => /^T\d/.test(line));

  it("ends money in one column whatever is before it, and tells a status by word and colour", async () => {
    const { url } = await list();
    const { code, text } = await talk(["tx", "list"], [], { url });
    expect(code).toBe(0);
    const rows = rowsOf(text);
    expect(rows.map((row) => /KES [\d,.]+/.exec(row)?.[0])).toEqual(["KES 1,234,567.50", "KES 5.00", "KES 80.00"]);
    const ends = rows.map((row) => stringWidth(row.slice(0, row.search(/ {2}[A-Z]+\s*$/))));
    expect(new Set(ends).size).toBe(1);
    expect(text).toMatch(/\u001b\[32mCOMPLETED[\s\S]*\u001b\[31mFAILED[\s\S]*\u001b\[33mSENT/);
  });

  it("has no colour under NO_COLOR, the words stay", async () => {
    const { url } = await list();
    const { text } = await talk(["tx", "list"], [], { url, env: { NO_COLOR: "1" } });
    expect(text).not.toMatch(/\u001b\[\d*m/);
    expect(rowsOf(text).map((row) => row.trim().split(/\s+/).at(-1))).toEqual(["COMPLETED", "FAILED", "SENT"]);
  });
});

describe("texts at 40 columns", () => {
  it.each([
    [["stk", "--help"], 0],
    [["--help"], 0],
    [["wallet"], 3],
    [["stk", "--phone", "0712345001", "--amount", "1.5", "--reference", "A", "--sandbox"], 2],
    [["stk", "--phone", "0712345036", "--amount", "10", "--reference", "A", "--sandbox"], 0],
    [["doctor", "--sandbox"], 0],
  ])("%j breaks lines at words", async (args, exit) => {
    const env = { PAYMENTS_API_KEY: "", PAYMENTS_BASE_URL: "" };
    // node-pty reads no longer than 200 ms after the end, which a busy machine may need for a long text: the shell outlives the program.
    const [narrow, wide] = await Promise.all([40, 400].map((cols) => talk(args, [], { url: "", cols, env, inShell: true })));
    expect(narrow?.code).toBe(exit);
    const lines = readable(narrow?.text ?? "").split("\n");
    // What is longer than the screen is a command to paste, or one word.
    for (const line of lines.filter(({ length }) => length > 40)) expect(line.trim()).toMatch(/^(?:\$ )?payments-cli |^\S+$|^idempotency key: \S+$/);
    const words = (text: string | undefined): string => readable(text ?? "").replace(/TX\w+|\s+/g, "");
    if (exit !== 0 || args.includes("--help")) expect(words(narrow?.text)).toBe(words(wide?.text));
  });
});

import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { CliError } from "../../src/errors.ts";
import { type Json, parseExact } from "../../src/json/exact-json.ts";
import type { Column, Outcome, View } from "../../src/outcome.ts";
import { type RenderOptions, renderOutcome } from "../../src/output/render.ts";

const text = (name: string): Column["cell"] => {
  return (row) => {
    const value = (row as Record<string, Json>)[name];
    return typeof value === "string" ? value : String(value ?? "");
  };
};
const view: View = {
  kind: "table",
  columns: [
    { heading: "ID", cell: text("id") },
    { heading: "AMOUNT", cell: text("amount"), align: "right" },
    { heading: "STATUS", cell: (row, style) => ({ text: String(text("status")(row, style)), tone: "good" }), sheds: 1 },
    { heading: "REFERENCE", cell: text("reference"), sheds: 2 },
  ],
  empty: "No transactions.",
  footer: (rows) => `${rows} shown`,
};
const rows = (json: string): readonly Json[] => parseExact(json) as readonly Json[];
const two = rows(
  '[{"id":"T1","amount":1500.0,"status":"SENT","reference":"A"},{"id":"T22","amount":12345678901234567890,"status":"PAID","reference":"日本語"}]',
);
const list = (all: Outcome["rows"]): Outcome => ({ rows: all, document: (some) => ({ transactions: some, total: some.length }), view });

const shown = async (outcome: Outcome, options: Partial<RenderOptions> = {}): Promise<string> => {
  let out = "";
  await renderOutcome(outcome, {
    format: "table",
    style: { zone: "UTC", nowMs: 0, width: Number.POSITIVE_INFINITY },
    colour: false,
    write: async (chunk) => {
      out += String(chunk);
    },
    ...options,
  });
  return out;
};
async function* slowly(all: readonly Json[]): AsyncGenerator<readonly Json[]> {
  for (const row of all) yield [row];
}

describe("json", () => {
  it("is one document with every number digit for digit", async () => {
    const out = await shown(list(two), { format: "json" });
    expect(out).toContain('"amount": 1500.0');
    expect(out).toContain("12345678901234567890");
    expect(JSON.parse(out)).toMatchObject({ total: 2 });
    expect(out.endsWith("}\n")).toBe(true);
  });
  it("is the row itself where there is no document", async () => {
    expect(JSON.parse(await shown({ rows: [{ a: 1 }], view }, { format: "json" }))).toEqual({ a: 1 });
  });
  it("escapes what drives a terminal and gives back the same text (O6)", async () => {
    const reference = "A\u001b]0;owned\u0007\r\u202eB\u009b\u2028\u200f";
    const out = await shown(list([{ reference }]), { format: "json" });
    expect(out).not.toMatch(/[\u001b\u0007\r\u009b\u202e\u2028\u200f]/);
    expect(JSON.parse(out).transactions[0].reference).toBe(reference);
  });
  it("streams a line a row where the outcome is live", async () => {
    expect(await shown({ rows: slowly([{ a: { b: 1 } }, { a: 2 }]), stream: true, view }, { format: "json" })).toBe('{"a":{"b":1}}\n{"a":2}\n');
  });
});

describe("jsonl", () => {
  it("is one row a line, as the service gave it, also for a list of one", async () => {
    expect(await shown(list([{ id: "T", metadata: { r: 1 } }]), { format: "jsonl" })).toBe('{"id":"T","metadata":{"r":1}}\n');
    expect(await shown(list(slowly(two)), { format: "jsonl" })).toBe(await shown(list(two), { format: "jsonl" }));
  });
  it("is flat for a single object", async () => {
    expect(await shown({ rows: [{ id: "T", metadata: { r: [1], s: {} } }], view }, { format: "jsonl" })).toBe('{"id":"T","metadata.r":[1],"metadata.s":{}}\n');
  });
  it("does not hold a row back while the next is awaited", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* live(): AsyncGenerator<readonly Json[]> {
      yield [{ n: 1 }];
      await gate;
      yield [{ n: 2 }];
    }
    const chunks: string[] = [];
    await renderOutcome(list(live()), {
      format: "jsonl",
      style: { zone: "UTC", nowMs: 0, width: 80 },
      colour: false,
      write: async (chunk) => {
        chunks.push(String(chunk));
        release();
      },
    });
    expect(chunks).toEqual(['{"n":1}\n', '{"n":2}\n']);
  });
  it("ends when the reader goes away, even while a row is awaited", async () => {
    async function* never(): AsyncGenerator<readonly Json[]> {
      yield [{ n: 1 }];
      await new Promise(() => undefined);
    }
    const gone = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    await expect(shown(list(never()), { format: "jsonl", write: () => Promise.reject(gone) })).rejects.toBe(gone);
  });
  it.each(["a list", "pages"])("writes %s in parts that keep their order under a slow reader", async (kind) => {
    const many = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    const pages = async function* (): AsyncGenerator<readonly Json[]> {
      for (let at = 0; at < many.length; at += 1000) yield many.slice(at, at + 1000);
    };
    let calls = 0;
    let out = "";
    await renderOutcome(list(kind === "pages" ? pages() : many), {
      format: "jsonl",
      style: { zone: "UTC", nowMs: 0, width: 80 },
      colour: false,
      write: async (chunk) => {
        calls += 1;
        await new Promise((resolve) => setImmediate(resolve));
        out += String(chunk);
      },
    });
    expect(out.split("\n").length).toBe(20_001);
    expect(JSON.parse(out.split("\n")[19_999] ?? "")).toEqual({ n: 19_999 });
    expect(calls).toBeLessThan(50);
  });
});

describe("csv", () => {
  it("has the union of dotted columns and quotes by RFC 4180", async () => {
    const out = await shown(
      list([
        { a: 'x,"y"', m: { r: "R" } },
        { a: "line\nend", b: null, list: [1, { c: 2 }] },
      ]),
      { format: "csv" },
    );
    expect(out).toBe('a,m.r,b,list\n"x,""y""",R,,\n"line\nend",,,"[1,{""c"":2}]"\n');
  });
  it.each(["=1+1", "+cmd", "-1+cmd|x", "@SUM(A1)", "\t=1", "\r=1", "＝1"])("neutralises %j", async (value) => {
    const out = await shown(list([{ a: value }]), { format: "csv" });
    expect(out.split("\n").slice(1).join("\n").replace(/^"/, "").startsWith("'")).toBe(true);
  });
  it("leaves numbers alone, also negative ones and those that travel as text", async () => {
    expect(await shown(list(rows('[{"a":-5.10,"b":"-12.50","c":1e3}]')), { format: "csv" })).toBe("a,b,c\n-5.10,-12.50,1e3\n");
  });
  it("prints a header for no rows where columns are known", async () => {
    expect(await shown({ ...list([]), columns: ["id", "amount"] }, { format: "csv" })).toBe("id,amount\n");
    expect(await shown(list([]), { format: "csv", fields: ["id", "x.y"] })).toBe("id,x.y\n");
    expect(await shown(list([]), { format: "csv" })).toBe("");
  });
  it("says which columns came too late for a stream", async () => {
    const notes: string[] = [];
    const many = [...Array.from({ length: 500 }, () => ({ a: 1 })), { a: 2, late: 3 }];
    const out = await shown(list(slowly(many)), { format: "csv", note: (note) => notes.push(note) });
    expect(out.split("\n").length).toBe(503 - 0);
    expect(notes.join()).toContain("late");
  });
});

describe("--fields", () => {
  const nested = [{ id: "T1", metadata: { receipt: "R", other: 1 }, "odd.key": 7 }, { id: "T2" }];
  it("picks dotted paths inside the document, nothing renamed", async () => {
    const out = await shown(list(nested), { format: "json", fields: ["metadata.receipt", "id", "odd.key"] });
    expect(JSON.parse(out).transactions).toEqual([{ metadata: { receipt: "R" }, id: "T1", "odd.key": 7 }, { id: "T2" }]);
  });
  it.each(["json", "jsonl", "csv", "table"] as const)("names the fields there are before anything is printed (%s)", async (format) => {
    let out = "";
    const run = renderOutcome(list(nested), {
      format,
      fields: ["id", "nope"],
      style: { zone: "UTC", nowMs: 0, width: 80 },
      colour: false,
      write: async (chunk) => {
        out += String(chunk);
      },
    });
    await expect(run).rejects.toMatchObject({ kind: "usage", hint: expect.stringContaining("metadata.receipt") });
    await run.catch((error: unknown) => expect(error).toBeInstanceOf(CliError));
    expect(out).toBe("");
  });
  it("refuses a column that is known but that no row has", async () => {
    await expect(shown({ ...list([{ id: 1 }]), columns: ["id", "amount"] }, { format: "csv", fields: ["amount"] })).rejects.toMatchObject({ kind: "usage" });
  });
  it("is no error without rows", async () => {
    expect(JSON.parse(await shown(list([]), { format: "json", fields: ["nope"] }))).toEqual({ transactions: [], total: 0 });
  });
  it("never reads a prototype", async () => {
    await expect(shown(list([{ id: 1 }]), { format: "csv", fields: ["constructor"] })).rejects.toMatchObject({ kind: "usage" });
    expect(await shown(list(rows('[{"__proto__":{"x":1}}]')), { format: "jsonl", fields: ["__proto__.x"] })).toBe('{"__proto__":{"x":1}}\n');
  });
  it("makes the columns of the table", async () => {
    expect(await shown(list(nested), { fields: ["id", "odd.key"] })).toBe("id  odd.key\nT1        7\nT2\n2 shown\n");
  });
});

describe("table", () => {
  it("lines up by display width, money to the right", async () => {
    expect(await shown(list(two))).toBe(
      ["ID                 AMOUNT  STATUS  REFERENCE", "T1                 1500.0  SENT    A", "T22  12345678901234567890  PAID    日本語", "2 shown", ""].join(
        "\n",
      ),
    );
  });
  it("says so when there is nothing", async () => {
    expect(await shown(list([]))).toBe("No transactions.\n");
  });
  it("moves columns to a line below, then becomes cards, and is never wider than the screen", async () => {
    const at = (width: number): Promise<string> => shown(list(two), { style: { zone: "UTC", nowMs: 0, width } });
    expect(await at(40)).toContain("STATUS");
    expect(await at(40)).toMatch(/^ID +AMOUNT +STATUS\n/);
    expect(await at(40)).toMatch(/^ID .*\nT1 .*\n {4}REFERENCE: A\nT22 .*\n {4}REFERENCE: 日本語\n/);
    expect(await at(30)).toMatch(/^ID +AMOUNT\nT1 .*\n {4}STATUS: SENT {2}REFERENCE: A\n/);
    expect(await at(20)).toContain("AMOUNT     1500.0");
    expect(await at(20)).toContain("REFERENCE  日本語");
  });
  it("lets a word that is too long for its column go on below, never through a wide character, and never breaks money", async () => {
    const wide = { id: "日本語日本語日本語日本語日本語", amount: "123,456.00", status: "S", reference: "R" };
    const out = await shown(list([wide]), { style: { zone: "UTC", nowMs: 0, width: 28 } });
    expect(out).toContain("日本語日本語日本  123,456.00\n語日本語日本語\n");
  });
  it("aligns by what a terminal shows: combining marks, vowel signs, emoji, and text that is nothing but x", async () => {
    const names = ["xxx", "e\u0301le\u0301", "ที่", "हिन्दी", "👨‍👩‍👧", "日本語", "", "\ufe0fx\ufe0f"];
    const out = await shown(list(names.map((id, n) => ({ id, amount: n, status: "S", reference: id }))));
    const lines = out.split("\n").slice(1, names.length + 1);
    for (const [index, name] of names.entries()) {
      expect(lines[index]).toBe(`${name}${" ".repeat(6 - stringWidth(name))}       ${index}  S       ${name}`.trimEnd());
    }
  });
  it("cuts nothing off a terminal, and only a row that is wider than planned runs over", async () => {
    const first = Array.from({ length: 500 }, () => ({ id: "T1", amount: 1, status: "S", reference: "R" }));
    const late = { id: "日本".repeat(40), amount: "9".repeat(30), status: "S", reference: "R" };
    const lines = (await shown(list(slowly([...first, late, ...first.slice(0, 1)])))).split("\n");
    expect(lines.slice(500, 503)).toEqual(["T1       1  S       R", `${late.id}  ${late.amount}  S       R`, "T1       1  S       R"]);
  });
  it("loses no text that has no width", async () => {
    expect(await shown(list([{ id: "\u0301", amount: 1, status: "\ufe0f", reference: "R" }]))).toMatch(/\u0301 .*1 {2}\ufe0f .*R\n/);
  });
  it("makes control characters visible", async () => {
    const out = await shown(list([{ id: "A\u001b]0;owned\u0007\r\u202eB", amount: 1, status: "S", reference: "two\nlines\u009b" }]));
    expect(out).not.toMatch(/[\u001b\u0007\r\u009b\u202e]/);
    expect(out).toContain("A\\x1b]0;owned\\x07\\x0d\\u202eB");
    expect(out).toContain("two lines\\x9b");
  });
  it("colours only where asked", async () => {
    expect(await shown(list(two), { colour: true })).toContain("\u001b[32mSENT\u001b[39m");
    expect(await shown(list(two))).not.toContain("\u001b");
  });
  it("streams with the layout of the first rows", async () => {
    const many = Array.from({ length: 1200 }, (_, n) => ({ id: `T${n}`, amount: n, status: "SENT", reference: "R" }));
    const out = await shown(list(slowly(many)));
    expect(out.split("\n").length).toBe(1203);
    expect(out).toContain("1200 shown");
  });
  it("shows blocks with a blank line between", async () => {
    const blocks: View = {
      kind: "blocks",
      blocks: () => [
        {
          kind: "card",
          title: "Wallet",
          pairs: [
            ["Balance", "KES 1.00"],
            ["Held for b2c", { text: "KES 0.00", tone: "quiet" }],
          ],
        },
        { kind: "table", title: "Holds", columns: view.kind === "table" ? view.columns : [], rows: [], empty: "none" },
        { kind: "text", lines: ["Bye"] },
      ],
    };
    expect(await shown({ rows: [{}], view: blocks })).toBe("Wallet\nBalance       KES 1.00\nHeld for b2c  KES 0.00\n\nHolds\nnone\n\nBye\n");
  });
  it("prints live lines as they come", async () => {
    expect(
      await shown({ rows: slowly([{ id: "T1" }]), view: { kind: "lines", line: (row, style) => ({ text: `-> ${String(text("id")(row, style))}` }) } }),
    ).toBe("-> T1\n");
  });
});

it("prints raw text exactly, in any format", async () => {
  expect(await shown({ rows: [], raw: "complete -F x\u001b\n", view }, { format: "json" })).toBe("complete -F x\u001b\n");
});

describe("a live stream", () => {
  const gate = (): { readonly outcome: Outcome; readonly release: () => void } => {
    let release: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* live(): AsyncGenerator<readonly Json[]> {
      yield [{ url: "u" }];
      await opened;
      yield [{ id: "e1", reason: "r", headers: { a: "b" } }];
    }
    return {
      outcome: { rows: live(), stream: true, columns: ["url", "id", "headers"], view: { kind: "lines", line: () => "line" } },
      release: () => release(),
    };
  };
  it.each([
    ["csv", undefined, ["url,id,headers\nu,,\n", ',e1,"{""a"":""b""}"\n']],
    ["csv", ["id", "headers.a"], ["id,headers.a\n,\n", "e1,b\n"]],
    ["json", undefined, ['{"url":"u"}\n', '{"id":"e1","reason":"r","headers":{"a":"b"}}\n']],
    ["jsonl", ["id"], ["{}\n", '{"id":"e1"}\n']],
    ["table", ["url", "id"], ["u\n", "e1\n"]],
  ] as const)("gives each row as it comes, also as %s with fields %j", async (format, fields, expected) => {
    const { outcome, release } = gate();
    const chunks: string[] = [];
    const notes: string[] = [];
    await renderOutcome(outcome, {
      format,
      ...(fields === undefined ? {} : { fields }),
      style: { zone: "UTC", nowMs: 0, width: Number.POSITIVE_INFINITY },
      colour: false,
      write: async (chunk) => {
        chunks.push(String(chunk).replace(/^ +/, "").replace(/ +\n/, "\n"));
        release();
      },
      note: (note) => notes.push(note),
    });
    expect(chunks).toEqual(expected);
    expect(notes.length).toBe(format === "csv" && fields === undefined ? 1 : 0);
  });
  it("refuses a field it can never have", async () => {
    await expect(shown(gate().outcome, { format: "jsonl", fields: ["nope"] })).rejects.toMatchObject({
      kind: "usage",
      hint: expect.stringContaining("headers"),
    });
  });
});

describe("live lines", () => {
  it("each is written out before the command goes on, so that what it says on stderr comes after", async () => {
    const events: string[] = [];
    const live = async function* (): AsyncGenerator<readonly Json[]> {
      for (const name of ["one", "two"]) {
        events.push(`before ${name}`);
        yield [name];
      }
    };
    await shown(
      { rows: live(), view: { kind: "lines", line: String } },
      {
        write: async (chunk) => {
          events.push(String(chunk).trim());
        },
      },
    );
    expect(events).toEqual(["before one", "one", "before two", "two"]);
  });
});

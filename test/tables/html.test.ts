import { describe, expect, it } from "vitest";
import { type TableRow, tableOf } from "../../src/tables/read-table.ts";

const read = async (text: string): Promise<readonly TableRow[]> => {
  const table = await tableOf(new TextEncoder().encode(text), "t.xls");
  expect(table.kind).toBe("html");
  const rows: TableRow[] = [];
  await table.scan((row) => rows.push(row));
  return rows;
};
const cellsOf = async (text: string) => (await read(text)).map(({ cells }) => cells);

describe("tables of a web page", () => {
  it("gives the text that cells show, of all tables", async () => {
    const page = `<!DOCTYPE html><html><head><style>td { x: "<td>" }</style></head><body><!-- <table><tr><td>no</td></tr> --><h1>Title</h1>
      <table><thead><tr><th>Name<th> Amount </thead><tbody><tr><td>A&amp;B &eacute;&#x20;c<td>1,500.00<tr><td>two<br>lines<td><script>"</td>"</script><b>7</b>00</table>
      <table><tr hidden><td>x</td></tr><tr style="display: none"><td>y</td></tr><tr><td></td></tr></table></body></html>`;
    expect(await cellsOf(page)).toEqual([["Name", "Amount"], ["A&B é c", "1,500.00"], ["two lines", "700"], ["x"], ["y"], [""]]);
    expect((await read(page)).map(({ line, hidden }) => [line, hidden === true])).toEqual([1, 2, 3, 4, 5, 6].map((line) => [line, line === 4 || line === 5]));
  });
  it("two numbers in two lines of a cell are not one", async () => {
    expect(await cellsOf("<table><tr><td>500<br>250</td><td>1 500<p>KES</p></td><td>a\nb</td></tr></table>")).toEqual([["500\n250", "1 500 KES", "a b"]]);
  });
  it("keeps columns where cells cover others", async () => {
    const page =
      '<table><tr><td rowspan="2">a</td><td colspan="2">b</td><td>c</td></tr><tr><td>d</td><td rowspan=2>e</td><td>f</td></tr><tr><td>g</td><td>h</td><td>i</td></tr></table>';
    expect(await cellsOf(page)).toEqual([
      ["a", "b", "", "c"],
      ["", "d", "e", "f"],
      ["g", "h", "", "i"],
    ]);
  });
  it("reads a table inside a cell as rows of its own", async () => {
    expect(await cellsOf("<table><tr><td>a<table><tr><td>b</td></tr></table>c</td><td>d</td></tr></table>")).toEqual([["b"], ["ac", "d"]]);
  });
  it.each([
    ["cut off", "<table><tr><td>a</td></tr><tr><td>b", "cut off"],
    ["nested without end", `<table><tr><td>${"<b>".repeat(100_000)}${"</i>".repeat(100_000)}`, "nested too deeply"],
    ["one cell without end", `<table><tr><td>${"x".repeat(2_000_000)}</td></tr></table>`, "never ends"],
    ["one row without end", `<table><tr>${'<td colspan="9999">'.repeat(100_000)}</tr></table>`, "more than 512 cells"],
  ])("refuses a page that is %s", async (_, page, says) => {
    await expect(read(page)).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining(says) });
  });
});

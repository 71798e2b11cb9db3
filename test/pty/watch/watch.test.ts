import { describe, expect, it } from "vitest";
import { json, startService } from "../../support/process.ts";
import { readable, type Step, talk } from "../interactive/terminal.ts";

/** T1 is paid at its third reading; T2, whose reference has a character of unknown width, at its second. */
const start = (never = false) => {
  const reads = new Map<string, number>();
  return startService((request, response) => {
    const id = request.url.split("/").at(-1) ?? "";
    const read = (reads.get(id) ?? 0) + 1;
    reads.set(id, read);
    if (id === "NONE") return json(response, 404, { message: "No such transaction" });
    const reference = id === "T2" ? "INV-\u{1f469}\u200d\u{1f4bb}-2" : "INV-1";
    return json(response, 200, { id, reference, amount: 1500, status: !never && read >= (id === "T1" ? 3 : 2) ? "COMPLETED" : "SENT" });
  });
};
const quick = ["--interval", "0.5"];

describe("tx watch on a terminal", () => {
  it.each([40, 200])("redraws one table in place and leaves it standing, at %i columns", async (cols) => {
    const service = await start();
    const shown = await talk(["tx", "watch", "T1", "T2", ...quick], [], { url: service.url, cols });
    expect(shown.code).toBe(0);
    expect(shown.text).toContain("SENT, still open");
    expect(shown.text).toMatch(/2 open, next look in 1 s/);
    const last = readable(shown.text.slice(shown.text.lastIndexOf("\u001b[J")))
      .trim()
      .split("\n");
    expect(last[0]).toMatch(/^ID +REFERENCE/);
    // In a narrow window the amount and the time stand below each row.
    const ofRows = last.slice(1).filter((line) => /^T\d /.test(line));
    expect([ofRows.length, last.length]).toEqual([2, cols === 40 ? 7 : 3]);
    for (const line of ofRows) expect(line).toContain("COMPLETED, paid");
    expect(shown.text).not.toContain("\u001b[?25l");
  });

  it("draws anew after the window was made narrow, without colour under NO_COLOR, and Ctrl-C ends it with 8", async () => {
    const service = await start(true);
    const steps: readonly Step[] = [
      { see: /SENT, still open/, resize: 40 },
      { see: /INV-1 .*SENT, still open/s, type: "\u0003" },
    ];
    const shown = await talk(["tx", "watch", "T1", ...quick], steps, { url: service.url, cols: 120, env: { NO_COLOR: "1" } });
    expect(shown.code).toBe(8);
    expect(shown.text).not.toMatch(/\u001b\[\d+m/);
    expect(readable(shown.text.slice(shown.text.lastIndexOf("\u001b[J")))).toMatch(
      /^ID +REFERENCE .*\n.*T1 +INV-1.*SENT, still open.*\n(?: {4}\w+: .*\n)*.*Interrupted; still open: T1/,
    );
  });

  it("writes lines on a dumb terminal", async () => {
    const service = await start();
    const dumb = await talk(["tx", "watch", "T2", ...quick], [], { url: service.url, env: { TERM: "dumb" } });
    expect(dumb.text).not.toContain("\u001b[");
    expect(dumb.text).toMatch(/T2 .*SENT -> COMPLETED/);
  });

  it("leaves no table of what is not there", async () => {
    const service = await start();
    const failed = await talk(["tx", "watch", "NONE"], [], { url: service.url });
    expect([failed.code, readable(failed.text.slice(failed.text.lastIndexOf("\u001b[J"))).trim()]).toEqual([
      4,
      expect.stringMatching(/^\S*\s?There is no transaction NONE/),
    ]);
  });
});

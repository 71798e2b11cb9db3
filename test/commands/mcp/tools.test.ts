import { describe, expect, it } from "vitest";
import { registry } from "../../../src/cli/registry.ts";
import { toolsOf } from "../../../src/commands/mcp/tools.ts";

const specs = registry.map(({ spec }) => spec);
const reading = toolsOf(specs, false);
const all = toolsOf(specs, true);
const toolNamed = (name: string) => {
  const tool = all.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
};

describe("the tools of mcp", () => {
  it("offers push prompts and collections only with --allow collect", () => {
    const added = all.map(({ name }) => name).filter((name) => !reading.some((tool) => tool.name === name));
    expect(added).toEqual(["stk", "global_collect"]);
  });

  it("has no tool that pays: what sends money out is only proposed", () => {
    for (const tool of all) {
      const words = tool.toWords({});
      const [first, second] = words;
      expect(["api", "login", "profile", "webhook listen"]).not.toContain(first);
      if (first === "b2c" && second !== "stats") expect(words).toContain("--propose");
      if (first === "global" && second === "withdraw") expect(words).toContain("--propose");
      expect([first, second]).not.toEqual(["b2c", "batch"]);
      expect([first, second]).not.toEqual(["journal", "resume"]);
      expect([first, second]).not.toEqual(["approval", "approve"]);
    }
  });

  it.each(all.map((tool) => [tool.name, tool] as const))("%s takes no argument that answers for a person or goes around a check", (_, tool) => {
    const names = Object.keys(tool.inputSchema.properties);
    for (const forbidden of ["yes", "allow_duplicate", "passphrase_stdin", "propose", "dry_run", "report", "api_key", "base_url", "profile"]) {
      expect(names).not.toContain(forbidden);
      expect(() => tool.toWords({ [forbidden]: "x" })).toThrow(/no argument/);
    }
  });

  it("keeps a value a value, whatever it looks like", () => {
    expect(toolNamed("propose_b2c").toWords({ phone: "--yes", amount: 10, reference: "a --yes", note: "--approve" })).toEqual([
      "b2c",
      "--phone=--yes",
      "--amount=10",
      "--reference=a --yes",
      "--propose=--approve",
    ]);
    expect(toolNamed("tx_get").toWords({ id: "--sandbox" })).toEqual(["tx", "get", "--", "--sandbox"]);
  });

  it.each([
    ["tx_list", { limit: { $gt: 1 } }],
    ["tx_list", { all: "yes" }],
    ["tx_get", { id: null }],
    ["wallet", { anything: 1 }],
  ])("%s refuses %j", (name, given) => {
    expect(() => toolNamed(name).toWords(given)).toThrow();
  });

  it.each(["123456789012345", "9007199254740991", "1500.75", "0.1"])("takes %s as a number", (digits) => {
    expect(toolNamed("propose_withdraw").toWords({ account_number: JSON.parse(digits) })).toContain(`--account-number=${digits}`);
  });
  it.each(["1234567890123456789", "9007199254740993", "12345678901234.5678"])("refuses %s as a number: reading JSON may have changed its digits", (digits) => {
    expect(() => toolNamed("propose_withdraw").toWords({ account_number: JSON.parse(digits) })).toThrow(/more digits/);
    expect(toolNamed("propose_withdraw").toWords({ account_number: digits })).toContain(`--account-number=${digits}`);
  });

  /** readOnlyHint, destructiveHint, idempotentHint and openWorldHint, as the protocol defines them. */
  const facts: Readonly<Record<string, readonly [reads: boolean, destroys: boolean, again: boolean, open: boolean]>> = {
    wallet: [true, false, true, true],
    b2c_stats: [true, false, true, true],
    tx_list: [true, false, true, true],
    tx_get: [true, false, true, true],
    tx_explain: [true, false, true, true],
    global_providers: [true, false, true, true],
    global_wallet: [true, false, true, true],
    global_fx: [true, false, true, true],
    // These ask nobody: they read what is on this machine, or in the team's journal.
    tx_find: [true, false, true, false],
    journal_list: [true, false, true, false],
    journal_show: [true, false, true, false],
    approval_list: [true, false, true, false],
    approval_show: [true, false, true, false],
    webhook_verify: [true, false, true, false],
    // These keep what they saw, and twice is as good as once.
    tx_sync: [false, false, true, true],
    tx_reconcile: [false, false, true, true],
    // Each call adds a proposal, if nothing like it is there yet.
    propose_b2c: [false, false, false, true],
    propose_withdraw: [false, false, false, true],
    // Each call rings a phone or makes a checkout, which cannot be taken back.
    stk: [false, true, false, true],
    global_collect: [false, true, false, true],
  };
  it("has these hints and no others", () => {
    const hints = ({ annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } }: (typeof all)[number]) =>
      [readOnlyHint, destructiveHint, idempotentHint, openWorldHint] as const;
    expect(Object.fromEntries(all.map((tool) => [tool.name, hints(tool)]))).toEqual(facts);
  });
});

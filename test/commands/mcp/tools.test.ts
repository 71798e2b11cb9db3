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

  it("says truly what a tool does", () => {
    const hints = (name: string) => toolNamed(name).annotations;
    expect([hints("wallet").readOnlyHint, hints("tx_explain").readOnlyHint]).toEqual([true, true]);
    for (const name of ["propose_b2c", "propose_withdraw", "stk", "global_collect", "tx_sync", "tx_reconcile"]) expect(hints(name).readOnlyHint).toBe(false);
    expect(all.every(({ annotations }) => !annotations.destructiveHint)).toBe(true);
  });
});

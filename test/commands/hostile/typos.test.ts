import { expect, it } from "vitest";
import { globalFlags } from "../../../src/cli/global-flags.ts";
import { registry } from "../../../src/cli/registry.ts";
import wordsMeant from "../../../src/cli/words-meant.json" with { type: "json" };
import { runCli } from "../../support/cli.ts";

it.each([
  [["b2c", "bach", "payouts.csv"], "Did you mean: payments-cli b2c batch"],
  [["walet"], "Did you mean: payments-cli wallet"],
  [["tx", "statsu"], "Did you mean: payments-cli tx get, or payments-cli tx watch"],
  [["tx", "refund"], "Did you mean: payments-cli b2c"],
  [["profile", "show"], "Did you mean: payments-cli whoami, or payments-cli profile list"],
  [["approval", "reject", "1234"], "Did you mean: payments-cli approval decline"],
  [["tx", "xyzzy"], "There are: tx list, tx get,"],
  [["tx", "lits"], "Did you mean: payments-cli tx list"],
  [["journal", "resum", "--all"], "Did you mean: payments-cli journal resume"],
  [["stk", "--phnoe", "0712345678", "--amount", "10", "--reference", "A"], "Did you mean --phone?"],
  [["wallet", "--output", "jsn"], "Did you mean --output json?"],
  [["completion", "bsh"], "Did you mean bash?"],
  [["help", "exitcodes"], "Did you mean: payments-cli help exit-codes"],
  [["help", "constructor"], "payments-cli --help"],
  [["xyzzy"], "payments-cli --help"],
  [["pay"], "payments-cli b2c, or payments-cli stk"],
  [["send", "--amount", "10"], "payments-cli b2c, or payments-cli stk"],
  [["balance"], "payments-cli wallet"],
  [["list"], "payments-cli tx list"],
  [["transactions"], "payments-cli tx list"],
  [["transactoins"], "payments-cli tx list"],
  [["resume"], "payments-cli journal resume"],
  [["--versoin"], "Did you mean --version?"],
  [["stk", "help"], "payments-cli stk --help"],
  [["help", "flasg"], "Did you mean: payments-cli help flags"],
])("a typo is named and never acted on: %j", async (argv, hint) => {
  // On a terminal, where a question could be asked: none is.
  const { code, stdout, stderr, requests, prompts } = await runCli(argv, { service: () => ({ body: {} }), terminal: true });
  expect([code, stdout, requests, prompts]).toEqual([2, "", [], []]);
  expect(stderr).toContain(hint);
});

it("what a word may mean is a command", () => {
  for (const command of Object.values(wordsMeant).flat()) expect([...registry.map(({ spec }) => spec.path.join(" ")), "help"]).toContain(command);
});

it("repeats an unexpected argument only if it cannot be a key", async () => {
  const key = "sk_live_51Hxyz0123456789";
  const word = await runCli(["stk", "extra", "--json"], {});
  const secret = await runCli(["stk", key, "--json"], {});
  expect([word.code, word.stderr.includes('\\"extra\\"')]).toEqual([2, true]);
  expect([secret.code, secret.stderr.includes(key)]).toEqual([2, false]);
});

it.each([["version"], ["-v"], ["--version"]])("%s prints the version", async (word) => {
  const plain = await runCli(["--version"], {});
  expect(await runCli([word], {})).toMatchObject({ code: 0, stdout: plain.stdout, stderr: "" });
});

it("the help of a command names the page of the global flags, and help flags lists them all", async () => {
  const help = await runCli(["stk", "--help"], {});
  expect(help.stdout).toContain("payments-cli help flags");
  expect(help.stdout).not.toContain("--no-input");
  const flags = await runCli(["help", "flags"], {});
  for (const name of Object.keys(globalFlags)) expect(flags.stdout).toContain(`--${name}`);
});

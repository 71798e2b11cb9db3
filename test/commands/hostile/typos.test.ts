import { expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";

it.each([
  [["walet"], "Did you mean: payments-cli wallet"],
  [["tx", "lits"], "Did you mean: payments-cli tx list"],
  [["journal", "resum", "--all"], "Did you mean: payments-cli journal resume"],
  [["stk", "--phnoe", "0712345678", "--amount", "10", "--reference", "A"], "Did you mean --phone?"],
  [["wallet", "--output", "jsn"], "Did you mean --output json?"],
  [["completion", "bsh"], "Did you mean bash?"],
  [["help", "exitcodes"], "Did you mean: payments-cli help exit-codes"],
  [["help", "constructor"], "payments-cli --help"],
  [["xyzzy"], "payments-cli --help"],
])("a typo is named and never acted on: %j", async (argv, hint) => {
  // On a terminal, where a question could be asked: none is.
  const { code, stdout, stderr, requests, prompts } = await runCli(argv, { service: () => ({ body: {} }), terminal: true });
  expect([code, stdout, requests, prompts]).toEqual([2, "", [], []]);
  expect(stderr).toContain(hint);
});

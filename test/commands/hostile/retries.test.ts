import { expect, test } from "vitest";
import { TransportError } from "../../../src/service/transport.ts";
import { runCli } from "../../support/cli.ts";

test.each(["a", "b", "c", "d"])("every try of --retries is made, however short --timeout is beside the pauses (%s)", async (seed) => {
  const clock = { nowMs: Date.UTC(2026, 2, 1) };
  const { code, requests } = await runCli(
    ["stk", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--json", "--timeout", "1", "--retries", "5"],
    {
      clock,
      seed,
      service: () => {
        clock.nowMs += 1_000;
        throw new TransportError("timeout", true, "No answer.");
      },
    },
  );
  expect({ code, tries: requests.length, keys: new Set(requests.map(({ headers }) => headers["idempotency-key"])).size }).toEqual({
    code: 9,
    tries: 6,
    keys: 1,
  });
});

import { expect, it } from "vitest";
import { json, startService } from "../../support/process.ts";
import { readable, talk } from "./terminal.ts";

const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference"];

it.each([["xterm-256color"], ["dumb"]])("what was typed before the question is no answer to it (TERM=%s)", async (term) => {
  const service = await startService((_, response) => json(response, 200, { transactionId: "T1", status: "QUEUED" }));
  // Typed while the program starts, and once more when it asks: only that counts.
  const { code, text } = await talk([...payout, `EARLY-${term}`], [{ see: /y\/N/, type: "n\r" }], { url: service.url, env: { TERM: term }, early: "y\ry\r" });
  expect([code, service.seen.filter(({ method }) => method === "POST")]).toEqual([130, []]);
  expect(readable(text)).toMatch(/nothing was sent/i);
});

import { spawn } from "@lydell/node-pty";
import { expect, it } from "vitest";
import { createHome } from "../../support/ends.ts";
import { binary, cleanEnv, json, node, startService } from "../../support/process.ts";

const home = createHome();

const answered = { transactionId: "T1", status: "QUEUED", message: "queued", pricingQuote: { amount: 100, fee: 5, total: 105 } };

/** The line as a shell runs it on a terminal; `answer` is typed once a question is seen. */
const onTerminal = (url: string, reference: string, answer: string): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    const line = `x=$("$0" "$1" b2c --phone 0712345678 --amount 100 --reference ${reference} --json); code=$?; printf 'GOT<%s>' "$x"; exit $code`;
    const env = cleanEnv({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: url, TERM: "xterm" });
    const terminal = spawn("/bin/sh", ["-c", line, node, binary], { cols: 100, rows: 30, env });
    let text = "";
    let isAnswered = false;
    terminal.onData((data) => {
      text += data;
      if (isAnswered || !text.includes("(y/N)")) return;
      isAnswered = true;
      terminal.write(`${answer}\r`);
    });
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, text }));
  });

it("P2: the question is on stderr, stdout has the answer alone", async () => {
  const service = await startService((_, response) => json(response, 200, answered));
  const { code, text } = await onTerminal(service.url, "P2", "y");
  expect(code).toBe(0);
  expect(JSON.parse(/GOT<([\s\S]*)>/.exec(text)?.[1] ?? "")).toEqual(answered);
  expect(service.seen.filter(({ method }) => method === "POST").length).toBe(1);
});

it("P3: declined is 130, and nothing is sent", async () => {
  const service = await startService((_, response) => json(response, 200, answered));
  const { code, text } = await onTerminal(service.url, "P3", "n");
  expect(code).toBe(130);
  expect(text).toContain("GOT<>");
  expect(service.seen.filter(({ method }) => method === "POST")).toEqual([]);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { expect, it } from "vitest";
import { binary, cleanEnv, json, node, startService } from "../../support/process.ts";
import { newHome } from "./terminal.ts";

/** A push that is paid at the second look, so that there is something to wait for. */
const start = () => {
  let looks = 0;
  return startService(({ method }, response) => {
    const status = method === "POST" || looks++ === 0 ? "SENT" : "COMPLETED";
    json(response, 200, method === "POST" ? { transactionId: "T1", status } : { id: "T1", reference: "R-1", amount: 10, status });
  });
};

it.each([
  ["2>err", "out", false],
  [">out", "err", true],
] as const)("progress is drawn on a terminal's stderr alone: %s", async (redirection, other, drawn) => {
  const [home, { url }] = [newHome(), await start()];
  const line = `"$0" "$1" stk --phone 0712345678 --amount 10 --reference R-1 --wait ${redirection}`;
  const env = cleanEnv({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: url, TERM: "xterm" });
  const terminal = spawn("/bin/sh", ["-c", line, node, binary], { cols: 80, rows: 30, cwd: home, env });
  let shown = "";
  terminal.onData((data) => {
    shown += data;
  });
  const code = await new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  expect(code).toBe(0);
  expect(shown.includes("\u001b[2Kwaiting")).toBe(drawn);
  const file = readFileSync(join(home, other === "out" ? "err" : "out"), "utf8");
  expect(file).not.toContain("\u001b");
  if (drawn) expect(file).toMatch(/COMPLETED, paid/);
});

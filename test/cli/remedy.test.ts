import { expect, test } from "vitest";
import { createHome, runCli } from "../support/cli.ts";

const errorOf = (stderr: string) => JSON.parse(stderr).error;

test.each([
  ["journal show nope --sandbox", ["journal", "list", "--sandbox"]],
  ["approval show nope --base-url http://127.0.0.1:9", ["approval", "list", "--state", "all", "--base-url", "http://127.0.0.1:9"]],
  ["tx explain GC-NOPE --sandbox", ["global", "wallet", "--sandbox"]],
  ["tx find INV-1 --sandbox", ["tx", "sync", "--sandbox"]],
  ["schema nope", ["schema"]],
  // These name their account themselves.
  ["login --sandbox", ["wallet", "--sandbox"]],
  ["profile use shop", ["login", "--name", "shop"]],
])("%s: the remedy is for the same account", async (line, command) => {
  const { stderr } = await runCli([...line.split(" "), "--json"]);
  const error = errorOf(stderr);
  expect(error.command).toEqual(command);
  expect(error.hint).toContain(`payments-cli ${command.join(" ")}`);
});

test.each([401, 302])("a service that answers %i names the command that looks further", async (status) => {
  const { stderr } = await runCli(["wallet", "--json", "--retries", "0"], { service: () => ({ status, body: {} }) });
  expect(errorOf(stderr).command).toEqual([status === 401 ? "whoami" : "doctor"]);
});

test("a payout that a policy holds back is proposed by the error's command, by way of api too", async () => {
  const home = createHome();
  await runCli(["approval", "policy", "--from", "100", "--sandbox"], { home });
  const body = ["-f", "phone=254712345000", "-F", "amount:=150", "-f", "reference=-R 1", "-f", "commandId=SalaryPayment"];
  const held = await runCli(["api", "POST", "/api/v1/merchants/payments/b2c", ...body, "--yes", "--sandbox", "--json"], { home });
  const { command } = errorOf(held.stderr);
  expect([held.code, command.at(-1)]).toEqual([14, "--sandbox"]);
  const proposed = await runCli([...command, "--json"], { home });
  expect([proposed.code, JSON.parse(proposed.stdout)]).toMatchObject([0, { state: "open", reference: "-R 1", amount: "150", payee: "254712345000" }]);
});

test("a watch that was cut off goes on with the command as it was typed", async () => {
  const stop = new AbortController();
  const service = ({ path }: { readonly path: string }) => {
    stop.abort();
    return { body: path.endsWith("/T1") ? { id: "T1", reference: "R", amount: 1, status: "SENT" } : { transactions: [], total: 0 } };
  };
  const { code, stderr } = await runCli(["tx", "watch", "T1", "--interval", "2", "--json"], { service, signal: stop.signal });
  expect([code, errorOf(stderr).command]).toEqual([8, ["tx", "watch", "T1", "--interval", "2", "--json"]]);
});

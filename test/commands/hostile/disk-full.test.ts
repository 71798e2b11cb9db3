import { expect, test } from "vitest";
import type { SandboxConnection } from "../../../src/cli/host.ts";
import { createHome, runCli, type Service, serviceTransport } from "../../support/cli.ts";

const rail = {
  rail: "r",
  country: "KE",
  currencies: ["KES"],
  collectionFlow: "PUSH",
  live: true,
  capabilities: { collect: true, disburse: true, disbursementChannels: ["MOBILE_MONEY"] },
};
const service: Service = ({ method, path }) => {
  if (method !== "POST") return path.endsWith("/providers") ? { body: { success: true, providers: [rail] } } : { body: { id: "t1", status: "FAILED" } };
  return {
    status: 201,
    body: { success: true, transactionId: "t1", status: "QUEUED", collection: { reference: "GC-1" }, disbursement: { reference: "GD-1" } },
  };
};
const local = ["--phone", "0712345678", "--amount", "100", "--reference", "R-1"];
const global = ["--rail", "r", "--amount", "100", "--currency", "KES", "--msisdn", "0712345678"];
const creations = {
  stk: ["stk", ...local],
  b2c: ["b2c", ...local, "--yes"],
  collect: ["global", "collect", ...global],
  withdraw: ["global", "withdraw", ...global, "--channel", "MOBILE_MONEY", "--operator", "M", "--yes"],
  api: ["api", "POST", "/api/v1/merchants/payments/stk-push", "-f", "phone=254712345678", "-F", "amount:=100", "-f", "reference=R-1"],
};

test.each(Object.entries(creations))("%s: a payment whose result cannot be written is never told as not sent", async (_, argv) => {
  const home = createHome();
  const { code, stderr, requests } = await runCli([...argv, "--json"], { home, service, diskFull: true });
  const { error } = JSON.parse(stderr);
  const [attempt] = JSON.parse((await runCli(["journal", "list", "--json"], { home, service })).stdout).attempts;
  expect({ code, sent: error.sent, key: error.idempotencyKey, journal: error.journalId, state: attempt.state }).toEqual({
    code: 1,
    sent: "yes",
    key: requests.find(({ method }) => method === "POST")?.headers["idempotency-key"],
    journal: attempt.id,
    state: "accepted",
  });
});

test("with --wait the code still says how the payment ended", async () => {
  const { code, stderr } = await runCli([...creations.b2c, "--wait", "9", "--json"], { service, diskFull: true });
  expect({ code, ...JSON.parse(stderr).error }).toMatchObject({ code: 7, kind: "payment-failed", sent: "yes" });
});

test("where nothing was paid, a full disk is no fault of the program and nothing was created", async () => {
  const { code, stderr } = await runCli(["tx", "list", "--json"], { service: () => ({ body: { transactions: [], total: 0 } }), diskFull: true });
  expect({ code, ...JSON.parse(stderr).error }).toMatchObject({ code: 2, kind: "usage", sent: "no" });
});

test.each(["stk", "b2c", "collect", "withdraw", "api"] as const)("%s: a field that the answer lacks is null, for the payment exists", async (name) => {
  const { code, stdout } = await runCli([...creations[name], "--json", "--fields", "nope,success"], { service });
  expect([code, JSON.parse(stdout)]).toEqual([0, { nope: null, success: true }]);
});

test("what fails on the way out does not make a payment unsent", async () => {
  const sandbox: SandboxConnection = {
    transport: serviceTransport(service, []),
    baseUrl: "http://127.0.0.1:9",
    apiKey: "test_key_0123456789abcdef",
    webhookSecret: "whsec_c2VjcmV0",
    close: async () => {
      throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    },
  };
  const { code, stdout, stderr } = await runCli([...creations.stk, "--sandbox", "--json"], { sandbox: async () => sandbox });
  expect([code, JSON.parse(stdout).transactionId, JSON.parse(stderr).error.sent]).toEqual([1, "t1", "yes"]);
});

import { describe, expect, it } from "vitest";
import { TransportError } from "../../../src/service/transport.ts";
import { createHome, runCli, type Service, withFlags } from "../../support/cli.ts";

const noAccount = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
const errorOf = (stderr: string) => JSON.parse(stderr).error;
const accepts: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "T1", status: "SENT" } : { transactions: [], total: 0 } });
const loses: Service = ({ method }) => {
  if (method === "POST") throw new TransportError("reset", true, "reset");
  return { body: { transactions: [], total: 0, success: true, providers: [] } };
};
const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--yes", "--json", "--retries", "0"];
const push = ["stk", "--phone", "0712345678", "--amount", "10", "--reference", "R-1", "--json"];

describe("an error whose remedy is one command has it, and the hint has it to paste", () => {
  it("an unknown outcome: settle it, by the same account", async () => {
    const home = createHome();
    await runCli(["login", "--name", "Ann's shop", "--base-url", "https://pay.example", "--with-key"], {
      home,
      env: noAccount,
      service: loses,
      stdin: "k_0123456789abcdef",
    });
    const { code, stderr } = await runCli([...payout, "--profile", "Ann's shop"], { home, env: noAccount, service: loses });
    const { command, hint, journalId } = errorOf(stderr);
    expect([code, command]).toEqual([9, ["journal", "resume", journalId, "--profile", "Ann's shop"]]);
    expect(hint).toContain(`payments-cli journal resume ${journalId} --profile 'Ann'\\''s shop'`);
    const shown = await runCli([...withFlags(payout, ["--reference", "R-2"]).filter((word) => word !== "--json"), "--profile", "Ann's shop"], {
      home,
      env: noAccount,
      service: loses,
    });
    expect(shown.stderr).toMatch(/^ *payments-cli journal resume [-0-9a-f]{36} --profile 'Ann'\\''s shop'$/m);
  });

  it("a duplicate of an accepted payout: look at it", async () => {
    const home = createHome();
    await runCli(payout, { home, service: accepts });
    const { code, stderr } = await runCli(payout, { home, service: accepts });
    const { command, hint, journalId } = errorOf(stderr);
    expect([code, command, hint.endsWith(`payments-cli journal show ${journalId}`)]).toEqual([11, ["journal", "show", journalId], true]);
    expect(hint).toContain("--allow-duplicate");
  });

  it("a duplicate of an attempt without a known outcome: settle it", async () => {
    const home = createHome();
    await runCli(payout, { home, service: loses });
    const { code, stderr } = await runCli(payout, { home, service: accepts });
    const { command, journalId } = errorOf(stderr);
    expect([code, command]).toEqual([11, ["journal", "resume", journalId]]);
  });

  it("journal resume that settles nothing: again, or by the profile that made it", async () => {
    const home = createHome();
    const { journalId } = errorOf((await runCli(push.concat("--retries", "0"), { home, service: loses })).stderr);
    const still = await runCli(["journal", "resume", "--all", "--json", "--retries", "0"], { home, service: loses });
    expect([still.code, errorOf(still.stderr).command]).toEqual([9, ["journal", "resume", journalId]]);
    const login = ["login", "--name", "b", "--base-url", "https://b.example", "--with-key"];
    await runCli(login, { home, env: noAccount, service: loses, stdin: "k_0123456789abcdef" });
    await runCli(withFlags(payout, ["--reference", "R-3", "--profile", "b"]), { home, env: noAccount, service: loses });
    const [{ id }] = JSON.parse((await runCli(["journal", "list", "--reference", "R-3", "--json"], { home })).stdout).attempts;
    const other = await runCli(["journal", "resume", id, "--json"], { home, service: accepts });
    expect([other.code, errorOf(other.stderr).command]).toEqual([3, ["journal", "resume", id, "--profile", "b"]]);
  });

  it.each([
    ["no profile at all", ["wallet", "--json"], {}, ["login"]],
    ["a profile that is not there", ["wallet", "--json", "--profile", "my shop"], {}, ["login", "--name", "my shop"]],
    ["a profile to use that is not there", ["profile", "use", "shop", "--json"], {}, ["login", "--name", "shop"]],
    ["a URL without a key", ["wallet", "--json"], { PAYMENTS_BASE_URL: "https://pay.example" }, ["login"]],
    ["a key without a URL", ["wallet", "--json"], { PAYMENTS_API_KEY: "k_0123456789abcdef" }, ["login"]],
    ["an attempt that is not there", ["journal", "show", "none", "--json"], {}, ["journal", "list"]],
    ["a key as a flag", ["wallet", "--json", "--api-key", "k_0123456789abcdef"], {}, ["login"]],
  ])("%s", async (_, argv, env, command) => {
    const { stdout, stderr } = await runCli(argv, { env: { ...noAccount, ...env } });
    expect([stdout, errorOf(stderr).command]).toEqual(["", command]);
    expect(errorOf(stderr).hint).toMatch(new RegExp(`payments-cli ${command.slice(0, 2).join(" ")}`));
  });

  it("a wait that ran out: look again", async () => {
    const open: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "T 1", status: "SENT" } : { id: "T 1", status: "SENT" } });
    const { code, stderr } = await runCli([...push, "--wait", "1"], { service: open });
    expect([code, errorOf(stderr).command]).toEqual([8, ["tx", "get", "T 1"]]);
    expect(errorOf(stderr).hint).toContain("payments-cli tx get 'T 1'");
  });

  it("on Windows the command is quoted for its shells", async () => {
    const env = { ...noAccount, OS: "Windows_NT" };
    const { stderr } = await runCli(["wallet", "--json", "--profile", "my shop"], { env });
    expect(errorOf(stderr).hint).toContain('payments-cli login --name "my shop"');
  });
});

it.each([
  ["an unknown flag", ["stk", "--nope"]],
  ["a flag given twice", ["stk", "--amount", "10", "--amount", "11"]],
  ["a flag's value", ["tx", "list", "--limit", "x"]],
  ["a missing flag", ["stk", "--amount", "10"]],
])("the sandbox is named in the error about %s", async (_, words) => {
  const { code, stderr } = await runCli([...words, "--sandbox", "--json"]);
  expect([code, errorOf(stderr).sandbox]).toEqual([2, true]);
  expect(errorOf((await runCli([...words, "--json"])).stderr)).not.toHaveProperty("sandbox");
});

import { expect, test } from "vitest";
import { TransportError } from "../../../src/service/transport.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const lost: Service = ({ method }) => {
  if (method === "POST") throw new TransportError("reset", true, "reset");
  return { body: { transactions: [], total: 0, success: true, providers: [] } };
};
const pays: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "T-1", status: "QUEUED" } : { transactions: [], total: 0 } });

test("resume --all settles its own, and names the profile that settles the rest: 9 until all are", async () => {
  const home = createHome();
  const env = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
  for (const name of ["shop", "other"])
    await runCli(["login", "--name", name, "--base-url", `https://${name}.example.com`, "--with-key"], {
      home,
      env,
      service: lost,
      stdin: `key_of_${name}_0123456789`,
    });
  const b2c = ["b2c", "--phone", "0712345678", "--amount", "100", "--yes", "--json", "--retries", "0"];
  for (const profile of ["shop", "other"]) {
    expect((await runCli([...b2c, "--reference", profile, "--profile", profile], { home, env, service: lost })).code).toBe(9);
  }
  const all = await runCli(["journal", "resume", "--all", "--yes", "--json", "--profile", "shop"], { home, env, service: pays });
  const { error } = JSON.parse(all.stderr);
  expect([all.code, error.kind]).toEqual([9, "outcome-unknown"]);
  expect(error.hint).toContain("payments-cli journal resume --all --profile other");
  expect(error.hint).not.toContain("try again later");
  expect((await runCli(["journal", "resume", "--all", "--yes", "--json", "--profile", "other"], { home, env, service: pays })).code).toBe(0);
});

test("an attempt of a key that its profile has no longer asks for that key, not for the same profile again", async () => {
  const home = createHome();
  const env = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
  const login = (key: string) =>
    runCli(["login", "--name", "shop", "--base-url", "https://shop.example.com", "--with-key"], { home, env, service: lost, stdin: key });
  await login("key_of_the_shop_0123456789");
  const made = await runCli(["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "A", "--yes", "--json", "--retries", "0"], {
    home,
    env,
    service: lost,
  });
  const { journalId } = JSON.parse(made.stderr).error;
  await login("key_of_another_0123456789");
  for (const [what, code] of [
    [journalId, 3],
    ["--all", 9],
  ] as const) {
    const ended = await runCli(["journal", "resume", what, "--yes", "--json"], { home, env, service: pays });
    const { error } = JSON.parse(ended.stderr);
    expect([ended.code, error.command, ended.requests.some(({ method }) => method === "POST")]).toEqual([code, undefined, false]);
    expect(error.hint).toContain("PAYMENTS_BASE_URL=https://shop.example.com and the PAYMENTS_API_KEY that made it");
  }
});

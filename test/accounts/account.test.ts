import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AccountSources, findAccount, resolveWebhookSettings } from "../../src/accounts/account.ts";
import { createProfiles } from "../../src/accounts/profiles.ts";
import { sealKey } from "../../src/accounts/withdrawal-key.ts";

const flags = { sandbox: false };
const home = async (more: object = {}) => {
  const config = mkdtempSync(join(tmpdir(), "account-"));
  const profile = {
    baseUrl: "https://pay.example",
    mode: "live",
    storage: "file",
    apiKey: "stored_key",
    keyHint: "****",
    signature: {},
    webhookSecrets: [],
    hasWithdrawalKey: false,
  } as const;
  await createProfiles({ paths: { config } }).write("shop", () => ({ name: "shop", ...profile, ...more }), { use: true });
  return { config };
};
const keychain = (held: ReadonlyMap<string, string>): NonNullable<AccountSources["keychain"]> & { readonly asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    read: async (entry) => {
      asked.push(entry);
      return held.get(entry);
    },
  };
};

test("the keychain is asked for the key alone, not to know whose account it is", async () => {
  const paths = await home({ storage: "keychain", apiKey: undefined, keychainEntry: "shop 1" });
  const chain = keychain(new Map([["shop 1", "chain_key"]]));
  const found = await findAccount({ flags, env: {}, paths, keychain: chain });
  expect([found.account.storage, chain.asked]).toEqual(["keychain", []]);
  expect(await found.readKey()).toBe("chain_key");
  const gone = await findAccount({ flags, env: {}, paths, keychain: keychain(new Map()) });
  await expect(gone.readKey()).rejects.toMatchObject({ kind: "config", command: ["login", "--name", "shop", "--keychain"] });
});

test("the withdrawal key opens under its passphrase; a damaged one is never taken for none", async () => {
  const paths = await home({
    hasWithdrawalKey: true,
    withdrawalKey: await sealKey("second_key", "pass phrase", { profile: "shop", baseUrl: "https://pay.example" }),
  });
  const found = await findAccount({ flags, env: {}, paths });
  expect(found.account.hasWithdrawalKey).toBe(true);
  expect(await found.readWithdrawalKey("pass phrase")).toBe("second_key");
  await expect(found.readWithdrawalKey("other")).rejects.toMatchObject({ kind: "auth" });
  const path = join(paths.config, "config.json");
  writeFileSync(path, readFileSync(path, "utf8").replace("scrypt", "script"));
  const damaged = await findAccount({ flags, env: {}, paths });
  expect(damaged.account.hasWithdrawalKey).toBe(true);
  await expect(damaged.readWithdrawalKey("pass phrase")).rejects.toMatchObject({ kind: "config" });
  // Another change of the profile keeps what it can't read.
  await createProfiles({ paths }).write("shop", (stored) => ({ ...(stored ?? expect.fail()), mode: "sandbox" }));
  expect(readFileSync(path, "utf8")).toContain("script");
});

test("with profiles but no current one, the error says how to choose one", async () => {
  const paths = await home();
  await createProfiles({ paths }).write("my shop", (stored) => ({
    name: "my shop",
    baseUrl: "",
    mode: "live",
    storage: "none",
    keyHint: "",
    signature: {},
    webhookSecrets: [],
    hasWithdrawalKey: false,
    ...stored,
  }));
  await createProfiles({ paths }).remove("shop");
  await expect(findAccount({ flags, env: {}, paths })).rejects.toMatchObject({ kind: "config", command: ["profile", "use", "my shop"] });
});

test("empty variables and flags are absent", async () => {
  const paths = await home();
  const { account, notes } = await findAccount({
    flags: { sandbox: false, profile: "" },
    env: { PAYMENTS_API_KEY: "", PAYMENTS_BASE_URL: " ", PAYMENTS_PROFILE: "" },
    paths,
  });
  expect([account.profile, notes]).toEqual(["shop", []]);
});

test("how callbacks are signed: environment, then profile, then Standard Webhooks", async () => {
  const paths = await home({ signature: { scheme: "hmac-sha256-hex", header: "X-Sig" }, webhookSecrets: ["stored"] });
  expect(await resolveWebhookSettings({ flags, env: {}, paths })).toEqual({ scheme: "hmac-sha256-hex", header: "X-Sig", secrets: ["stored"] });
  expect(await resolveWebhookSettings({ flags, env: { PAYMENTS_WEBHOOK_SECRET: "a b\nc" }, paths })).toEqual({
    scheme: "hmac-sha256-hex",
    header: "X-Sig",
    secrets: ["a b", "c"],
  });
  const alone = { PAYMENTS_API_KEY: "k", PAYMENTS_BASE_URL: "https://other.example" };
  expect(await resolveWebhookSettings({ flags, env: alone, paths })).toEqual({ scheme: "standard-webhooks", secrets: [] });
  expect(await resolveWebhookSettings({ flags, env: {}, paths: { config: join(paths.config, "none") } })).toEqual({ scheme: "standard-webhooks", secrets: [] });
  await expect(resolveWebhookSettings({ flags: { ...flags, profile: "none" }, env: {}, paths })).rejects.toMatchObject({ kind: "config" });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/library.ts";
import { createHome, runCli, type SeenRequest, type Service, withFlags } from "../../support/cli.ts";
import { legitimate, lookAlikes, unseen } from "../../support/references.ts";
import { withdrawal } from "../../support/withdrawal.ts";

const catalogue: unknown = JSON.parse(readFileSync(new URL("../../cases/rails.json", import.meta.url), "utf8"));
const service: Service = ({ method, path }) => {
  if (path.endsWith("/providers")) return { body: { success: true, providers: catalogue } };
  if (path.endsWith("/collections")) return { body: { success: true, collection: { reference: "GC-1", status: "PENDING" } } };
  if (path.endsWith("/disbursements")) return { body: { success: true, disbursement: { reference: "GD-1", status: "PROCESSING" } } };
  if (method === "POST") return { body: { transactionId: "T1", status: "QUEUED" } };
  return { body: { id: "T1", status: "QUEUED", success: true, wallet: {} } };
};
const created = (requests: readonly SeenRequest[]): Readonly<Record<string, unknown>>[] =>
  requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));

const viaCommand = (reference: string): readonly string[] => ["b2c", "--phone", "0712345678", "--amount", "100", `--reference=${reference}`, "--yes", "--json"];
const viaApi = (reference: string): readonly string[] => [
  ...["api", "POST", "/api/v1/merchants/payments/b2c", "-f", "phone=254712345678", "-F", "amount:=100"],
  ...["-f", `reference=${reference}`, "--yes", "--json"],
];
const ways = { b2c: viaCommand, api: viaApi } as const;
const character = (code: string): string => String.fromCodePoint(Number.parseInt(code.slice(2), 16));

describe.each(Object.entries(ways))("%s", (_, argvOf) => {
  it.each(lookAlikes)("never pays %j after %j", async (one, other) => {
    const home = createHome();
    const paid = await runCli(argvOf(one), { home, service });
    const again = await runCli(argvOf(other), { home, service });
    // Refused as a duplicate, or at once where it is in quotes.
    expect([paid.code === 0, [2, 11].includes(again.code)]).toEqual([true, true]);
    expect(created([...paid.requests, ...again.requests])).toHaveLength(1);
  });

  it.each(unseen)("refuses %s in a reference, and sends nothing", async (code) => {
    const { code: exit, stdout, stderr, requests } = await runCli(argvOf(`PAY${character(code)}-1`), { service });
    expect([exit, stdout, requests.length]).toEqual([2, "", 0]);
    expect(JSON.parse(stderr).error.message).toContain(`${code}) at position 4`);
  });

  it.each(legitimate)("sends %s character for character", async (reference) => {
    const { code, requests } = await runCli(argvOf(reference), { service });
    expect([code, created(requests)]).toMatchObject([0, [{ reference }]]);
  });
});

describe("b2c batch", () => {
  const batch = async (home: string, references: readonly string[]) => {
    const file = join(home, `${references.length}.csv`);
    writeFileSync(file, `phone,amount,reference\n${references.map((reference) => `0712345678,100,"${reference.replaceAll('"', '""')}"\n`).join("")}`);
    return await runCli(["b2c", "batch", file, "--yes", "--json"], { home, service });
  };

  it.each(lookAlikes)("refuses a file with %j and %j for one payee", async (one, other) => {
    const { code, stdout, stderr, requests } = await batch(createHome(), [one, other]);
    expect([code, stdout, created(requests)]).toEqual([2, "", []]);
    expect(JSON.parse(stderr).error.message).toMatch(/line 3/);
  });

  it.each(unseen.filter((code) => !["U+0000", "U+000A", "U+000D"].includes(code)))("refuses a row with %s in its reference", async (code) => {
    const { code: exit, stderr, requests } = await batch(createHome(), ["PAY-1", `PAY${character(code)}-2`]);
    expect([exit, created(requests)]).toEqual([2, []]);
    expect(JSON.parse(stderr).error.message).toMatch(new RegExp(`line 3.*${code.replace("+", "\\+")}`));
  });

  it("pays no row whose look-alike was paid by itself", async () => {
    const home = createHome();
    expect((await runCli(viaCommand("PAY-1"), { home, service })).code).toBe(0);
    const { requests } = await batch(home, ["PAY\u20111", "PAY-2"]);
    expect(created(requests).map(({ reference }) => reference)).toEqual(["PAY-2"]);
  });
});

describe("withdrawals", () => {
  const bank = (more: readonly string[]): readonly string[] => [
    ...["global", "withdraw", "--rail", "KE_BANK", "--channel", "BANK", "--amount", "500", "--currency", "KES", "--yes", "--json"],
    ...withFlags(["--bank-code", "KCB", "--account-number", "0012345678", "--account-name", "Duka Ltd"], more),
  ];
  const bankViaApi = (fields: Readonly<Record<string, string>>): readonly string[] => [
    ...["api", "POST", "/api/v1/global/disbursements", "-F", "amount:=500", "--yes", "--json"],
    ...Object.entries({
      rail: "KE_BANK",
      channel: "BANK",
      currency: "KES",
      bankCode: "KCB",
      accountNumber: "0012345678",
      accountName: "Duka Ltd",
      ...fields,
    }).flatMap(([name, value]) => ["-f", `${name}=${value}`]),
  ];
  const mobile = (more: readonly string[]): readonly string[] => [...withFlags(withdrawal, more), "--yes", "--json"];
  const sameAccount: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ...["0012 345 678", "0012-345-678", " 0012345678 ", "0012\u2013345678", "００１２３４５６７８", "0012_345678", "0012:345:678", "(0012) 345678"].map(
      (account) => [`account ${account}`, bank([]), bank(["--account-number", account])] as const,
    ),
    ["bank code in small letters", bank([]), bank(["--bank-code", "kcb"])],
    ["bank code with spaces", bank([]), bank(["--bank-code", " KCB "])],
    ["account name in other letters", bank([]), bank(["--account-name", "DUKA  LTD"])],
    ["account with spaces through api", bank([]), bankViaApi({ accountNumber: "0012 345 678" })],
    ["bank code with a space at its end through api", bank([]), bankViaApi({ bankCode: "kcb " })],
    ...["0772 000 001", "+256772000001", "256 772 000001", "772000001", "\u200b0772000001"].map(
      (phone) => [`phone ${phone}`, mobile([]), mobile(["--msisdn", phone])] as const,
    ),
    ["operator in small letters", mobile([]), mobile(["--operator", "mtn "])],
  ];
  it.each(sameAccount)("the same account written otherwise is not paid twice: %s", async (_, first, second) => {
    const home = createHome();
    const paid = await runCli(first, { home, service });
    const again = await runCli(second, { home, service });
    expect([paid.code, again.code, created(again.requests)]).toEqual([0, 11, []]);
  });

  it.each(["--bank-code", "--account-number", "--account-name"])("%s refuses what cannot be seen", async (flag) => {
    for (const code of ["U+200B", "U+00A0", "U+FEFF", "U+E0041", "U+202E"]) {
      const { code: exit, stderr, requests } = await runCli(bank([flag, `AB${character(code)}C`]), { service });
      expect([exit, created(requests)]).toEqual([2, []]);
      expect(JSON.parse(stderr).error.message).toContain(`${code}) at position 3`);
    }
  });
  it.each(["bankCode", "accountNumber", "accountName"])("the field %s of api refuses what cannot be seen", async (field) => {
    const { code, stderr, requests } = await runCli(bankViaApi({ [field]: "AB\u2060C" }), { service });
    expect([code, created(requests)]).toEqual([2, []]);
    expect(JSON.parse(stderr).error.message).toContain(field);
  });
  it("--operator and --email refuse what cannot be seen", async () => {
    expect((await runCli(mobile(["--operator", "M\u00adTN"]), { service })).code).toBe(2);
    const collect = ["global", "collect", "--rail", "KE_CARD", "--amount", "25", "--currency", "USD", "--json"];
    expect((await runCli([...collect, "--email", "a\u200b@b.example"], { service })).code).toBe(2);
  });
});

describe("the library", () => {
  const payments = createClient({ baseUrl: "http://127.0.0.1:9", apiKey: "k1_secret", retries: 0 });
  it("refuses what cannot be seen, before any request", async () => {
    const phone = "0712345678";
    const global = { rail: "R", amount: 5, currency: "KES" };
    for (const call of [
      payments.stkPush({ phone, amount: 5, reference: "A\u200b1" }),
      payments.b2c({ phone, amount: 50, reference: "A\u00a01" }),
      payments.collect({ ...global, customerEmail: "a\u2060@b.example" }),
      payments.withdraw({ ...global, channel: "BANK", bankCode: "01", accountNumber: "12\ufeff3", accountName: "N" }),
    ]) {
      await expect(call).rejects.toMatchObject({ kind: "usage", sent: "no", message: expect.stringContaining("U+") });
    }
  });
});

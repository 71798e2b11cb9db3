import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient, PaymentsError } from "../../src/library.ts";
import { createHome, runCli, type SeenRequest, type Service } from "../support/cli.ts";

/** One check serves the command, the batch, `api` and the library: each fault of a payout is refused by all four, and nothing is sent. */
const good = { phone: "254712345678", amount: 100, reference: "R-1" };
const faults: readonly (readonly [string, Readonly<Record<string, string | number>>])[] = [
  ["a phone of the wrong length", { ...good, phone: "25471234567" }],
  ["a phone of another country", { ...good, phone: "+256772000001" }],
  ["a masked phone", { ...good, phone: "2547****5678" }],
  ["two phones", { ...good, phone: "0712345678/0722345678" }],
  ["an amount below the bounds", { ...good, amount: 9 }],
  ["an amount above the bounds", { ...good, amount: 150_001 }],
  ["an amount with too many decimals", { ...good, amount: 100.555 }],
  ["no phone", { amount: 100, reference: "R-1" }],
  ["no amount", { phone: "254712345678", reference: "R-1" }],
  ["no reference", { phone: "254712345678", amount: 100 }],
  ["a reference of blanks", { ...good, reference: "  " }],
  ["a reference with an invisible character", { ...good, reference: "R\u200b-1" }],
  ["a reference in quotes", { ...good, reference: "'R-1'" }],
  ["two texts for one field", { ...good, remarks: "Rent", description: "Food" }],
  ["a command id that is not one", { ...good, commandId: "Salary" }],
  ["a callback address without http", { ...good, callbackUrl: "ftp://x.example" }],
  ["a callback address that is not whole", { ...good, callbackUrl: "shop.example/hook" }],
];
const flagOf = (field: string): string => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const service: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "T1", status: "QUEUED" } : { wallet: {} } });
const posts = (requests: readonly SeenRequest[]): number => requests.filter(({ method }) => method === "POST").length;

type Fields = Readonly<Record<string, string | number>>;
const ways: Readonly<Record<string, (fields: Fields) => Promise<number>>> = {
  command: async (fields) => {
    const { code, requests } = await runCli(["b2c", "--yes", ...Object.entries(fields).map(([field, value]) => `${flagOf(field)}=${value}`)], { service });
    return code === 0 ? posts(requests) : code;
  },
  batch: async (fields) => {
    const home = createHome();
    const file = join(home, "pay.jsonl");
    writeFileSync(file, `${JSON.stringify({ phone: "", amount: "", reference: "", ...fields })}\n`);
    const { code, requests } = await runCli(["b2c", "batch", file, "--yes"], { service, home });
    return code === 0 ? posts(requests) : code;
  },
  api: async (fields) => {
    const file = join(createHome(), "body.json");
    writeFileSync(file, JSON.stringify(fields));
    const { code, requests } = await runCli(["api", "POST", "/api/v1/merchants/payments/b2c", "--input", file, "--yes"], { service });
    return code === 0 ? posts(requests) : code;
  },
  library: async (fields) => {
    // A caller in JavaScript. Nothing listens there: a payout that is well fails on its way.
    const payments: { b2c(input: object): Promise<unknown> } = createClient({ baseUrl: "http://127.0.0.1:9", apiKey: "k1_secret", retries: 0 });
    const end = await payments.b2c(fields).catch((thrown: unknown) => thrown);
    return end instanceof PaymentsError ? ({ usage: 2, unavailable: 1 }[String(end.kind)] ?? 0) : 0;
  },
};

describe.each(Object.entries(ways))("a payout by the %s", (_, pay) => {
  it("that is well is sent", async () => {
    expect(await pay({ ...good, remarks: "Rent", description: "Rent", commandId: "SalaryPayment", callbackUrl: "https://shop.example/hook" })).toBe(1);
  });
  it.each(faults)("is refused for %s", async (_, fields) => {
    expect(await pay(fields)).toBe(2);
  });
});

describe("the library", () => {
  const payments = createClient({ baseUrl: "http://127.0.0.1:9", apiKey: "k1_secret", retries: 0 });
  const rail = { rail: "R", amount: 5, currency: "KES" };
  const wrong: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["both payers", () => payments.collect({ ...rail, msisdn: "0772000001", customerEmail: "a@b.example" })],
    ["no payer", () => payments.collect(rail)],
    ["a payer that is no address", () => payments.collect({ ...rail, customerEmail: "a.b.example" })],
    ["a return address that is not http", () => payments.collect({ ...rail, customerEmail: "a@b.example", callbackReturnUrl: "shop://back" })],
    ["too many decimals", () => payments.collect({ ...rail, currency: "UGX", amount: "5.5", msisdn: "0772000001" })],
    ["a bank without an account", () => payments.withdraw({ ...rail, channel: "BANK", bankCode: "01", accountName: "N" })],
    ["a bank account beside a phone", () => payments.withdraw({ ...rail, channel: "MOBILE_MONEY", operator: "M", payeeMsisdn: "0772000001", bankCode: "01" })],
    ["a push with cents", () => payments.stkPush({ phone: "0712345678", amount: 5.5, reference: "R" })],
  ];
  it.each(wrong)("refuses %s before any request", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ kind: "usage", sent: "no" });
  });
  it("refuses a field that there is not, and one that only looks like another", async () => {
    for (const extra of [{ Amount: 90 }, { refrence: "X" }]) {
      await expect(payments.stkPush({ phone: "0712345678", amount: 5, reference: "R", ...extra })).rejects.toMatchObject({ kind: "usage" });
    }
  });
});

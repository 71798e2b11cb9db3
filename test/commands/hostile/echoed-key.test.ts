import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const key = 'sk_live_Ab/Cd+0123"456789';
const percent = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join("");
const unicode = (text: string): string => [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const broken = (text: string): string => text.replace(/(.{7})/g, "$1\r\n\t");
const base64 = Buffer.from(`Bearer ${key}`).toString("base64");
/** As a service or a gateway may write it. */
const forms = {
  plain: key,
  "a header": `Authorization: Bearer ${key}`,
  "small letters": key.toLowerCase(),
  "percent-encoded": encodeURIComponent(key),
  "percent-encoded to the last letter": percent(key),
  base64,
  "base64 for URLs": Buffer.from(key).toString("base64url"),
  "base64 over lines": broken(base64),
  "escaped as JSON": JSON.stringify(key).replaceAll("/", "\\/"),
  "escaped as \\u": unicode(key),
  "broken over lines": broken(key),
};
/** Small, without white space and escapes: then a key is found in whatever form it stands. */
const plainOf = (text: string): string => {
  const decoded = text.replace(/\\u00([0-9a-f]{2})|%([0-9a-f]{2})/gi, (_, one, other) => String.fromCharCode(Number.parseInt(one ?? other, 16)));
  return decoded.replace(/\\[nrt]|[\s\\]/g, "").toLowerCase();
};
const traces = [key, base64.slice(14, -6), Buffer.from(key).toString("base64url").slice(0, -4)].map(plainOf);
const filesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
const expectNoKey = (text: string): void => {
  for (const trace of traces) expect(plainOf(text)).not.toContain(trace);
};
const env = { PAYMENTS_API_KEY: key };

const rail = {
  rail: "r",
  country: "KE",
  currencies: ["KES"],
  collectionFlow: "PUSH",
  live: true,
  capabilities: { collect: true, disburse: true, disbursementChannels: ["MOBILE_MONEY"] },
};
const good = (echo: string): Service => {
  const extra = { echo, [echo]: "named so", list: [{ headers: echo }] };
  return ({ method, path }) => {
    if (method === "POST") {
      const made = { transactionId: "T1", status: "SENT", collection: { reference: "GC-1" }, disbursement: { reference: "GD-1" } };
      return { body: { success: true, ...made, ...extra }, headers: { "x-echo": echo.replace(/\s/g, " ") } };
    }
    if (path.endsWith("/providers")) return { body: { success: true, providers: [rail] } };
    const transaction = { id: "T1", reference: "R-1", amount: 100, status: "COMPLETED", metadata: { receipt: "UC1", ...extra } };
    if (path.endsWith("/T1")) return { body: transaction };
    return {
      body: { success: true, transactions: [transaction], total: 1, wallet: { balance: 1, ...extra }, ...extra },
      headers: { "x-echo": echo.replace(/\s/g, " ") },
    };
  };
};
const refused =
  (status: number, echo: string): Service =>
  () => ({ status, body: { code: echo, message: `What is ${echo}`, errors: [echo] } });
const page =
  (echo: string): Service =>
  () => ({ status: 502, body: `<html><pre>${echo}</pre>`, headers: { "content-type": "text/html" } });
const text =
  (echo: string): Service =>
  () => ({ status: 400, body: echo });

const local = ["--phone", "0712345678", "--amount", "100", "--reference", "R-1"];
const global = ["--rail", "r", "--amount", "100", "--currency", "KES", "--msisdn", "0712345678"];
const commands = (home: string): readonly (readonly string[])[] => [
  ["stk", ...local, "--wait", "5", "--json"],
  ["b2c", ...local, "--yes"],
  ["b2c", "batch", join(home, "pay.csv"), "--yes", "--json", "--wait"],
  ["global", "collect", ...global, "-o", "jsonl"],
  ["global", "withdraw", ...global, "--channel", "MOBILE_MONEY", "--operator", "M", "--yes", "--json"],
  ["api", "POST", "/api/v1/merchants/payments/stk-push", "-f", "phone=254712345678", "-F", "amount:=100", "-f", "reference=R-2", "-i"],
  ["api", "GET", "/api/v1/merchants/payments/transactions", "-i", "--retries", "0"],
  ["wallet", "--debug", "--retries", "0"],
  ["tx", "sync", "--retries", "0"],
  ["tx", "list", "--all", "--json", "--retries", "0"],
  ["tx", "get", "T1", "--debug", "--retries", "0"],
  ["journal", "resume", "--all", "--yes", "--json"],
  ["journal", "list", "-o", "csv"],
  ["doctor", "--json"],
];

describe.each(Object.entries(forms))("a service that repeats the key, %s", (_, echo) => {
  test.each([
    ["in what it accepts", good(echo)],
    ["in a refusal", refused(400, echo)],
    ["in a 401", refused(401, echo)],
    ["in a 503", refused(503, echo)],
    ["in a page", page(echo)],
    ["as its whole answer", text(echo)],
  ])("%s: it reaches neither the screen nor the disk", async (_where, service) => {
    const home = createHome();
    writeFileSync(join(home, "pay.csv"), "phone,amount,reference\n0712345699,100,B-1\n");
    let answered = 0;
    for (const argv of commands(home)) {
      const { stdout, stderr, requests } = await runCli(argv, { home, service, env });
      expectNoKey(`${stdout}\n${stderr}`);
      answered += requests.length;
    }
    expect(answered).toBeGreaterThan(10);
    expectNoKey(filesIn(home));
  });
});

test("what is no echo stays as it came: a short key may be part of an id", async () => {
  const body = '{"transactionId":"k1-tx","status":"SENT","big":12345678901234567890,"note":"Bearer k1","path":"a\\/b"}';
  const { stdout } = await runCli(
    ["api", "POST", "/api/v1/merchants/payments/stk-push", "-f", "phone=254712345678", "-F", "amount:=100", "-f", "reference=R-2"],
    {
      service: () => ({ body }),
      env: { PAYMENTS_API_KEY: "k1" },
    },
  );
  expect(stdout.trim()).toBe('{"transactionId":"k1-tx","status":"SENT","big":12345678901234567890,"note":"Bearer ****","path":"a/b"}');
});

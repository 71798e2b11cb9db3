import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, compare, compareLong } from "./processes.mjs";
import { startAnswering } from "./service.mjs";

const library = new URL("../../dist/library.mjs", import.meta.url).href;

export const bareList = `
const { request } = require("undici");
(async () => { let offset = 0, total = 1; while (offset < total) { const { body } = await request(process.env.PAYMENTS_BASE_URL + "/api/v1/merchants/payments/transactions?limit=1000&offset=" + offset);
const page = await body.json(); total = page.total; offset += page.transactions.length; let text = ""; for (const row of page.transactions) text += JSON.stringify(row) + "\\n"; if (!process.stdout.write(text)) await new Promise((done) => process.stdout.once("drain", done)); } })();`;

const barePay = `
const { Agent, request } = require("undici"); const dispatcher = new Agent({ connections: 8 }); let next = 0;
const worker = async () => { while (next < Number(process.env.ROWS)) { const row = next++; const { body } = await request(process.env.PAYMENTS_BASE_URL + "/api/v1/merchants/payments/b2c", { dispatcher, method: "POST", headers: { "content-type": "application/json", "idempotency-key": "k" + row }, body: JSON.stringify({ phone: "254712345678", amount: 100, reference: "R-" + row }) }); await body.json(); } };
Promise.all(Array.from({ length: 8 }, worker));`;

const clientPay = `
const { createClient } = await import(process.env.LIBRARY); const client = createClient({ baseUrl: process.env.PAYMENTS_BASE_URL, apiKey: process.env.PAYMENTS_API_KEY }); let next = 0;
const worker = async () => { while (next < Number(process.env.ROWS)) { const row = next++; await client.b2c({ phone: "254712345678", amount: 100, reference: "R-" + row }); } };
await Promise.all(Array.from({ length: 8 }, worker)); await client.close();`;

/** Streaming a long list, and a batch of payouts, each against a bare undici script of the same run, and the batch against our client without a journal. */
export const bulk = async ({ rows = 1_000_000, batchRows = 10_000, runs = 3 } = {}) => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  const listing = await startAnswering({}, { transactions: rows });
  const paying = await startAnswering({ success: true, wallet: {} }, { delayMs: 5 });
  const env = (service) => ({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "bench_key_0123456789", PAYMENTS_BASE_URL: service.url });
  const lists = await compareLong(
    {
      bare: { args: ["-e", bareList], env: env(listing) },
      ours: { args: [binary, "tx", "list", "--all", "--limit", "1000", "-o", "jsonl"], env: env(listing) },
    },
    runs,
  );
  const file = join(home, "payouts.csv");
  writeFileSync(file, `phone,amount,reference\n${Array.from({ length: batchRows }, (_, row) => `254712345678,100,R-${row}`).join("\n")}\n`);
  // Each run is the file's first, with the guard's look at every row, as it is where a file is paid once.
  const withoutJournal = () => {
    rmSync(join(home, "data"), { recursive: true, force: true });
    rmSync(`${file}.result.csv`, { force: true });
    return env(paying);
  };
  const pays = await compare(
    {
      bare: { args: ["-e", barePay], env: { ...env(paying), ROWS: String(batchRows) } },
      client: { args: ["--input-type=module", "-e", clientPay], env: { ...env(paying), ROWS: String(batchRows), LIBRARY: library } },
      ours: { args: [binary, "b2c", "batch", file, "--yes", "--json"], env: withoutJournal },
    },
    runs,
  );
  await listing.close();
  await paying.close();
  rmSync(home, { recursive: true, force: true });
  return [
    { name: `tx list --all -o jsonl, ${rows} rows`, ratio: lists.medians.ours / lists.medians.bare, target: 1.6, against: "a bare undici script" },
    { name: `memory of tx list --all -o jsonl, ${rows} rows (the bare script: ${Math.round(lists.peaks.bare)} MB)`, mb: lists.peaks.ours, target: 150 },
    { name: `b2c batch, ${batchRows} rows, journalled`, ratio: pays.ours / pays.bare, target: 1.75, against: "a bare undici loop" },
    { name: `the same batch's payments a second`, ratio: pays.ours / pays.client, target: "none", against: "the same client without a journal" },
  ];
};

import { expect, test } from "vitest";
import { approvalsOutcome } from "../../src/commands/approval/approval-view.ts";
import { batchBlocks } from "../../src/commands/b2c/batch-outcome.ts";
import { attemptColumns } from "../../src/commands/journal/attempt-rows.ts";
import type { Approval } from "../../src/journal/approval.ts";
import { type Json, parseExact } from "../../src/json/exact-json.ts";
import type { Outcome } from "../../src/outcome.ts";
import { renderOutcome } from "../../src/output/render.ts";
import { localWalletView } from "../../src/output/views/balances.ts";
import { railsView } from "../../src/output/views/rails.ts";
import { transactionColumns, transactionView } from "../../src/output/views/transaction.ts";

const rowsOf = (text: string): readonly Json[] => parseExact(text) as readonly Json[];

const listed = rowsOf(`[
  {"id":"TX000004V0K6NY8N","reference":"REFUND-77","amount":1500,"status":"COMPLETED"},
  {"id":"TX000003D04F99PA","reference":"INV-0003","amount":150.5,"status":"SENT"},
  {"id":"TX000001VQAV9JJH","reference":"An order with a long name 2026/000017","amount":1234567,"status":"ON_HOLD"}]`);
const detailed = parseExact(
  `{"id":"TX000004V0K6NY8N","reference":"REFUND-77","amount":1500,"status":"COMPLETED","provider":"MPESA_B2C","providerRef":"AG_1",
    "metadata":{"phone":"254722000001","mobileMoneyReceipt":"UKT0001BGR","failureReason":null,"originatorConversationId":"OC-1","completedAt":"2026-03-01T08:00:00Z"}}`,
);
const usual = listed.slice(0, 2);
const known = new Map([
  ["TX000004V0K6NY8N", { transaction: detailed, direction: "out" }],
  ["TX000003D04F99PA", { transaction: { metadata: { phone: "254712345003" } }, direction: "in" }],
] as const);
const attempts = rowsOf(`[
  {"id":"320b467d-f81e-4e33-8f5e-85ddf155963c","startedAt":"2026-03-01T08:00:00Z","profile":"shop","operation":"b2c","reference":"REFUND-77","amount":"1500","currency":"KES","state":"accepted","transactionId":"TX000004V0K6NY8N","status":"QUEUED"},
  {"id":"320b467d-0000-4333-8467-45b97dc6a5c2","startedAt":"2026-02-28T22:30:00Z","profile":"shop","operation":"stk","reference":"INV-0003","amount":"150","currency":"KES","state":"unknown"}]`);
const payouts = [1, 2, 3, 4].map((row) => ({
  ...{ operation: "b2c" as const, row, line: row + 1, payee: `25471234500${row}`, reference: `PAY-${row}`, body: "", cells: [] },
  ...{ amount: "1000.00", amountMinor: 100_000n, currency: "KES" },
}));
const results = [
  { row: 1, state: "accepted", transactionId: "TX1" },
  { row: 2, state: "accepted", transactionId: "TX2", status: "FAILED", ended: "unpaid", reason: "The payee is not registered." },
  { row: 3, state: "refused", reason: "The service refused it: the payee's account is closed (400 VALIDATION)." },
  { row: 4, state: "notSent" },
] as const;
const wallet = parseExact(`{"wallet":{"balance":-12,"b2cBalance":24998495,"currency":"KES","b2cHolds":[
  {"id":"HOLD-1","amount":1505,"reason":"Payout in progress","holdType":"B2C","reference":"REFUND-77","createdAt":"2026-03-01T08:00:00Z"}]},
  "transactions":[{"_id":"L1","type":"B2C_PAYOUT","amount":-1500,"status":"COMPLETED","reference":"REFUND-77","description":"Payout to 254722000001","createdAt":"2026-03-01T08:00:00Z"}]}`);
const rails =
  rowsOf(`[{"rail":"UG_MOMO","displayName":"Mobile money Uganda","country":"UG","currencies":["UGX"],"collectionFlow":"PUSH","minAmount":500,"maxAmount":5000000,
  "capabilities":{"collect":true,"disburse":true,"disbursementChannels":["MOBILE_MONEY"],"categories":["retail","school"]},"live":true}]`);

const proposed: Omit<Approval, "id" | "operation" | "reference" | "payee" | "amount"> = {
  ...{ baseUrl: "https://pay.example.com", profile: "shop", allowDuplicate: false, rows: 1, decisions: [], isBegun: false, proposedFrom: "till-2" },
  ...{ proposedBy: "ann@till-2", proposedAt: "2026-03-01T08:00:00Z", expiresAt: "2026-03-08T08:00:00Z", currency: "KES" },
  state: "open",
};
const approvals: readonly Approval[] = [
  {
    ...proposed,
    ...{ id: "74023b2e-8a43-4aee-8b50-6a4e59549133", operation: "b2c", reference: "RENT-MAR", payee: "254733000003", amount: "60000" },
    note: "Rent of March for the shop in Moi Avenue, as agreed",
  },
  {
    ...{ ...proposed, id: "1c9e7a40-22d1-4a58-9d3b-0f6a1f2f7b10", operation: "batch", reference: "payouts-march.csv", payee: "" },
    ...{ amount: "1234567.50", rows: 312, batch: { fileId: "f1", choice: "plain" } },
  },
  {
    ...{ ...proposed, id: "b6a1f0de-5b7e-4c57-8a54-3f0f6c1d2e99", operation: "withdraw", reference: "", payee: "BANK 01 0012345678 Duka Ltd" },
    ...{ amount: "5000", currency: "UGX", state: "declined" },
  },
];

const idOf = (row: Json): string => String((row as { readonly id: string }).id);
const screens: Readonly<Record<string, Outcome>> = {
  "tx-list": { rows: listed, view: { kind: "table", columns: transactionColumns({ direction: "in", rows: listed }), empty: "" } },
  "tx-list-known": { rows: usual, view: { kind: "table", columns: transactionColumns({ direction: "unknown", rows: usual, known }), empty: "" } },
  "tx-get": { rows: [detailed], view: transactionView("out", "KES") },
  "journal-list": { rows: attempts, view: { kind: "table", columns: attemptColumns(attempts.map((row) => ({ id: idOf(row) }))), empty: "" } },
  "b2c-batch": { rows: [], view: { kind: "blocks", blocks: () => batchBlocks({ rows: payouts, results, resultPath: "payouts.csv.result.csv" }) } },
  "b2c-batch-dry-run": {
    rows: [],
    view: { kind: "blocks", blocks: () => batchBlocks({ rows: payouts, results: payouts.map(({ row }) => ({ row, state: "notSent" })) }) },
  },
  "approval-list": approvalsOutcome(approvals, "Nothing waits for approval."),
  wallet: { rows: rowsOf(`[{"balance":-12,"b2cBalance":24998495}]`), view: localWalletView(wallet) },
  providers: { rows: rails, view: railsView },
};

test.each(Object.entries(screens).flatMap(([name, outcome]) => [40, 80, 120].map((width) => [name, width, outcome] as const)))(
  "%s at %s columns",
  async (name, width, outcome) => {
    let out = "";
    const style = { zone: "Africa/Nairobi", nowMs: Date.UTC(2026, 2, 1, 9), width };
    const write = async (chunk: string | Uint8Array): Promise<void> => {
      out += String(chunk);
    };
    await renderOutcome(outcome, { format: "table", style, colour: false, write });
    await expect(out).toMatchFileSnapshot(`golden/${name}.${width}.txt`);
  },
);

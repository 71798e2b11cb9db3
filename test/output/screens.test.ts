import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import { beforeAll, expect, test } from "vitest";
import { createLinePrompter } from "../../src/host/line-prompter.ts";
import { createHome, runCli, type Service } from "../support/cli.ts";
import { serviceOf } from "../support/transactions-service.ts";
import { withdrawal } from "../support/withdrawal.ts";

/** What a person sees on a terminal, question by question: stdout and stderr as they come, at three widths. */
type Screen = {
  readonly words: (home: string) => readonly string[];
  /** One for each question. The last one leaves things as they were, so that every width shows the same. */
  readonly answers?: readonly string[];
  /** A live account of a scripted service, in place of the sandbox. */
  readonly service?: Service;
};

const home = createHome();
const nowMs = Date.UTC(2026, 2, 1, 8);
const file = (name: string, content: string): string => {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
};
const payout = ["b2c", "--phone", "0712345678", "--amount", "1500", "--reference", "REFUND-77"];
const live: Service = ({ path }) => {
  if (path.endsWith("/global/wallet")) return { body: { success: true, wallet: { currency: "UGX", availableBalance: 9_000_000 } } };
  const capabilities = { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] };
  const rail = { country: "UG", currencies: ["UGX"], collectionFlow: "PUSH", minAmount: 500, maxAmount: 5_000_000, live: true, capabilities };
  if (path.endsWith("/providers"))
    return {
      body: {
        success: true,
        providers: [
          { ...rail, rail: "UG_MOMO", displayName: "Mobile money Uganda" },
          { ...rail, rail: "KE_MPESA", displayName: "M-PESA Kenya", country: "KE", currencies: ["KES"] },
        ],
      },
    };
  if (path.endsWith("/wallet")) return { body: { success: true, wallet: { b2cAvailableBalance: 250_000 }, b2cStats: {}, transactions: [] } };
  return { status: 404, body: { code: "NOT_FOUND", message: "There is no such transaction." } };
};

const listed = serviceOf([
  { flow: "standard", id: "T1", reference: "INV-1", amount: 1500, status: "COMPLETED" },
  { flow: "standard", id: "T2", reference: "INV-2", amount: 700, status: "COMPLETED" },
]);

const screens: Readonly<Record<string, Screen>> = {
  "ask-payout": { words: () => ["b2c"], answers: ["07", "0712 345 678", "5", "1500", "REFUND-77", "n"], service: live },
  "ask-payout-again": { words: () => payout, answers: ["n"] },
  "ask-push": {
    words: () => ["stk"],
    answers: ["0712345678", "10.50", "150", "", "INV-7", "n"],
    service: () => ({ status: 401, body: { code: "UNAUTHORIZED", message: "Unknown key." } }),
  },
  "ask-withdrawal": { words: () => withdrawal, answers: ["", "4999"], service: live },
  "ask-rail": { words: () => ["global", "withdraw"], answers: ["1", "5000", "MTN", "0772000001", "no"], service: live },
  "ask-batch": { words: () => ["b2c", "batch", join(home, "payouts.csv")], answers: ["n"], service: live },
  "ask-approval": { words: () => ["approval", "approve", proposal.id], answers: ["n"] },
  "ask-columns": { words: () => ["tx", "reconcile", join(home, "unclear.csv"), "--forget"], answers: ["y", "n"], service: listed },
  "ask-sums": { words: () => ["tx", "reconcile", join(home, "sums.csv"), "--forget"], answers: ["n"], service: listed },
  "stk-dry-run": { words: () => ["stk", "--phone", "0712345678", "--amount", "1500", "--reference", "INV-7", "--dry-run"] },
  "tx-list-all": { words: () => ["tx", "list", "--flow", "all"] },
  "tx-get-paid": { words: () => ["tx", "get", "--reference", "INV-1"] },
  "tx-find": { words: () => ["tx", "find", "REFUND"] },
  "tx-explain": { words: () => ["tx", "explain", "REFUND-77"] },
  "tx-reconcile": { words: () => ["tx", "reconcile", join(home, "orders.csv"), "--forget"] },
  "journal-list-all": { words: () => ["journal", "list"] },
  "journal-show": { words: () => ["journal", "show", attempt.id] },
  "approval-show": { words: () => ["approval", "show", proposal.id] },
  "profile-list": { words: () => ["profile", "list"] },
  doctor: { words: () => ["doctor"] },
  whoami: { words: () => ["whoami"] },
  "wallet-full": { words: () => ["wallet"] },
  "rails-all": { words: () => ["global", "providers", "--country", "KE"] },
  layouts: { words: () => ["tx", "layout", "list"] },
  "error-duplicate": { words: () => [...payout, "--yes"] },
  "error-unknown-command": { words: () => ["pay"] },
};

const proposal = { id: "" };
const attempt = { id: "" };
const sandboxJson = async (...words: readonly string[]) => {
  const { stdout, stderr } = await runCli([...words, "--sandbox", "--json"], { home, clock: { nowMs }, seed: words.join(" ") });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
};
beforeAll(async () => {
  file("payouts.csv", "phone,amount,reference,remarks\n0712345001,100,PAY-1,Rent\n0722000002,250,PAY-2,Rent\n0733000003,1200.50,PAY-3,\n");
  file("orders.csv", "reference,amount,status,date\nINV-1,150,pending,2026-03-01\nINV-2,99,paid,2026-03-01\nINV-3,many,paid,2026-03-01\n");
  file("unclear.csv", 'reference,amount,status\nINV-1,"1,500",paid\n');
  file("sums.csv", "Invoice,Col A,Col B,status\nINV-1,1500,30.00,paid\nINV-2,700,14.00,paid\n");
  await sandboxJson("stk", "--phone", "0712345000", "--amount", "150", "--reference", "INV-1", "--wait");
  await sandboxJson(...payout, "--yes");
  proposal.id = (await sandboxJson("b2c", "--phone", "0733000003", "--amount", "60000", "--reference", "RENT-MAR", "--propose", "Rent of March")).id;
  await sandboxJson("tx", "sync");
  attempt.id = (await sandboxJson("journal", "list")).attempts[0].id;
  await runCli(["login", "--name", "shop", "--base-url", "https://pay.example.com", "--with-key"], {
    home,
    service: live,
    stdin: "test_key_0123456789abcdef",
    env: { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined },
  });
});

/** Without what differs from run to run and from machine to machine: ids of the sandbox, the folder, the person and the disk. */
const steady = (text: string): string =>
  text
    .replace(/\u001b\[[\d;]*m/g, "")
    .replaceAll(home, "/home/ann/payments-cli-000000")
    .replace(/(\b(?:TX\d{6}|HD\d{6}|OC-|AG_|ws_CO_|U(?=[0-9A-Z]{9}\b))|\*{4})[0-9A-Za-z]{4,16}\b/g, (id: string, kind: string) => kind.padEnd(id.length, "X"))
    .replace(/Proposed by\s[\s\S]*?(?=\n *(?:Note|Proposed at))/g, "Proposed by ann@shop from shop")
    .replace(/^(runtime|disk)\s[\s\S]*?(?=^\S)/gm, "$1 …\n");

const show = async ({ words, answers, service }: Screen, width: number): Promise<string> => {
  let text = "";
  const left = [...(answers ?? [])];
  const input = new PassThrough();
  const output = new Writable({
    write: (chunk, _, done) => {
      text += String(chunk);
      // A question waits at the end of its line.
      if (String(chunk).endsWith(": ")) {
        const answer = left.shift() ?? "";
        text += `${answer}\n`;
        input.write(`${answer}\n`);
      }
      done();
    },
  });
  const add = (chunk: string | Uint8Array): void => {
    text += String(chunk);
  };
  const host = {
    out: async (chunk: string | Uint8Array) => add(chunk),
    err: add,
    prompter: async () => createLinePrompter({ input: input as unknown as ReadStream, output: Object.assign(output, { columns: width }) }),
  };
  const argv = [...words(home), ...(service === undefined ? ["--sandbox"] : [])];
  await runCli(argv, {
    home,
    terminal: true,
    width,
    clock: { nowMs },
    seed: `${argv.join(" ")} ${width}`,
    host,
    ...(service === undefined ? {} : { service }),
  });
  return steady(text);
};

test.each(Object.entries(screens).flatMap(([name, screen]) => [40, 80, 120].map((width) => [name, width, screen] as const)))(
  "%s at %s columns",
  async (name, width, screen) => {
    const shown = await show(screen, width);
    await expect(shown).toMatchFileSnapshot(`golden/${name}.${width}.txt`);
  },
);

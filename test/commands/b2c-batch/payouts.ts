import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TransportError } from "../../../src/service/transport.ts";
import { type CliOptions, createHome, runCli, type SeenRequest, type Service } from "../../support/cli.ts";

export type Payment = { readonly id: string; readonly key: string; readonly reference: string; readonly amount: number; status: string };

/** A small payout service that pays once a key, with room for trouble. A phone that ends in 041 ends unpaid, in 036 it stays open. */
export const createPayouts = (trouble: (request: SeenRequest, count: number) => ReturnType<Service> | undefined = () => undefined) => {
  const payments = new Map<string, Payment>();
  let posts = 0;
  const pay = (request: SeenRequest): Payment => {
    const key = request.headers["idempotency-key"] ?? "";
    const { reference, phone, amount } = JSON.parse(request.body) as { reference: string; phone: string; amount: number };
    const status = phone.endsWith("041") ? "FAILED" : phone.endsWith("036") ? "QUEUED" : "COMPLETED";
    const made = payments.get(key) ?? { id: `tx-${payments.size + 1}`, key, reference, amount, status };
    payments.set(key, made);
    return made;
  };
  const read = (id: string): ReturnType<Service> => {
    const found = [...payments.values()].find((payment) => payment.id === id);
    if (found === undefined) return { status: 404, body: {} };
    const metadata = found.status === "FAILED" ? { failureReason: "Payee not registered" } : { mobileMoneyReceipt: `R-${id}` };
    return { body: { id, reference: found.reference, amount: found.amount, status: found.status, metadata } };
  };
  const service: Service = (request) => {
    if (request.path.endsWith("/wallet"))
      return { body: { success: true, wallet: { balance: 900, b2cBalance: 5000, b2cAvailableBalance: 4000 }, transactions: [] } };
    if (request.method === "GET") return trouble(request, posts) ?? read(request.path.split("/").at(-1) ?? "");
    posts++;
    const special = trouble(request, posts);
    if (special !== undefined) return special;
    return { body: { transactionId: pay(request).id, status: "QUEUED", pricingQuote: { amount: 1, fee: 23, total: 24 } } };
  };
  const payThenLose = (request: SeenRequest): never => {
    pay(request);
    throw new TransportError("reset", true, "reset");
  };
  /** How often each reference was paid. */
  const paid = (): Readonly<Record<string, number>> => {
    const times: Record<string, number> = {};
    for (const { reference } of payments.values()) times[reference] = (times[reference] ?? 0) + 1;
    return times;
  };
  return { service, payments, payThenLose, paid, posts: () => posts };
};

export const write = (home: string, text: string, name = "payouts.csv"): string => {
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
};

/**
 * A home with a file of payouts, and a service that pays them. `batch` pays the file as a script does, and gives what it printed; `run`
 * is any other command line there.
 */
export const openBatch = (text: string, trouble?: Parameters<typeof createPayouts>[0]) => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const payouts = createPayouts(trouble);
  const path = write(home, text);
  const run = (words: readonly string[], more: CliOptions = {}) => runCli(words, { home, clock, service: payouts.service, ...more });
  const batch = async (...flags: readonly string[]) => {
    const ended = await run(["b2c", "batch", path, "--yes", "--json", ...flags]);
    const printed: Pick<ReturnType<typeof document>, "summary" | "rows"> = ended.stdout === "" ? { summary: {}, rows: [] } : document(ended.stdout);
    return { ...ended, ...printed };
  };
  return { home, clock, payouts, path, result: `${path}.result.csv`, run, batch };
};

export const header = "phone,amount,reference\n";
/** Rows 0 to count - 1, of KES 100 each. */
export const rows = (count: number): string =>
  Array.from({ length: count }, (_, index) => `0712345${String(index % 10).padStart(3, "0")},100,REF-${index}\n`).join("");

export type BatchRowShown = {
  readonly row: number;
  readonly state: string;
  readonly status?: string;
  readonly reason?: string;
  readonly transactionId?: string;
};
export const document = (stdout: string) =>
  JSON.parse(stdout) as { readonly batchId: string; readonly summary: Readonly<Record<string, unknown>>; readonly rows: readonly BatchRowShown[] };
export const errorOf = (stderr: string) =>
  (JSON.parse(stderr) as { readonly error: { kind: string; message: string; sent: string; hint?: string; command?: string[]; journalId?: string } }).error;

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { createPayment } from "../../src/payments/create-payment.ts";
import { openDatabase } from "../../src/storage/sqlite.ts";
import { b2c } from "../payments/flow-bench.ts";
import { createHome, runCli, type Service } from "../support/cli.ts";
import { createModelService } from "../support/model-service.ts";
import { createClock, createPaymentContext, createRandom, randomFrom } from "../support/payment-context.ts";
import { payoutWords } from "../support/payout-words.ts";

const service: Service = ({ method, path }) => {
  if (method === "POST") return { body: { transactionId: "T-1", status: "QUEUED" } };
  return path.endsWith("/transactions") ? { body: { transactions: [], total: 0 } } : { body: { id: "T-1", status: "QUEUED" } };
};
const posts = ({ requests }: { readonly requests: readonly { readonly method: string }[] }): number =>
  requests.filter(({ method }) => method === "POST").length;

/** A home with two accepted payouts, of which the first is changed by `sql`, behind the program's back. */
const damagedHome = async (sql: string) => {
  const home = createHome();
  for (const reference of ["R", "OTHER"]) expect(await runCli(payoutWords(reference), { home, service })).toMatchObject({ code: 0 });
  const database = await openDatabase(join(home, "data", "journal.db"));
  database.exec(`UPDATE attempts SET ${sql} WHERE reference = 'R'`);
  database.close();
  return home;
};

const changes: readonly (readonly [name: string, sql: string])[] = [
  ["state", "state = 'refused'"],
  ["a state of nobody's", "state = 'acceptee'"],
  ["status", "status = 'FAILED'"],
  ["operation", "operation = 'b3c'"],
  ["operation and endpoint", "operation = 'b3c', endpoint = ''"],
  ["tries", "tries = '['"],
  ["transaction", "transaction_id = 'T-2'"],
  ["body", "body = replace(body, '100', '900')"],
  ["base URL", "base_url = 'http://127.0.0.1:8'"],
  ["idempotency key", "idempotency_key = 'x'"],
  ["start", "started_at = '1926-03-01T08:00:00.000Z'"],
  ["checksum", "checksum = ''"],
];

describe("an attempt that is not what was written", () => {
  test.each(changes)("%s: counts as open, is shown as damaged, and hinders no other payment", async (_, sql) => {
    const home = await damagedHome(sql);
    const again = await runCli(payoutWords("R"), { home, service });
    expect([again.code, posts(again)]).toEqual([11, 0]);
    expect(JSON.parse(again.stderr).error.message).toContain("damaged");
    const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout);
    expect(attempts).toMatchObject([
      { reference: "OTHER", state: "accepted" },
      { reference: "R", state: "unknown", damaged: true },
    ]);
    expect(attempts[0].damaged).toBeUndefined();
    expect((await runCli(["journal", "list"], { home })).stdout).toContain("damaged");
    const doctor = await runCli(["doctor", "--json"], { home, service });
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ name: "journal", ok: false, detail: expect.stringContaining(attempts[1].id) }),
    );
    expect(await runCli(payoutWords("THIRD"), { home, service })).toMatchObject({ code: 0 });
  });

  test("is neither looked up nor sent again; a person closes it", async () => {
    const home = await damagedHome("amount = '900'");
    const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout);
    const { id, idempotencyKey } = attempts[1];
    for (const argv of [["journal", "resume", id, "--yes", "--json"], payoutWords("R", "--idempotency-key", idempotencyKey)]) {
      const { code, stderr, requests } = await runCli(argv, { home, service });
      expect([code, requests]).toEqual([9, []]);
      expect(JSON.parse(stderr).error.hint).toContain("--mark");
    }
    expect(await runCli(["journal", "show", id, "--json"], { home })).toMatchObject({ code: 0, stdout: expect.stringContaining('"damaged": true') });
    const marked = await runCli(["journal", "resume", id, "--mark", "accepted", "--json"], { home, service });
    expect([marked.code, JSON.parse(marked.stdout).attempts]).toMatchObject([0, [{ id, state: "accepted" }]]);
    expect(await runCli(payoutWords("R"), { home, service })).toMatchObject({ code: 11 });
  });
});

describe("a bit that flipped in the file", () => {
  const root = createHome();
  const clock = createClock({ nowMs: Date.UTC(2026, 2, 1, 8) });
  const pageBytes = 4096;
  // Not that of the first payment: its id and key would be taken.
  const random = randomFrom(createRandom(2));

  /** One payout in a journal that was closed. */
  const written = async (): Promise<Buffer> => {
    const dataFolder = join(root, "written");
    const journal = await openJournal({ dataFolder, clock });
    await createPayment(b2c(), createPaymentContext({ journal, transport: createModelService().transport, clock, flags: { yes: true } }));
    journal.dispose();
    const copy = join(root, "copy.db");
    copyFileSync(join(dataFolder, "journal.db"), copy);
    copyFileSync(join(dataFolder, "journal.db-wal"), `${copy}-wal`);
    const database = await openDatabase(copy);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    return readFileSync(copy);
  };

  /** How the same payout ends on a journal with that bit flipped, and how many were sent. */
  const payAgain = async (bytes: Buffer, at: number, bit: number, count: number): Promise<readonly [string, number]> => {
    const dataFolder = join(root, String(count));
    mkdirSync(join(dataFolder, "locks"), { recursive: true });
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
    writeFileSync(join(dataFolder, "journal.db"), flipped);
    const model = createModelService();
    const pay = async (): Promise<string> => {
      const journal = await openJournal({ dataFolder, clock });
      try {
        await createPayment(b2c(), createPaymentContext({ journal, transport: model.transport, clock, random, flags: { yes: true } }));
        return "sent";
      } finally {
        journal.dispose();
      }
    };
    const end = await pay().catch((error: unknown) => (error instanceof CliError ? error.kind : String(error)));
    rmSync(dataFolder, { recursive: true });
    return [end, model.payments.length];
  };

  test("never lets the same payout be made again", { timeout: 300_000 }, async () => {
    const bytes = await written();
    const fraction = createRandom(1);
    const key = Buffer.from(await guardKeyIn(join(root, "copy.db")));
    const places: number[] = [];
    // Every copy of the guard's key, what is beside it, and the head of each page, where a flip hides most; then anywhere.
    for (let from = bytes.indexOf(key); from >= 0; from = bytes.indexOf(key, from + 1))
      for (let at = from - 8; at < from + key.length + 8; at++) places.push(at);
    for (let page = 0; page < bytes.length; page += pageBytes) for (let at = 0; at < 12; at++) places.push(page + at);
    places.push(...Array.from({ length: Number(process.env["PAYMENTS_FLIPS"] ?? "300") }, () => Math.floor(fraction() * bytes.length)));
    const ends = new Map<string, number>();
    for (const [count, at] of places.entries()) {
      const bit = Math.floor(fraction() * 8);
      const [end, sent] = await payAgain(bytes, at, bit, count);
      expect([end, sent], `bit ${bit} of byte ${at} (page ${Math.floor(at / pageBytes) + 1}, ${at % pageBytes})`).toEqual([
        expect.stringMatching(/^(duplicate|usage)$/),
        0,
      ]);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    // Most of a file is not of this payment: it is found, and refused as what it is.
    expect(ends.get("duplicate")).toBeGreaterThan(places.length / 4);
  });

  const guardKeyIn = async (path: string): Promise<string> => {
    const database = await openDatabase(path, { readOnly: true });
    const row = database.prepare("SELECT guard_key FROM attempts").get();
    database.close();
    return String(Object.values(Object(row))[0]);
  };
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, cleanEnv, compare } from "./processes.mjs";

const { DatabaseSync } = createRequire(import.meta.url)("@photostructure/sqlite");
const url = "http://127.0.0.1:9";

/** A mirror of so many transactions, written past the program: fetching them would take most of a bench's time. */
const fill = (file, rows) => {
  const database = new DatabaseSync(file);
  const base = database.prepare("SELECT base FROM syncs").get().base;
  const insert = database.prepare(
    "INSERT INTO transactions (seq, base, id, flow, status, state, detailed, body, phone_back) VALUES (?, ?, ?, 'standard', 'COMPLETED', 'paid', 1, ?, ?)",
  );
  const token = database.prepare("INSERT INTO tokens VALUES (?, ?, ?)");
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN");
  for (let row = 1; row <= rows; row++) {
    // Spread over the whole range, as real ids and receipts are: in order they would flatter the index.
    const mixed = (Math.imul(row, 2654435761) >>> 0).toString(36).padStart(7, "0");
    const phone = `2547${String((row * 7919) % 100_000_000).padStart(8, "0")}`;
    const one = {
      id: `tx-${mixed}`,
      reference: `INV-${row}`,
      amount: 100,
      status: "COMPLETED",
      providerRef: `ws-${mixed}`,
      metadata: { phone, mobileMoneyReceipt: `R${mixed}` },
    };
    insert.run(row, base, one.id, JSON.stringify(one), [...phone].reverse().join(""));
    for (const text of [`tx${mixed}`, `inv${row}`, `ws${mixed}`, `r${mixed}`]) token.run(base, text, row);
  }
  database.exec("COMMIT");
  const last = database.prepare("SELECT body FROM transactions WHERE seq = ?").get(Math.floor(rows / 2));
  database.close();
  return JSON.parse(last.body);
};

/** Finding one of many by each of its names, against a start of Node. */
export const find = async ({ rows = 1_000_000, runs = 7 } = {}) => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  const env = { PAYMENTS_HOME: home, PAYMENTS_API_KEY: "bench_key_0123456789", PAYMENTS_BASE_URL: url };
  try {
    const service = await import("./service.mjs").then(({ startAnswering }) => startAnswering({ transactions: [], total: 0 }));
    // An empty list makes the mirror, with the name that its rows go by.
    const from = { ...env, PAYMENTS_BASE_URL: service.url };
    execFileSync(process.execPath, [binary, "tx", "sync"], { env: cleanEnv(from), stdio: "ignore" });
    await service.close();
    const one = fill(join(home, "data", "mirror.db"), rows);
    const search = (text) => ({ args: [binary, "tx", "find", text, "--json"], env: from });
    const medians = await compare(
      {
        floor: { args: ["-e", "0"] },
        reference: search(one.reference.toLowerCase().replace("-", " ")),
        receipt: search(one.metadata.mobileMoneyReceipt),
        "provider reference": search(one.providerRef),
        id: search(one.id),
        "end of a phone": search(one.metadata.phone.slice(-7)),
      },
      runs,
    );
    return Object.keys(medians)
      .filter((name) => name !== "floor")
      .map((name) => ({ name: `tx find among ${rows}, by ${name}`, ratio: medians[name] / medians.floor, target: 2, against: "node -e 0" }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

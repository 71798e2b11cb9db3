import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/storage/sqlite.ts";
import { openMirror, openMirrorToRead } from "../../src/transactions/mirror.ts";
import { type Transaction, toTransaction } from "../../src/transactions/transaction.ts";
import { createHome } from "../support/cli.ts";

const base = "http://127.0.0.1:9 key…1";
const seen = (id: string, status = "SENT"): { flow: "standard"; transaction: Transaction; detailed: boolean } => ({
  flow: "standard",
  transaction: toTransaction({ id, reference: `R-${id}`, amount: 10, status }),
  detailed: false,
});

/** A mirror as it was made before first-seen times were kept. */
const oldMirror = async (home: string): Promise<void> => {
  mkdirSync(home, { recursive: true });
  const database = await openDatabase(join(home, "mirror.db"));
  database.exec(`CREATE TABLE transactions (seq INTEGER PRIMARY KEY, base TEXT NOT NULL, id TEXT NOT NULL, flow TEXT NOT NULL, status TEXT NOT NULL,
    state TEXT NOT NULL, status_conflict TEXT, detailed INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL, phone_back TEXT, UNIQUE (base, id)) STRICT;
    CREATE TABLE tokens (base TEXT NOT NULL, token TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (base, token, seq)) STRICT, WITHOUT ROWID;
    CREATE TABLE syncs (base TEXT PRIMARY KEY, synced_at TEXT, listed TEXT NOT NULL DEFAULT '{}') STRICT;
    INSERT INTO transactions (base, id, flow, status, state, body) VALUES ('${base}', 'T1', 'standard', 'COMPLETED', 'paid', '{"id":"T1","status":"COMPLETED"}');
    INSERT INTO tokens VALUES ('${base}', 't1', 1);`);
  database.close();
};

describe("when the mirror first saw a transaction", () => {
  it("is kept through later changes, and unknown for what it never saw", async () => {
    const home = createHome();
    const mirror = await openMirror(home, base);
    mirror.save([seen("T1"), seen("T2")], "2026-03-01T08:00:00.000Z");
    mirror.save([seen("T1", "COMPLETED"), seen("T3")], "2026-03-02T08:00:00.000Z");
    mirror.dispose();
    const again = await openMirrorToRead(home, base);
    expect([...(again?.firstSeen(["T1", "T2", "T3", "T4"]) ?? [])]).toEqual([
      ["T1", "2026-03-01T08:00:00.000Z"],
      ["T2", "2026-03-01T08:00:00.000Z"],
      ["T3", "2026-03-02T08:00:00.000Z"],
    ]);
    again?.dispose();
  });

  it("belongs to one merchant", async () => {
    const home = createHome();
    const mirror = await openMirror(home, base);
    mirror.save([seen("T1")], "2026-03-01T08:00:00.000Z");
    mirror.dispose();
    const other = await openMirror(home, "http://127.0.0.1:9 key…2");
    expect(other.firstSeen(["T1"]).size).toBe(0);
    other.dispose();
  });

  it.each([
    ["written to", openMirror],
    ["read", openMirrorToRead],
  ])("is at the latest now in a mirror of an earlier version that is %s", async (_, open) => {
    const home = createHome();
    await oldMirror(home);
    const before = new Date().toISOString();
    const mirror = await open(home, base);
    const at = mirror?.firstSeen(["T1"]).get("T1") ?? "";
    expect([at >= before, at <= new Date().toISOString(), mirror?.find({ text: "T1" })]).toEqual([true, true, [{ id: "T1", status: "COMPLETED" }]]);
    mirror?.dispose();
    const again = await open(home, base);
    expect(again?.firstSeen(["T1"]).get("T1")).toBe(at);
    again?.dispose();
  });
});

it("counts a mirror that was left empty, where none can be made, as one that cannot be used", async () => {
  const home = createHome();
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "mirror.db"), "");
  // As on a full disk: SQLite can make no file beside the database.
  mkdirSync(join(home, "mirror.db-journal"));
  await expect(openMirror(home, base)).rejects.toMatchObject({ kind: "usage" });
  expect(await openMirrorToRead(home, base)).toBeUndefined();
});

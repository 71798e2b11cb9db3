import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/storage/sqlite.ts";
import { openOutbox } from "../../../src/webhooks/outbox.ts";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, serviceOf } from "../../support/transactions-service.ts";

const env = { PAYMENTS_WEBHOOK_SECRET: `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}` };
const target = "http://127.0.0.1:3000/h";
type Post = { readonly id: string | undefined; readonly transaction: string };

/** An endpoint that takes what `take` says, and every delivery that reached it. */
const endpoint = (take: (count: number) => number) => {
  const posts: Post[] = [];
  const post = async ({ headers, body }: { headers: Readonly<Record<string, string>>; body: Uint8Array }) => {
    posts.push({ id: headers["webhook-id"], transaction: JSON.parse(Buffer.from(body).toString()).data.id });
    return { status: take(posts.length), headers: {} };
  };
  return { posts, post };
};
const paid = (count: number): Held[] =>
  Array.from({ length: count }, (_, index) => ({ flow: "standard", id: `T${index}`, reference: `R-${index}`, amount: 10, status: "COMPLETED" }));
const watch = (ids: readonly string[], held: Held[], options: Parameters<typeof runCli>[1]) =>
  runCli(["tx", "watch", ...ids, "--forward-to", target, "--retries", "0", "-o", "jsonl"], { service: serviceOf(held), env, ...options });

/** The tables in which an earlier version kept deliveries, with one that is pending. */
const oldTables = (base: string): string => `
  CREATE TABLE watched (base TEXT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (base, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE deliveries (base TEXT NOT NULL, target TEXT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, previous TEXT, body TEXT NOT NULL,
    delivered_at TEXT, PRIMARY KEY (base, target, id, status)) STRICT;
  INSERT INTO watched VALUES ('${base}', 'T0', 'COMPLETED');
  INSERT INTO deliveries VALUES ('${base}', '${target}', 'T0', 'COMPLETED', 'SENT', '{"id":"T0","status":"COMPLETED"}', NULL);`;

describe("the outbox of tx watch --forward-to", () => {
  it("survives a mirror that was deleted and fetched again", async () => {
    const home = createHome();
    const held = paid(1);
    const down = endpoint(() => 503);
    expect((await runCli(["tx", "sync"], { service: serviceOf(held), home, env })).code).toBe(0);
    expect((await watch(["T0"], held, { home, post: down.post })).code).toBe(6);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(home, "data", `mirror.db${suffix}`), { force: true });
    expect((await runCli(["tx", "sync"], { service: serviceOf(held), home, env })).code).toBe(0);
    const up = endpoint(() => 200);
    // Nothing is open any more, so only the outbox knows of the change.
    expect((await watch([], held, { home, post: up.post })).code).toBe(0);
    expect(up.posts).toEqual(down.posts.slice(0, 1));
  });

  it("delivers every change at least once under one webhook-id, wherever the program dies", async () => {
    const held = paid(4);
    const ids = held.map(({ id }) => id);
    const whole = endpoint(() => 200);
    await watch(ids, held, { post: whole.post });
    // Dies at each delivery in turn: the endpoint may have taken it, and nothing here knows.
    for (let at = 1; at <= held.length; at += 1) {
      const home = createHome();
      const first = endpoint((count) => {
        if (count === at) throw new Error("killed");
        return 200;
      });
      expect((await watch(ids, held, { home, post: first.post })).code).toBe(1);
      const second = endpoint(() => 200);
      expect((await watch(ids, held, { home, post: second.post })).code).toBe(0);
      expect(first.posts.at(-1)).toEqual(second.posts[0]);
      const taken = [...first.posts.slice(0, -1), ...second.posts];
      expect(taken.map(({ id }) => id).sort()).toEqual(whole.posts.map(({ id }) => id).sort());
    }
  });

  it("ends with 0 only when all of very many were delivered", async () => {
    const held = paid(1203);
    const { posts, post } = endpoint(() => 200);
    const home = createHome();
    const account = await openOutbox(join(home, "data"), await baseOf(home), target);
    for (const row of held)
      account.enqueue({ id: row.id, status: row.status, previous: "SENT", direction: "in", transaction: { id: row.id, status: row.status } });
    account.dispose();
    expect((await watch(["T0"], held, { home, post })).code).toBe(0);
    expect(new Set(posts.map(({ transaction }) => transaction)).size).toBe(1203);
  });

  it("does not end with 0 when Ctrl-C came before a delivery was made", async () => {
    const stop = new AbortController();
    const held = paid(1);
    const home = createHome();
    const { post } = endpoint(() => {
      stop.abort();
      stop.signal.throwIfAborted();
      return 200;
    });
    const { code, stderr } = await watch(["T0"], held, { home, post, signal: stop.signal });
    expect([code, stderr]).toEqual([130, expect.stringContaining("remembered")]);
  });

  it("takes over what an earlier version left in the mirror, once, also after dying in between", async () => {
    const home = createHome();
    const data = join(home, "data");
    mkdirSync(data);
    const mirror = await openDatabase(join(data, "mirror.db"), { wal: false });
    mirror.exec(oldTables(await baseOf(home)));
    mirror.close();
    copyFileSync(join(data, "mirror.db"), join(data, "before.db"));
    const { posts, post } = endpoint(() => 200);
    expect((await watch(["T0"], paid(1), { home, post })).code).toBe(0);
    expect(posts.map(({ transaction }) => transaction)).toEqual(["T0"]);
    // Died after the copy was committed and before the originals were dropped.
    copyFileSync(join(data, "before.db"), join(data, "mirror.db"));
    expect((await watch(["T0"], paid(1), { home, post })).code).toBe(0);
    expect(posts).toHaveLength(1);
    const after = await openDatabase(join(data, "mirror.db"));
    expect(after.prepare("SELECT name FROM sqlite_schema WHERE name IN ('watched', 'deliveries')").all()).toEqual([]);
    after.close();
  });

  it("says so when the outbox or the old deliveries cannot be read, and posts nothing", async () => {
    for (const file of ["outbox.db", "mirror.db"]) {
      const home = createHome();
      const data = join(home, "data");
      mkdirSync(data);
      copyFileSync(new URL(import.meta.url).pathname, join(data, file));
      const { posts, post } = endpoint(() => 200);
      const { code, stderr, stdout } = await watch(["T0"], paid(1), { home, post });
      expect([code, stdout, posts, stderr.includes(join(data, file))]).toEqual([2, "", [], true]);
      expect(existsSync(join(data, file))).toBe(true);
    }
  });
});

/** What an outbox of the test account belongs to: read from one that the program made. */
const baseOf = async (home: string): Promise<string> => {
  const other = createHome();
  await watch(["T0"], paid(1), { home: other, post: endpoint(() => 200).post });
  const database = await openDatabase(join(other, "data", "outbox.db"));
  const row = database.prepare("SELECT base FROM deliveries").get();
  database.close();
  expect(home).not.toBe(other);
  return typeof row === "object" && row !== null && "base" in row ? String(row.base) : "";
};

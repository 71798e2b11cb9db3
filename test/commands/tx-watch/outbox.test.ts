import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/storage/sqlite.ts";
import { toTransaction } from "../../../src/transactions/transaction.ts";
import { openOutbox } from "../../../src/webhooks/outbox.ts";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";

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
const paid = (count: number): Held[] => Array.from({ length: count }, (_, index) => payment(`T${index}`, `R-${index}`, 10));
const watch = (ids: readonly string[], held: Held[], options: Parameters<typeof runCli>[1]) =>
  runCli(["tx", "watch", ...ids, "--forward-to", target, "--retries", "0", "-o", "jsonl"], { service: serviceOf(held), env, ...options });

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
    for (const row of held) account.enqueue({ direction: "in", transaction: toTransaction({ id: row.id, status: row.status }) });
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

  it("says so when the outbox cannot be read, and posts nothing", async () => {
    const home = createHome();
    const file = join(home, "data", "outbox.db");
    mkdirSync(join(home, "data"));
    copyFileSync(new URL(import.meta.url).pathname, file);
    const { posts, post } = endpoint(() => 200);
    const { code, stderr, stdout } = await watch(["T0"], paid(1), { home, post });
    expect([code, stdout, posts, stderr.includes(file), existsSync(file)]).toEqual([2, "", [], true, true]);
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

import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runBinary, startBinary } from "../../support/process.ts";

type Ready = { readonly baseUrl: string; readonly apiKey: string; readonly pid: number; readonly webhookSecret: string; readonly dashboardUrl: string };
type Running = { readonly ready: Ready; readonly child: ReturnType<typeof startBinary>; readonly readyMs: number };

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});
const newHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), "payments-sandbox-home-"));
  ends.push(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return home;
};

const start = async (home: string, more: readonly string[] = []): Promise<Running> => {
  const startedMs = performance.now();
  const child = startBinary(["sandbox", "--port", "0", "--json", ...more], { home });
  ends.push(() => child.kill("SIGKILL"));
  const ready = await new Promise<Ready>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (part) => {
      text += String(part);
      if (text.includes("\n")) resolve(JSON.parse(text.slice(0, text.indexOf("\n"))) as Ready);
    });
    child.then(
      (result) => reject(new Error(`It ended with ${result.exitCode}: ${result.stderr}`)),
      (error) => reject(error),
    );
  });
  return { ready, child, readyMs: performance.now() - startedMs };
};

const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const ask = (ready: Ready, method: string, path: string, body?: object, key?: string): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${ready.apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    };
    const sent = request(new URL(path, ready.baseUrl), { method, agent, headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => {
        text += String(part);
      });
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
const payout = (ready: Ready, n: number) =>
  ask(ready, "POST", "/api/v1/merchants/payments/b2c", { phone: "254712345036", amount: 10, reference: `K-${n}` }, `key-${n}`);

describe("the sandbox as a process", () => {
  test("kill -9 in the middle of many requests loses nothing that was answered, and no key works twice", async () => {
    const home = newHome();
    const first = await start(home);
    const answered = new Map<number, string>();
    let next = 0;
    const worker = async (): Promise<void> => {
      for (;;) {
        const n = next;
        next += 1;
        const answer = await payout(first.ready, n);
        if (answer.status === 200) answered.set(n, answer.text);
      }
    };
    const workers = Array.from({ length: 30 }, () => worker().catch(() => undefined));
    while (answered.size < 300) await new Promise((resolve) => setTimeout(resolve, 10));
    first.child.kill("SIGKILL");
    await Promise.all(workers);
    await first.child;

    const second = await start(home);
    expect(second.ready.apiKey).toBe(first.ready.apiKey);
    for (let n = 0; n < next; n += 1) {
      const again = await payout(second.ready, n);
      expect(again.status).toBe(200);
      if (answered.has(n)) expect(again.text).toBe(answered.get(n));
    }
    const wallet = JSON.parse((await ask(second.ready, "GET", "/api/v1/merchants/payments/wallet")).text).wallet;
    expect(wallet.b2cHeldBalance).toBe(next * 15);
    expect(wallet.b2cHolds).toHaveLength(next);
    second.child.kill("SIGTERM");
    expect((await second.child).exitCode).toBe(0);
  });

  test("a second one on the same data, and a port in use, end with 2 in words; Ctrl-C ends with 0", async () => {
    const home = newHome();
    const { ready, child } = await start(home);
    const second = await runBinary(["sandbox", "--port", "0"], { home });
    expect([second.code, second.stdout]).toEqual([2, ""]);
    expect(second.stderr).toContain(ready.baseUrl);
    const taken = await runBinary(["sandbox", "--ephemeral", "--port", new URL(ready.baseUrl).port], { home });
    expect(taken.code).toBe(2);
    expect(taken.stderr).toContain("in use");
    child.kill("SIGINT");
    const ended = await child;
    expect([ended.exitCode, ended.stderr]).toEqual([0, ""]);
  });

  test("--sandbox joins one that runs, and works alone on the same data when it is gone", async () => {
    const home = newHome();
    const { child } = await start(home, ["--seed", "5"]);
    const sent = await runBinary(["stk", "--sandbox", "--phone", "0712345678", "--amount", "10", "--reference", "J-1", "--json"], { home });
    expect(sent.code).toBe(0);
    const { transactionId } = JSON.parse(sent.stdout);
    child.kill("SIGTERM");
    await child;
    const found = await Promise.all([1, 2, 3].map(() => runBinary(["tx", "get", transactionId, "--sandbox", "--json"], { home })));
    expect(found.map((one) => [one.code, JSON.parse(one.stdout).reference])).toEqual([1, 2, 3].map(() => [0, "J-1"]));
    const profiles = await runBinary(["profile", "list", "--json"], { home });
    expect(JSON.parse(profiles.stdout).profiles).toMatchObject([{ name: "sandbox", mode: "sandbox", current: false }]);
  });
});

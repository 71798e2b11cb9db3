import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { json, runBinary, startBinary, startService } from "../../support/process.ts";

/** In memory where the system has such a folder: how fast a disk syncs is not what these show. */
const temporary = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});
const createHome = (): string => {
  const home = mkdtempSync(join(temporary, "payments-cli-reports-"));
  homes.push(home);
  return home;
};
const key = "test_key_0123456789abcdef";
const stk = (reference: string): string[] => ["stk", "--phone", "0712345678", "--amount", "10", "--reference", reference];

/** A proxy that writes down what it is asked and refuses it. */
const startProxy = async (): Promise<{ readonly url: string; readonly asked: string[]; readonly server: Server }> => {
  const asked: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (data) => {
      asked.push(data.toString("latin1").split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
};

describe("cases/reports.md, on the real binary", () => {
  it("O2: an answer that takes 3 s is one document all the same, and nothing else", async () => {
    const service = await startService((_, response) => void setTimeout(() => json(response, 200, { transactions: [], total: 0 }), 3_000));
    const env = { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: service.url };
    const { code, stdout, stderr } = await runBinary(["tx", "list", "--json"], { home: createHome(), env });
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, { transactions: [], total: 0 }, ""]);
  });

  it("P1: without its flags, and with nothing on standard input, a creating command ends at once", async () => {
    const service = await startService((_, response) => json(response, 500, {}));
    const env = { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: service.url };
    const home = createHome();
    for (const command of [["stk"], ["b2c"], ["b2c", "batch"], ["global", "collect"], ["global", "withdraw"]]) {
      const { code, stdout, stderr } = await runBinary(command, { home, env });
      expect([command, code, stdout]).toEqual([command, 2, ""]);
      expect(stderr).toMatch(/--reference|--currency|FILE/);
    }
    expect(service.seen).toEqual([]);
  });

  it("K7: --debug shows no secret of a success, a 401 and a refused connection", async () => {
    const service = await startService((seen, response) =>
      seen.url.includes("fx")
        ? json(response, 401, { message: `bad ${seen.headers.authorization}` })
        : json(response, 200, { success: true, wallet: { balance: 1 } }),
    );
    const secrets = { PAYMENTS_API_KEY: key, PAYMENTS_WEBHOOK_SECRET: "whsec_c2VjcmV0c2VjcmV0" };
    const home = createHome();
    const codes: (number | undefined)[] = [];
    for (const [command, baseUrl] of [
      [["wallet"], service.url],
      [["global", "fx"], service.url],
      [["wallet", "--retries", "0"], "http://127.0.0.1:1"],
    ] as const) {
      const { code, stdout, stderr } = await runBinary([...command, "--debug"], { home, env: { ...secrets, PAYMENTS_BASE_URL: baseUrl } });
      codes.push(code);
      expect(stderr).toContain("debug: ");
      for (const secret of Object.values(secrets))
        for (const form of [secret, Buffer.from(secret).toString("base64").replace(/=+$/, "")]) expect(stdout + stderr).not.toContain(form);
    }
    expect(codes).toEqual([0, 3, 10]);
  });

  it("H5: the proxy is used, gone around where NO_PROXY says so, and never for loopback", async () => {
    const proxy = await startProxy();
    try {
      const service = await startService((_, response) => json(response, 200, { transactionId: "T1", status: "SENT" }));
      const home = createHome();
      const run = (reference: string, env: Readonly<Record<string, string>>) =>
        runBinary([...stk(reference), "--retries", "0", "--timeout", "3", "--json"], { home, env: { PAYMENTS_API_KEY: key, HTTPS_PROXY: proxy.url, ...env } });
      const through = await run("H5-1", { PAYMENTS_BASE_URL: "https://api.example.test" });
      expect([through.code, proxy.asked.splice(0)]).toEqual([10, ["CONNECT api.example.test:443 HTTP/1.1"]]);
      const around = await run("H5-2", { PAYMENTS_BASE_URL: "https://api.example.test", NO_PROXY: "api.example.test" });
      expect([around.code, proxy.asked]).toEqual([10, []]);
      const here = await run("H5-3", { PAYMENTS_BASE_URL: service.url, HTTP_PROXY: proxy.url });
      expect([here.code, service.seen.length, proxy.asked]).toEqual([0, 1, []]);
    } finally {
      proxy.server.close();
    }
  });

  it("K8: another port of the same host sees nothing of a redirect", async () => {
    const other = await startService((_, response) => json(response, 200, { success: true, wallet: {}, transactionId: "T1" }));
    const home = createHome();
    for (const status of [302, 307, 308]) {
      const service = await startService((_, response) => void response.writeHead(status, { location: `${other.url}/else` }).end());
      const env = { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: service.url };
      expect((await runBinary(["global", "wallet", "--json", "--retries", "0"], { home, env })).code).toBe(10);
      expect((await runBinary([...stk(`K8-${status}`), "--json", "--retries", "0"], { home, env })).code).toBe(9);
      expect(service.seen.length).toBe(2);
    }
    expect(other.seen).toEqual([]);
  });

  it("W5: a FAILED after COMPLETED is shown as a contradiction, and what is stored stays COMPLETED", async () => {
    const row = { id: "T1", reference: "W5", amount: 10, status: "COMPLETED", metadata: { receipt: "UC1" } };
    const service = await startService(({ url }, response) => {
      const page = url.includes("flow=b2c") || /offset=[1-9]/.test(url) ? [] : [row];
      json(response, 200, url.includes("/T1") ? row : { transactions: page, total: url.includes("flow=b2c") ? 0 : 1 });
    });
    const home = createHome();
    const options = { home, env: { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: service.url } };
    expect((await runBinary(["tx", "sync"], options)).code).toBe(0);
    const listening = startBinary(["webhook", "listen", "--port", "0", "--json"], options);
    const shown: { valid: boolean; reason?: string; body: string }[] = [];
    let url = "";
    const deliver = (id: string, status: string): void =>
      void fetch(url, { method: "POST", body: JSON.stringify({ type: "payment", id, data: { ...row, status } }) });
    for await (const line of listening) {
      if (url === "") {
        url = JSON.parse(String(line)).url;
        deliver("evt_1", "COMPLETED");
      } else if (shown.push(JSON.parse(String(line))) === 1) deliver("evt_2", "FAILED");
      else listening.kill("SIGINT");
    }
    await listening;
    expect(shown.map(({ body }) => JSON.parse(body).data.status)).toEqual(["COMPLETED", "FAILED"]);
    expect(shown[1]?.reason).toMatch(/FAILED contradicts COMPLETED/);
    const found = JSON.parse((await runBinary(["tx", "find", "W5", "--json"], options)).stdout);
    expect(found.transactions).toMatchObject([{ id: "T1", status: "COMPLETED" }]);
  });

  it("D4: of 1,000 rows, killed after 600, the second run sends only the rest", async () => {
    const paid = new Map<string, string>();
    let creations = 0;
    let onRow = (_: number): void => undefined;
    const service = await startService((seen, response) => {
      if (seen.method === "GET") return json(response, 200, { success: true, wallet: {}, transactions: [], total: 0 });
      creations += 1;
      const idempotencyKey = String(seen.headers["idempotency-key"]);
      paid.set(idempotencyKey, JSON.parse(seen.body).reference);
      onRow(paid.size);
      json(response, 200, { transactionId: `T-${idempotencyKey}`, status: "QUEUED" });
    });
    const home = createHome();
    const path = join(home, "payouts.csv");
    const rows = Array.from({ length: 1_000 }, (_, index) => `0712${String(index).padStart(6, "0")},100,D4-${index}`);
    writeFileSync(path, `phone,amount,reference\n${rows.join("\n")}\n`);
    const env = { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: service.url };
    const argv = ["b2c", "batch", path, "--yes", "--json"];
    const first = startBinary(argv, { home, env });
    onRow = (count) => void (count === 600 && first.kill("SIGKILL"));
    await first;
    const before = creations;
    expect([before >= 600, before < 1_000]).toEqual([true, true]);
    const second = await runBinary(argv, { home, env });
    expect([second.code, JSON.parse(second.stdout).summary]).toMatchObject([0, { rows: 1_000, accepted: 1_000 }]);
    expect([paid.size, new Set(paid.values()).size]).toEqual([1_000, 1_000]);
    // Rows that were in flight at the kill, or answered and not recorded yet, are asked about again under their own keys, no others.
    expect(creations - before).toBeLessThan(1_000 - 600 + 100);
  });
});

import { describe, expect, it } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const stk = (reference: string): string[] => ["stk", "--phone", "0712345678", "--amount", "10", "--reference", reference];
const sent: Service = () => ({ body: { transactionId: "T1", status: "SENT" } });

describe("cases/reports.md, HTTP and retries", () => {
  it("H3: after a 402 the same command is a new attempt, and the journal has both", async () => {
    const home = createHome();
    const broke: Service = () => ({ status: 402, body: { success: false, code: "PAYMENT_REQUIRED", message: "Add credits" } });
    expect((await runCli(stk("H3"), { home, service: broke })).code).toBe(5);
    expect((await runCli(stk("H3"), { home, service: sent })).code).toBe(0);
    const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout);
    expect(attempts.map(({ state }: { state: string }) => state).sort()).toEqual(["accepted", "refused"]);
    expect(new Set(attempts.map(({ idempotencyKey }: { idempotencyKey: string }) => idempotencyKey)).size).toBe(2);
  });

  it("H7: what was not given is not sent, and an empty flag is not given", async () => {
    const { code, requests } = await runCli(stk("H7"), { service: sent });
    expect([code, requests.map(({ body }) => Object.keys(JSON.parse(body)).sort())]).toEqual([0, [["amount", "phone", "reference"]]]);
    const empty = await runCli(stk(""), { service: sent });
    expect([empty.code, empty.requests.length]).toEqual([2, 0]);
    expect(empty.stderr).toContain("--reference");
  });

  it.each([302, 307, 308])("K8: a %i is followed nowhere", async (status) => {
    const moved: Service = () => ({ status, headers: { location: "http://127.0.0.1:10/else" } });
    for (const argv of [["global", "wallet", "--json"], stk("K8")]) {
      const { code, stdout, requests } = await runCli([...argv, "--retries", "1"], { service: moved });
      expect([code, stdout]).toEqual([argv[0] === "stk" ? 9 : 10, ""]);
      expect(new Set(requests.map(({ path }) => path)).size).toBe(1);
    }
  });
});

describe("cases/reports.md, prompts", () => {
  it.each([
    [["stk"], ["--phone", "--amount", "--reference"]],
    [["b2c"], ["--phone", "--amount", "--reference"]],
    [["b2c", "batch"], ["FILE"]],
    [
      ["global", "collect"],
      ["--rail", "--amount", "--currency"],
    ],
    [
      ["global", "withdraw"],
      ["--rail", "--channel", "--amount", "--currency"],
    ],
  ])("P1: %j without its flags names them and sends nothing", async (argv, missing) => {
    const { code, stdout, stderr, requests } = await runCli(argv, { service: sent });
    expect([code, stdout, requests.length]).toEqual([2, "", 0]);
    for (const name of missing) expect(stderr).toContain(name);
  });

  it("P3: declined leaves no open attempt behind", async () => {
    const home = createHome();
    const argv = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "P3"];
    const { code, requests } = await runCli(argv, { home, service: sent, answers: [false] });
    expect([code, requests.filter(({ method }) => method === "POST").length]).toEqual([130, 0]);
    const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout);
    expect(attempts.filter(({ state }: { state: string }) => state === "started" || state === "unknown")).toEqual([]);
  });
});

describe("cases/reports.md, keys", () => {
  it("K2: a key pasted with a mark, quotes and a line end is stored as the key it is", async () => {
    const home = createHome();
    const service: Service = () => ({ body: { success: true, providers: [], wallet: { balance: 1 }, transactions: [] } });
    const env = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
    const login = ["login", "--base-url", "https://pay.example", "--with-key"];
    expect((await runCli(login, { home, service, env, stdin: '\uFEFF "k1"\r\n' })).code).toBe(0);
    const used = await runCli(["wallet", "--json"], { home, service, env });
    expect([used.code, used.requests.map(({ headers }) => headers["authorization"])]).toEqual([0, ["Bearer k1"]]);
  });
});

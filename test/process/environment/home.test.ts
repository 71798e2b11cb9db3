import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, describe, expect, it } from "vitest";
import { binary, json, type LoopbackService, node, startService } from "../../support/process.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
/** A folder that every user may write. */
const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "payments-cli-environment-"));
  chmodSync(folder, 0o777);
  folders.push(folder);
  return folder;
};

const service = (): Promise<LoopbackService> =>
  startService(({ method, url }, response) => {
    if (method === "POST") return json(response, 201, { transactionId: "T1", status: "QUEUED" });
    if (url.endsWith("/providers")) return json(response, 200, { success: true, providers: [] });
    if (url.includes("/stats/")) return json(response, 200, { success: true, stats: { totalVolume: 0, count: 0 } });
    if (url.includes("/fx/")) return json(response, 200, { success: true, rates: { base: "KES", rates: { KES: 1 } } });
    if (url.endsWith("/transactions/T1")) return json(response, 200, { id: "T1", reference: "R", amount: 1, status: "COMPLETED" });
    if (url.includes("/transactions")) return json(response, 200, { transactions: [], total: 0 });
    return json(response, 200, { success: true, wallet: { balance: 1, currency: "KES" }, b2cStats: {}, transactions: [] });
  });

type Ran = { readonly code: number | undefined; readonly stdout: string; readonly stderr: string };
/** The binary with this environment and no more, as a user without a name where this process may become one. */
const run = async (args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> => {
  const stranger = process.getuid?.() === 0 ? { uid: 12345, gid: 12345 } : {};
  const options = { cwd, env: { PATH: process.env["PATH"] ?? "", ...env }, extendEnv: false, reject: false, timeout: 30_000, ...stranger } as const;
  const { exitCode, stdout, stderr } = await execa(node, [binary, ...args], { ...options, input: "k1" });
  return { code: exitCode, stdout, stderr };
};
const errorOf = ({ stderr }: Ran): Readonly<Record<string, unknown>> => JSON.parse(stderr).error;
const isPlain = ({ code, stderr }: Ran): boolean => code !== 1 && !/^\s+at |SystemError|node:internal/m.test(stderr);
const b2c = (reference: string): string[] => ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", reference, "--yes", "--json"];

describe("R2-14: a user without a name and without a home", () => {
  const aFile = join(createFolder(), "file");
  writeFileSync(aFile, "");
  type Home = Readonly<Record<string, string>>;
  const start = async (home: Home) => {
    const { url, seen } = await service();
    const here = createFolder();
    const go = (...args: string[]): Promise<Ran> => run(args, here, { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: url, ...home });
    const expectNothingDone = (): void => {
      expect(seen.filter(({ method }) => method === "POST")).toEqual([]);
      expect(readdirSync(here)).toEqual([]);
    };
    return { url, go, expectNothingDone };
  };
  const expectWorks = (ran: readonly Ran[]): void => {
    for (const { code, stderr } of ran) expect([code, stderr]).toEqual([0, ""]);
  };

  it("what reads no folder works", async () => {
    const { go } = await start({});
    expectWorks(await Promise.all([go("--version"), go("--help"), go("completion", "bash")]));
  });

  // For these, each folder is refused by one rule (accounts/folders.test.ts), as if HOME were not set.
  const refused: readonly (readonly [string, Home])[] = [
    ["empty", { HOME: "" }],
    ["a relative path", { HOME: "home" }],
    ["a ~ that the shell left", { HOME: "~" }],
    ["PAYMENTS_HOME with a ~ that the shell left", { PAYMENTS_HOME: "~/pay" }],
  ];
  it.each(refused)("HOME: %s: reads work, and a payment is not sent", async (_, home) => {
    const { go, expectNothingDone } = await start(home);
    expectWorks([await go("wallet", "--json"), await go("tx", "list"), await go("global", "providers")]);
    expect(JSON.parse((await go("tx", "explain", "T1", "--json")).stdout)).toMatchObject({ verdict: "paid", unread: [{ source: "mirror" }, {}, {}] });
    const payout = await go(...b2c("H-1"));
    expect([payout.code, errorOf(payout)["sent"]]).toEqual([2, "no"]);
    expect(payout.stderr).toContain("PAYMENTS_HOME");
    expectNothingDone();
  });

  it("HOME: a folder that this user may not look into: a dry run is exit 2", async () => {
    const closed = createFolder();
    chmodSync(closed, process.getuid?.() === 0 ? 0o700 : 0);
    const { go, expectNothingDone } = await start({ HOME: join(closed, "home") });
    expectWorks([await go("wallet", "--json"), await go("tx", "list")]);
    const ran = await go(...b2c("H-1"), "--dry-run");
    expect([ran.code, errorOf(ran)]).toMatchObject([2, { kind: "usage", sent: "no" }]);
    expectNothingDone();
  });

  const homes: readonly (readonly [string, Home])[] = [
    ["not set", {}],
    ["a folder that does not exist", { HOME: "/nonexistent/home" }],
    ["a file", { HOME: aFile }],
    ["PAYMENTS_HOME below a file", { PAYMENTS_HOME: join(aFile, "pay") }],
  ];
  it.each(homes)("HOME: %s", async (_, home) => {
    const { url, go, expectNothingDone } = await start(home);
    expectWorks(await Promise.all([go("wallet", "--json"), go(...b2c("H-1"), "--dry-run"), go("whoami", "--json")]));
    const doctor = await go("doctor", "--json");
    const needy = await Promise.all([go(...b2c("H-1")), go("login", "--base-url", url, "--with-key", "--json"), go("tx", "sync", "--json")]);
    for (const ran of [...needy, doctor])
      expect([ran.code, isPlain(ran), `${ran.stderr} ${ran.stdout}`]).toEqual([2, true, expect.stringContaining("PAYMENTS_HOME")]);
    for (const ran of needy) expect(errorOf(ran)).toMatchObject({ kind: "usage", sent: "no" });
    expect(JSON.parse(doctor.stdout).checks.some(({ ok }: { ok: boolean }) => !ok)).toBe(true);
    const sandbox = await go("--sandbox", "wallet", "--json");
    expect([sandbox.code, isPlain(sandbox)]).toEqual([2, true]);
    expect(sandbox.stderr).toContain("PAYMENTS_HOME");
    expectNothingDone();
  });

  it("a secret in the environment is enough to verify a callback", async () => {
    const here = createFolder();
    writeFileSync(join(here, "body"), "{}");
    const args = [
      "webhook",
      "verify",
      "--body",
      "body",
      "--header",
      "webhook-id: e",
      "--header",
      "webhook-timestamp: 1",
      "--header",
      "webhook-signature: v1,x",
      "--json",
    ];
    const verified = await run(args, here, { PAYMENTS_WEBHOOK_SECRET: "whsec_c2VjcmV0" });
    expect([verified.code, isPlain(verified)]).toEqual([2, true]);
    expect(verified.stderr).not.toContain("PAYMENTS_HOME");
  });

  it.each(["", " ", "No/Where", ":/no/where"])("times are in UTC if TZ is %j", async (zone) => {
    const { url } = await startService((_, response) => json(response, 200, { wallet: { b2cHolds: [{ id: "H1", createdAt: "2026-03-01T08:00:00Z" }] } }));
    const { code, stdout } = await run(["wallet"], createFolder(), { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: url, TZ: zone });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/SINCE \(UTC\)[\s\S]*2026-03-01 08:00:00/)]);
  });

  it("quotes and a line end around PAYMENTS_HOME are not part of it", async () => {
    const { url } = await service();
    const here = createFolder();
    const settings = { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: url, PAYMENTS_HOME: ` "${join(here, "pay")}"\n` };
    expect((await run(b2c("H-2"), here, settings)).code).toBe(0);
    expect(readdirSync(here)).toEqual(["pay"]);
  });
});

describe("R2-48: the current folder was deleted under the program", () => {
  const inNoFolder = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> => {
    const gone = join(createFolder(), "gone");
    mkdirSync(gone);
    // `cd` first: a program cannot be started in a folder that does not exist.
    const script = 'cd "$0" && rmdir "$0" && exec "$@"';
    const options = { env: { PATH: process.env["PATH"] ?? "", ...env }, extendEnv: false, reject: false, timeout: 30_000, input: "" } as const;
    const { exitCode, stdout, stderr } = await execa("sh", ["-c", script, gone, node, binary, ...args], options);
    return { code: exitCode, stdout, stderr };
  };

  it("what needs no folder works, and what is named by a relative path is exit 2", async () => {
    const { url, seen } = await service();
    const elsewhere = createFolder();
    const [orders, payouts] = [join(elsewhere, "orders.csv"), join(elsewhere, "payouts.csv")];
    writeFileSync(orders, "reference,amount,status\nA-1,10,paid\n");
    writeFileSync(payouts, "phone,amount,reference\n0712345678,100,B-1\n");
    const env = { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: url, PAYMENTS_HOME: join(elsewhere, "home") };
    const works = [["wallet", "--json"], ["--version"], [...b2c("D-1"), "--dry-run"], b2c("D-1"), ["tx", "reconcile", orders, "--json"]];
    for (const args of [...works, ["b2c", "batch", payouts, "--yes", "--json"]])
      expect([args[0], await inNoFolder(args, env)]).toMatchObject([args[0], { code: 0, stderr: "" }]);
    const sent = seen.filter(({ method }) => method === "POST").length;
    expect(sent).toBe(2);
    const relative = [
      ["tx", "reconcile", "x.csv"],
      ["tx", "reconcile", orders, "--report", "r.html"],
      ["b2c", "batch", "p.csv", "--yes"],
      ["sandbox", "--data", "here", "--port", "0"],
    ];
    for (const args of relative) {
      const ran = await inNoFolder([...args, "--json"], env);
      expect([args, ran.code, isPlain(ran), errorOf(ran)["kind"]]).toEqual([args, 2, true, "usage"]);
    }
    expect(seen.filter(({ method }) => method === "POST")).toHaveLength(sent);
  });

  it("an ephemeral sandbox is ready, and ends at SIGTERM", async () => {
    const gone = join(createFolder(), "gone");
    mkdirSync(gone);
    const env = { PATH: process.env["PATH"] ?? "", PAYMENTS_HOME: createFolder() };
    const args = ["-c", 'cd "$0" && rmdir "$0" && exec "$@"', gone, node, binary, "sandbox", "--ephemeral", "--port", "0", "--json"];
    const started = execa("sh", args, { env, extendEnv: false, reject: false, timeout: 30_000, stdin: "ignore" });
    const line = new Promise<string>((done) => started.stdout.once("data", (chunk: Buffer) => done(String(chunk))));
    const ready = await Promise.race([line, started]);
    expect(JSON.parse(String(ready))).toHaveProperty("baseUrl");
    started.kill("SIGTERM");
    expect((await started).exitCode).toBe(0);
  });

  it("a relative PAYMENTS_HOME says what is missing, and nothing is sent", async () => {
    const { url, seen } = await service();
    const env = { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: url, PAYMENTS_HOME: "rel" };
    expect((await inNoFolder(["wallet", "--json"], env)).code).toBe(0);
    const payout = await inNoFolder(b2c("D-2"), env);
    expect([payout.code, errorOf(payout)["sent"]]).toEqual([2, "no"]);
    expect(payout.stderr).toContain("PAYMENTS_HOME");
    expect(seen.filter(({ method }) => method === "POST")).toEqual([]);
  });
});

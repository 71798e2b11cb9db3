import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";
import { createHome } from "../../support/ends.ts";
import { binary, cleanEnv, json, node, startService } from "../../support/process.ts";
import { canUnshare } from "../../support/root.ts";

const rail = {
  rail: "r",
  country: "KE",
  currencies: ["KES"],
  collectionFlow: "PUSH",
  live: true,
  capabilities: { collect: true, disburse: true, disbursementChannels: ["MOBILE_MONEY"] },
};
const startShop = () =>
  startService(({ method, url }, response) => {
    if (method === "POST") {
      const made = { transactionId: "T1", status: "QUEUED", collection: { reference: "GC-1" }, disbursement: { reference: "GD-1" } };
      return json(response, 201, { success: true, ...made });
    }
    if (url.includes("/providers")) return json(response, 200, { success: true, providers: [rail] });
    if (url.includes("/T1")) return json(response, 200, { id: "T1", status: "COMPLETED" });
    return json(response, 200, { transactions: [{ id: "T1", reference: "R-1", amount: 100, status: "COMPLETED" }], total: 1, wallet: {} });
  });

type Ended = { readonly code: number | null; readonly stderr: string; readonly home: string; readonly creations: number };
/** Runs a line of the shell in which `payments-cli` is the program, on a service and in a home of its own. */
const shell = async (line: string, program: readonly string[] = ["bash", "-c"]): Promise<Ended> => {
  const service = await startShop();
  const home = createHome();
  const env = cleanEnv({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url });
  const [command = "", ...words] = program;
  const child = spawn(command, [...words, `payments-cli() { "${node}" "${binary}" "$@"; }; ${line}`], { cwd: home, env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr, home, creations: service.seen.filter(({ method }) => method === "POST").length };
};
/** The journal's only attempt. */
const attemptIn = async (home: string) => {
  const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout);
  expect(attempts).toHaveLength(1);
  return attempts[0];
};

const local = "--phone 0712345678 --amount 100 --reference F-1";
const payments = {
  b2c: `b2c ${local} --yes`,
  stk: `stk ${local}`,
  "stk --wait": `stk ${local} --wait 5`,
  "global collect": "global collect --rail r --amount 100 --currency KES --msisdn 0712345678",
  "global withdraw": "global withdraw --rail r --amount 100 --currency KES --channel MOBILE_MONEY --operator M --msisdn 0712345678 --yes",
  api: "api POST /api/v1/merchants/payments/stk-push -f phone=254712345678 -F amount:=100 -f reference=F-1",
};
const noStack = /\n\s+at /;

describe.runIf(existsSync("/dev/full"))("what was paid, on a full disk (/dev/full)", () => {
  it.each(Object.entries(payments))("R2-15: %s --json: one line with sent yes and the journal id, and not 0", async (_, words) => {
    const { code, stderr, home, creations } = await shell(`payments-cli ${words} --json >/dev/full`);
    expect([code, creations, stderr.trimEnd().split("\n").length]).toEqual([1, 1, 1]);
    const { error } = JSON.parse(stderr);
    const attempt = await attemptIn(home);
    expect(error).toMatchObject({ sent: "yes", journalId: attempt.id, idempotencyKey: attempt.idempotencyKey, command: ["journal", "show", attempt.id] });
    expect(attempt.state).toBe("accepted");
  });

  // One that asks to be confirmed and one that waits: what a payment's message is made of is the same for all.
  it.each([payments.b2c, payments["stk --wait"]])("R2-15: %s: the message has the journal id", async (words) => {
    const { code, stderr, home } = await shell(`payments-cli ${words} >/dev/full`);
    const { id } = await attemptIn(home);
    expect(code).toBe(1);
    expect(/^error: .*$/m.exec(stderr)?.[0]).toContain(id);
    expect(stderr).not.toMatch(noStack);
  });

  it.each(["--all -o jsonl", "--all --json", "--all -o csv", ""])("R2-15: tx list %s is not 0, without a stack", async (flags) => {
    const { code, stderr } = await shell(`payments-cli tx list ${flags} >/dev/full`);
    expect(code).toBe(2);
    expect(stderr).toContain("ENOSPC");
    expect(stderr).not.toMatch(noStack);
  });

  it.each(["--version", "--help", "completion bash", "whoami --json", "schema", "journal list"])("%s is not 0 either", async (words) => {
    const { code, stderr } = await shell(`payments-cli ${words} >/dev/full`);
    expect(code).toBe(2);
    expect(stderr).toContain("ENOSPC");
  });

  it("the code stays when standard error is full as well", async () => {
    const { code, home } = await shell(`payments-cli b2c ${local} --yes --json >/dev/full 2>/dev/full`);
    expect([code, (await attemptIn(home)).state]).toEqual([1, "accepted"]);
  });

  it("a payment that was settled is not called unsent either", async () => {
    const { code, stderr } = await shell(
      `payments-cli b2c ${local} --yes --json >/dev/null && payments-cli journal resume "$(payments-cli journal list -o jsonl --fields id | grep -o '[0-9a-f-]\\{36\\}')" --json >/dev/full`,
    );
    expect([code, JSON.parse(stderr).error.sent]).toEqual([1, "yes"]);
  });
});

describe("what was paid, with nobody reading", () => {
  it.each(["--json", ""])("R2-15: a reader that was never there has not seen the payment: b2c %s", async (flag) => {
    const { code, stderr, home } = await shell(`set -o pipefail; payments-cli b2c ${local} --yes ${flag} | true`);
    expect([code, (await attemptIn(home)).state]).toEqual([1, "accepted"]);
    expect(stderr).toContain((await attemptIn(home)).id);
  });
});

describe.runIf(canUnshare)("a disk that fills up in the middle of a write (in mounts of its own: unshare, as root)", () => {
  /** 16 bytes are left of the page that the file has, and no other page. */
  const almostFull = `mkdir small && mount -t tmpfs -o size=8k tmpfs small && head -c 4080 /dev/zero >small/out && head -c 4096 /dev/zero >small/fill`;

  it("R2-15: half of a result is no result", async () => {
    const { code, stderr, home } = await shell(`${almostFull}; payments-cli b2c ${local} --yes --json >>small/out`, ["unshare", "-m", "bash", "-c"]);
    const { id } = await attemptIn(home);
    expect([code, JSON.parse(stderr).error]).toMatchObject([1, { sent: "yes", journalId: id }]);
  });

  it("half of a list is a failure", async () => {
    const { code, stderr } = await shell(`${almostFull}; payments-cli tx list --json >>small/out`, ["unshare", "-m", "bash", "-c"]);
    expect([code, JSON.parse(stderr).error]).toMatchObject([2, { kind: "usage", sent: "no" }]);
  });
});

describe("a file that is asked for and cannot be written", () => {
  it("the result of a batch: nothing is sent", async () => {
    const { code, creations, stderr } = await shell(
      "printf 'phone,amount,reference\\n0712345678,100,B-1\\n' >p.csv; mkdir taken; payments-cli b2c batch p.csv --yes --json --result taken",
    );
    expect([code, creations, JSON.parse(stderr).error.sent]).toEqual([2, 0, "no"]);
  });

  it("the report of a reconciliation: the message names it", async () => {
    const { code, stderr } = await shell(
      "printf 'reference,amount,status\\nR-1,100,paid\\n' >o.csv; mkdir taken; payments-cli tx reconcile o.csv --json --report taken",
    );
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toContain("taken");
  });
});

it("a journal that a full disk did not let begin is begun when there is space again", async () => {
  const full = (command: string): string => `(ulimit -f 0; trap '' XFSZ; payments-cli ${command})`;
  const batch = "b2c batch pay.csv --yes";
  const file = "printf 'phone,amount,reference\\n0712345678,100,F-1\\n' > pay.csv";
  expect(await shell(`${file}; ${full("doctor")}; ${full(batch)}; payments-cli ${batch}`)).toMatchObject({ code: 0, creations: 1 });
});

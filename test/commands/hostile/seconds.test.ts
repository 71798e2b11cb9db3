import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const service: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "T1", status: "SENT" } : { id: "T1", status: "COMPLETED" } });
const payouts = (): string => {
  const path = join(mkdtempSync(join(createHome(), "files-")), "payouts.csv");
  writeFileSync(path, "phone,amount,reference\n0712345678,100,P-1\n");
  return path;
};
const local = ["--phone", "0712345678", "--amount", "100", "--reference", "R-1"];
const yearSeconds = "31536000";
const commands = {
  "stk --wait": { argv: () => ["stk", ...local], flag: "--wait", largest: yearSeconds },
  "b2c --wait": { argv: () => ["b2c", ...local, "--yes"], flag: "--wait", largest: yearSeconds },
  "b2c batch --wait": { argv: () => ["b2c", "batch", payouts(), "--yes"], flag: "--wait", largest: yearSeconds },
  "tx watch --interval": { argv: () => ["tx", "watch", "T1"], flag: "--interval", largest: "86400" },
  "stk --timeout": { argv: () => ["stk", ...local], flag: "--timeout", largest: "86400" },
  "stk --retries": { argv: () => ["stk", ...local], flag: "--retries", largest: "100" },
  "journal prune --older-than": { argv: () => ["journal", "prune"], flag: "--older-than", largest: "999999" },
} as const;
const wrong = ["1e9", "Infinity", "NaN", "-5", "0x10", "99999999999999999999", "9".repeat(400), "1.2.3", "1,5", "soon", " "];

test.each(
  Object.values(commands).flatMap(({ argv, flag, largest }) => wrong.map((value) => [argv().slice(0, 2).join(" "), flag, value, argv, largest] as const)),
)("%s %s=%s: a usage error that names the flag and its largest value, and nothing is sent", async (_, flag, value, argv, largest) => {
  const { code, stdout, stderr, requests } = await runCli([...argv(), `${flag}=${value}`, "--json"], { service });
  expect({ code, stdout, requests: requests.length }).toEqual({ code: 2, stdout: "", requests: 0 });
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({ kind: "usage", message: expect.stringContaining(flag) });
  expect(error.message).toContain(largest);
});

test.each(Object.values(commands).map(({ argv, flag, largest }) => [argv().slice(0, 2).join(" "), flag, largest, argv] as const))(
  "%s %s=%s: the largest value is taken",
  async (_, flag, value, argv) => {
    const { code } = await runCli([...argv(), `${flag}=${value}`, "--json"], { service });
    expect(code).toBe(0);
  },
);

test.each([
  ["--timeout", "0.5"],
  ["--timeout", "0.001"],
  ["--wait", "0"],
  ["--wait", "1.5"],
])("a fraction, or no time at all, is taken: %s %s", async (flag, value) => {
  const { code } = await runCli(["stk", ...local, flag, value, "--json"], { service });
  expect(code).toBe(0);
});

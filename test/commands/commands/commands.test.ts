import { expect, test } from "vitest";
import { registry } from "../../../src/cli/registry.ts";
import { exitCodes } from "../../../src/errors.ts";
import { runCli } from "../../support/cli.ts";

test("commands --json is the whole tree", async () => {
  const { commands, globalFlags } = JSON.parse((await runCli(["commands", "--json"])).stdout) as {
    commands: { path: string; summary: string; flags: { name: string }[]; examples: unknown[]; exitCodes: number[] }[];
    globalFlags: { name: string }[];
  };
  expect(commands.map(({ path }) => path)).toEqual(registry.map(({ spec }) => spec.path.join(" ")));
  expect(commands.find(({ path }) => path === "stk")?.flags.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["phone", "amount", "reference", "idempotency-key", "dry-run", "wait"]),
  );
  expect(globalFlags.map(({ name }) => name)).toContain("sandbox");
  const codes = new Set<number>([0, ...Object.values(exitCodes)]);
  for (const command of commands) for (const code of command.exitCodes) expect(codes.has(code)).toBe(true);
});

const asking = [
  "tx list",
  "tx get T1",
  "tx watch T1",
  "tx sync",
  "tx explain T1",
  "tx reconcile test/cases/reconcile/mini/orders.csv",
  "webhook replay T1 --to http://127.0.0.1:1/",
  "login --base-url https://pay.example.test --with-key",
  "wallet",
  "global providers",
  "global fx",
  "b2c stats",
  "doctor",
];
test.each([402, 404, 409, 500])("a command that reads names each code it can end with: %i", async (status) => {
  const { commands } = JSON.parse((await runCli(["commands", "--json"])).stdout) as { commands: { path: string; exitCodes: number[] }[] };
  const env = { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: "https://pay.example.test", PAYMENTS_WEBHOOK_SECRET: "whsec_MDEyMzQ1Njc4OWFiY2RlZg==" };
  for (const line of asking) {
    const { code } = await runCli([...line.split(" "), "--json", "--retries", "0"], { service: () => ({ status, body: {} }), env, stdin: "k_12345678" });
    const listed = commands.find(({ path }) => line === path || line.startsWith(`${path} `))?.exitCodes;
    expect([line, listed]).toEqual([line, expect.arrayContaining([code])]);
    expect([1, 2]).not.toContain(code);
  }
});

test("each flag has its type, its default, its choices, and says if it repeats", async () => {
  const { commands, globalFlags } = JSON.parse((await runCli(["commands", "--json"])).stdout);
  const flagOf = (path: string, name: string) =>
    commands.find((command: { path: string }) => command.path === path)?.flags.find((flag: { name: string }) => flag.name === name);
  for (const flag of [...globalFlags, ...commands.flatMap(({ flags }: { flags: readonly object[] }) => flags)]) {
    expect(flag).toMatchObject({ type: expect.any(String), repeats: flag.type === "strings" });
    if (flag.type === "boolean") expect(flag.default, flag.name).toBe(false);
    // What help says of a default, a program can read.
    if (/\(default [^)]*\)/.test(flag.summary) && !["at", "limit", "name"].includes(flag.name)) expect(flag.default ?? flag.bare, flag.name).toBeDefined();
    if (flag.choices !== undefined && flag.default !== undefined) expect(flag.choices).toContain(flag.default);
  }
  expect(flagOf("stk", "wait")).toMatchObject({ type: "optional-string", bare: 120 });
  expect(flagOf("b2c", "expires")).toMatchObject({ default: 168 });
  expect(flagOf("tx list", "flow")).toMatchObject({ default: "standard", choices: ["standard", "b2c", "all"] });
  expect(flagOf("webhook verify", "header")).toMatchObject({ type: "strings", repeats: true });
  expect(globalFlags).toContainEqual(expect.objectContaining({ name: "output", default: "table", choices: ["table", "json", "jsonl", "csv"] }));
});

test("a default is given as it would be typed: seconds, not milliseconds", async () => {
  const { commands, globalFlags } = JSON.parse((await runCli(["commands", "--json"])).stdout);
  const watch = commands.find(({ path }: { path: string }) => path === "tx watch");
  expect(globalFlags).toContainEqual(expect.objectContaining({ name: "timeout", default: 30 }));
  expect(watch.flags).toContainEqual(expect.objectContaining({ name: "interval", default: 1 }));
});

test.each([
  ["pay", "b2c"],
  ["balance", "wallet"],
  ["exit-code", "exit-codes"],
])("help %s offers the page that was meant", async (word, meant) => {
  const { code, stderr } = await runCli(["help", word]);
  expect([code, stderr.includes(`payments-cli help ${meant}`)]).toEqual([2, true]);
});

test.each([
  [["list"], /payments-cli tx list, or payments-cli journal list, or payments-cli profile list/],
  [["wallet", "foo"], /^hint: See: payments-cli wallet --help$/m],
  [["stk", "--reference", "INV", "7"], /in quotes/],
])("%j is refused with a hint that fits", async (argv, hint) => {
  const { code, stderr } = await runCli(argv);
  expect([code, hint.test(stderr)]).toEqual([2, true]);
});

test("a table has a line for each", async () => {
  const { stdout } = await runCli(["commands"]);
  expect(stdout).toMatch(/^tx list +/m);
});

test("help topics tell exit codes and variables", async () => {
  const codes = await runCli(["help", "exit-codes"]);
  expect(codes.code).toBe(0);
  for (const code of new Set([0, ...Object.values(exitCodes)])) expect(codes.stdout).toMatch(new RegExp(`^ +${code} `, "m"));
  const variables = (await runCli(["help", "environment"])).stdout;
  for (const name of [
    "PAYMENTS_API_KEY",
    "PAYMENTS_BASE_URL",
    "PAYMENTS_PROFILE",
    "PAYMENTS_WEBHOOK_SECRET",
    "PAYMENTS_JOURNAL_URL",
    "PAYMENTS_HOME",
    "NO_COLOR",
    "HTTPS_PROXY",
    "NO_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "ACCESSIBLE",
    "NODE_DISABLE_COMPILE_CACHE",
  ]) {
    expect(variables).toContain(name);
  }
});

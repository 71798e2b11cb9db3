import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { registry } from "../../../src/cli/registry.ts";
import type { CommandSpec } from "../../../src/command.ts";
import { type CliOptions, runCli, type Service } from "../../support/cli.ts";
import { drawnHost, evil, evilName, evilRail, evilRedirect, evilService, leaks, refusalForms, refusing } from "../../support/hostile.ts";

// Everything has a hostile name: the home, the files in it, the profiles.
const home = mkdtempSync(join(tmpdir(), `pay${evilName}`));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  const path = join(home, `${name}${evilName}`);
  writeFileSync(path, text);
  return path;
};
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const profile = { baseUrl: "http://127.0.0.1:9", mode: "live", apiKey: "test_key_0123456789abcdef", webhookSecrets: ["demo_secret_not_real_1"] };
mkdirSync(join(home, "config"), { recursive: true });
writeFileSync(
  join(home, "config", "config.json"),
  JSON.stringify({ version: 1, current: `shop${evil}`, profiles: { [`shop${evil}`]: profile, [`other${evil}`]: profile } }),
);

const money = ["--amount", "100", "--reference", `R-1${evil}`];
const payouts = file("pay.csv", `phone,amount,reference,${quoted(evil)}\n0712345678,100,${quoted(`A${evil}`)},x\n0712,${quoted(evil)},B,y\n`);
const orders = file("orders.csv", `reference,amount,status\n${quoted(`R-1${evil}`)},100,${quoted(evil)}\nR-2,${quoted(evil)},paid\n`);
const collect = ["global", "collect", "--rail", evilRail, "--amount", "100", "--currency", "KES", "--msisdn", "0712345678", "--description", "x"];
const withdraw = ["global", "withdraw", "--rail", evilRail, "--channel", "BANK", "--amount", "100", "--currency", "KES"];
const bank = ["--bank-code", `1${evil}`, "--account-number", `2${evil}`, "--account-name", `3${evil}`];

/** Command lines that get as far as showing what the service says, beside those made of the specs. */
const lines: readonly (readonly string[])[] = [
  ["stk", "--phone", "0712345678", "--amount", "100", "--reference", "R-1"],
  ["stk", "--phone", "0712345678", "--amount", "100", "--reference", "R-2", "--wait", "5"],
  ["b2c", "--phone", "0712345678", ...money, "--yes"],
  ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-3", "--yes"],
  ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-4", "--remarks", evil, "--dry-run"],
  ["b2c", "batch", payouts, "--yes"],
  ["b2c", "batch", `${payouts}x`, "--yes"],
  ["tx", "list", "--all"],
  ["tx", "list", "--status", evil],
  ["tx", "list", "--fields", `x${evil}`],
  ["tx", "list", "--fields", `nothing${evil}`],
  ["tx", "get", `T1${evil}`],
  ["tx", "get", "--reference", `R-1${evil}`],
  ["tx", "watch", `T1${evil}`],
  ["tx", "sync"],
  ["tx", "find", `R-1${evil}`],
  ["tx", "find", `nothing${evil}`],
  ["tx", "reconcile", orders],
  ["tx", "reconcile", orders, "--against", payouts],
  ["tx", "reconcile", orders, "--report", join(home, `report${evilName}`)],
  ["global", "providers", "--fields", "rail,displayName"],
  ["global", "fx", "--convert", "10", "--to", "UGX"],
  collect,
  ["global", "collect", "--rail", evilRedirect, "--amount", "100", "--currency", "KES", "--email", "a@example.com"],
  [...withdraw, ...bank, "--yes"],
  [...withdraw, "--bank-code", "1", "--account-number", "2", "--account-name", "3", "--yes"],
  [...withdraw, "--bank-code", "1", "--account-number", "2", "--account-name", "3", "--dry-run"],
  ["profile", "use", `other${evil}`],
  ["profile", "set", `other${evil}`, "--mode", "live"],
  ["profile", "remove", `other${evil}`],
  ["whoami", "--profile", `other${evil}`],
  ["journal", "resume", "--all", "--yes"],
  ["journal", "show", `R-1${evil}`],
  ["webhook", "verify", "--header", `webhook-id: x${evil}`, "--header", `X-Payments-Signature: ${evil}`, "--signature", "hmac-sha256-hex", "--body", payouts],
  ["webhook", "replay", `T1${evil}`, "--to", "https://shop.example/"],
  ["api", "GET", "/api/v1/global/providers"],
  ["api", "GET", "/api/v1/global/providers", "-i"],
  ["api", "GET", `/x${evil}`],
  [evil],
  ["help", evil],
  ["tx", evil],
];

/** Every flag and argument of a command in turn with a hostile value. */
const misuses = (spec: CommandSpec): readonly (readonly string[])[] => {
  const needed = (spec.arguments ?? []).filter(({ required }) => required === true).map(() => "x");
  const flags = Object.entries(spec.flags).flatMap(([name, { type }]) => (type === "boolean" ? [] : [[...spec.path, ...needed, `--${name}=${evil}`]]));
  return [[...spec.path], [...spec.path, ...needed.map(() => evil)], [...spec.path, ...needed, `--${evil}`], ...flags];
};

/** Long enough for every command here; what follows or listens is stopped after so many requests. */
const requestsMax = 60;
const stoppedAfter = (service: Service, stop: AbortController): Service => {
  return (request, count) => {
    if (count > requestsMax) stop.abort();
    return service(request, count);
  };
};

/** As typed at a question: a line, without the keys that end a line or stop the program (Ctrl-C, Ctrl-D, Ctrl-Z). */
const typed = evil.replace(/[\n\r\u0003\u0004\u001a]/g, "");

const shownBy = async (argv: readonly string[], service: Service, options: CliOptions & { readonly draws?: boolean } = {}): Promise<string> => {
  const stop = new AbortController();
  // These run until they are stopped.
  if (["sandbox", "demo"].includes(argv[0] ?? "") || argv[1] === "listen") stop.abort();
  const drawn = drawnHost(
    ["1", typed, "yes", "1"].map((answer) => `${answer}\n`),
    options.draws ?? false,
  );
  const result = await runCli(argv, {
    service: stoppedAfter(service, stop),
    signal: stop.signal,
    home,
    terminal: true,
    width: 100_000,
    stdin: `secret ${evil}`,
    host: drawn.host,
    ...options,
  });
  return result.stdout + result.stderr + drawn.shown();
};

const commands = registry.map(({ spec }) => [spec.path.join(" "), spec] as const);

describe("no control character of anybody's reaches the terminal", () => {
  it.each(commands)("%s, misused", async (_, spec) => {
    for (const argv of misuses(spec)) expect([argv, leaks(await shownBy(argv, evilService("SENT")))]).toEqual([argv, []]);
  });

  const named = lines.map(
    (argv) =>
      [
        argv
          .map((word) => word.slice(0, 12).replace(/[^\x20-\x7e]+/g, "…"))
          .join(" ")
          .slice(0, 80),
        argv,
      ] as const,
  );
  const odd = `ODD${evil}`;
  it.each(named)("%s", async (_, argv) => {
    for (const [status, ...more] of [
      ["COMPLETED"],
      ["FAILED"],
      [odd],
      ["FAILED", "--debug"],
      ["COMPLETED", "--no-input"],
      [odd, "-o", "csv"],
      [odd, "-o", "json"],
      [odd, "-o", "jsonl"],
    ] as const) {
      const shown = await shownBy([...argv, ...more], evilService(status));
      expect([more, leaks(shown)]).toEqual([more, []]);
    }
  });

  // Every form with every command, and with every status in one command or another: one function reads all refusals.
  it.each(named.map(([name, argv], at) => [name, argv, at] as const))("%s, refused", async (_, argv, at) => {
    const statuses = [400, 402, 404, 503];
    for (let form = 0; form < refusalForms; form += 1) {
      const status = statuses[(at + form) % statuses.length] ?? 0;
      const shown = await shownBy([...argv, "--retries", "0", "--debug"], refusing(status, form));
      expect([status, form, leaks(shown)]).toEqual([status, form, []]);
    }
  });

  it.each(named)("%s, drawn and in a narrow window", async (_, argv) => {
    for (const width of [100_000, 30]) expect([width, leaks(await shownBy(argv, evilService("SENT"), { draws: true, width }), true)]).toEqual([width, []]);
  });

  it("a text that api shows, the lines and tabs of which are its own", async () => {
    expect(leaks(await shownBy(["api", "GET", "/plain"], evilService("SENT"))).filter((character) => !["U+9", "U+a", "U+d"].includes(character))).toEqual([]);
  });

  it("from the environment", async () => {
    for (const name of ["PAYMENTS_API_KEY", "PAYMENTS_BASE_URL", "PAYMENTS_PROFILE", "PAYMENTS_WEBHOOK_SECRET", "HTTPS_PROXY", "NO_PROXY"]) {
      for (const argv of [["wallet"], ["whoami"], ["doctor"], ["webhook", "replay", "T1", "--to", "https://shop.example/"]]) {
        const env = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined, [name]: `http://127.0.0.1:9/${evil}` };
        expect([name, argv, leaks(await shownBy([...argv, "--debug"], evilService("SENT"), { env }))]).toEqual([name, argv, []]);
      }
    }
  });
});

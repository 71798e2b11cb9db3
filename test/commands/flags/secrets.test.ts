import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";

const secret = "sk_live_Zm9vYmFyMTIz-hunter2 pass";
const flags = [
  "--api-key",
  "--apikey",
  "--api_key",
  "--APIKEY",
  "--key",
  "--token",
  "--access-token",
  "--password",
  "--passphrase",
  "--secret",
  "--webhook-secret",
  "--withdrawal-key",
  "--auth",
  "--authorization",
  "--bearer",
  "--client-secret",
  // Slips of the fingers.
  "--api-kye",
  "--apikeys",
  "--pasword",
  "--tokn",
  "--secrt",
  "--webhok-secret",
  // What other programs take.
  "-api-key",
  "—api-key",
  "–token",
];
const places: readonly (readonly [string, (given: readonly string[]) => readonly string[]])[] = [
  ["before the command", (given) => [...given, "wallet"]],
  ["after the command", (given) => ["wallet", ...given]],
  ["with --debug", (given) => ["wallet", ...given, "--debug"]],
  ["with --json", (given) => ["--json", "wallet", ...given]],
  ["before a misspelt command", (given) => [...given, "walet"]],
  ["between the words of a command", (given) => ["tx", ...given, "list"]],
  ["in a payment", (given) => ["stk", "--phone", "0712345678", ...given, "--amount", "5", "--reference", "A"]],
  ["of login", (given) => ["login", ...given]],
  ["of api", (given) => ["api", "GET", "/x", ...given]],
];

describe("a flag that names a key", () => {
  for (const [place, argvOf] of places) {
    it.each(flags)(`${place}: %s is refused without its value, and says where a key goes`, async (flag) => {
      for (const given of [[flag, secret], [`${flag}=${secret}`]]) {
        const { code, stdout, stderr, requests } = await runCli(argvOf(given), { service: () => ({ body: {} }) });
        expect([code, stdout, requests.length]).toEqual([2, "", 0]);
        for (const part of secret.split(/[-_ ]/).filter((each) => each.length > 4)) expect(stderr).not.toContain(part);
        expect(stderr).toMatch(/PAYMENTS_API_KEY[\s\S]*payments-cli login/);
      }
    });
  }

  it("is one line under --json, of kind usage", async () => {
    const { stderr } = await runCli(["wallet", "--json", "--api-key", secret]);
    expect(JSON.parse(stderr).error).toMatchObject({ kind: "usage", sent: "no", command: ["login"] });
  });

  it("is no longer one as a value, or after --", async () => {
    const { code } = await runCli(["stk", "--phone", "0712345678", "--amount", "5", "--reference=--token", "--dry-run", "--json"], {
      service: () => ({ body: {} }),
    });
    expect(code).toBe(0);
    expect((await runCli(["tx", "find", "--", "--token"], { service: () => ({ body: {} }) })).stderr).not.toContain("PAYMENTS_API_KEY");
  });
});

describe("no error repeats what may be a key", () => {
  it.each([
    ["unknown flag of the program", [`--zzz=${secret}`, "wallet"]],
    ["unknown flag and its value", ["--zzz", secret, "wallet"]],
    ["unknown flag of a group", ["tx", `--zzz=${secret}`]],
    ["unknown flag of a command", ["wallet", `--zzz=${secret}`]],
    ["unknown letter", ["wallet", `-k${secret}`]],
    ["key in place of a flag", ["wallet", `--${secret}`]],
    ["key in place of a command", [secret, "wallet"]],
    ["variable in place of a command", [`PAYMENTS_API_KEY=${secret}`, "wallet"]],
    ["key in place of a verb", ["profile", secret]],
    ["argument too many", ["wallet", secret]],
    ["argument too many, after a flag without a value", ["login", "--with-key", secret]],
    ["value of a flag that takes none", ["login", `--with-key=${secret}`]],
    ["secret behind a flag that reads it from standard input", ["profile", "set", "shop", "--with-webhook-secret", secret]],
    ["passphrase", ["api", "GET", "/x", "--passphrase-stdin", secret]],
    ["header of another program", ["api", "GET", "/x", "-H", `Authorization: Bearer ${secret}`]],
    ["header in one word", ["api", "GET", "/x", `-HAuthorization: Bearer ${secret}`]],
  ])("%s", async (_, argv) => {
    for (const extra of [[], ["--json"], ["--debug"]]) {
      const { code, stdout, stderr, requests } = await runCli([...argv, ...extra], { home: createHome() });
      expect([code, stdout, requests.length]).toEqual([2, "", 0]);
      for (const part of ["live", "Zm9vYmFyMTIz", "hunter2"]) expect(stderr).not.toContain(part);
    }
  });
});

it.each([
  [["stk", "--idempotencykey", "K"], "--idempotency-key"],
  [["stk", "--ref", "K"], "stk --help"],
  [["webhook", "replay", "T1", "--passphrase-stdn"], "--help"],
])("a slip in the name of another flag is still a slip: %j", async (argv, hint) => {
  const { code, stderr } = await runCli(argv);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});

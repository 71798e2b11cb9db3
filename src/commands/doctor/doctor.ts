import type { Run } from "../../command.ts";
import { CliError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import type { Block, Cell } from "../../outcome.ts";
import { hintText } from "../../output/error-text.ts";
import type { Account, Client, Context } from "../../ports.ts";
import { refuseUnverifiedTls } from "../../service/base-url.ts";
import { shellOf } from "../../shell.ts";
import { type Check, fault, well } from "./check.ts";
import { checkDisk, checkEnvironment, checkExtraAuthorities, checkFiles, checkJournal, checkRuntime, faultOf } from "./machine.ts";
import { checkConnection, checkService } from "./service.ts";
import type { doctorSpec } from "./spec.ts";

/** `doctor`: each step from the runtime to the scopes, each well or with what to do. Creates nothing. */
export const run: Run<typeof doctorSpec> = async (_, context) => {
  const found = await examine(context);
  const first = found.find(({ ok }) => !ok);
  const checks = found.map(({ hint, ...check }): Check => {
    const whole = hintText({ hint, command: check.command }, shellOf(context.env));
    return whole === undefined ? check : { ...check, hint: whole };
  });
  const faults = checks.filter(({ ok }) => !ok).length;
  return {
    rows: checks.map(({ name, ok, detail, hint }): Json => ({ name, ok, detail, ...(hint === undefined ? {} : { hint }) })),
    document: (rows) => ({ checks: rows }),
    columns: ["name", "ok", "detail", "hint"],
    view: { kind: "blocks", blocks: () => blocksOf(checks) },
    verdict: () => {
      if (first === undefined) return undefined;
      const more = faults === 1 ? "" : ` (and ${faults - 1} more)`;
      return new CliError(first.kind ?? "bug", `${first.name}: ${first.detail}${more}`, {
        hint: first.hint,
        command: first.command,
        sent: "no",
        retryable: first.kind === "unavailable",
      });
    },
  };
};

const examine = async (context: Context): Promise<readonly Check[]> => {
  const authorities = await checkExtraAuthorities(context.env);
  const [runtime, environment] = [checkRuntime(context.version), checkEnvironment(context.env)];
  const [files, journal, disk] = [await checkFiles(context.paths), await checkJournal(context), await checkDisk(context.paths)];
  const machine = [runtime, environment, files, journal, ...(disk === undefined ? [] : [disk]), ...authorities];
  const account = await accountOf(context);
  if ("check" in account) return [...machine, account.check];
  const named = well("account", `${account.account.profile} (${account.account.mode}) at ${account.account.baseUrl}, key from ${sourceOf(account.account)}`);
  const certificates = certificatesCheck(context, account.account);
  const before = [...machine, named, ...(certificates === undefined ? [] : [certificates])];
  if (certificates?.ok === false) return before;
  const keychain = account.account.storage === "keychain";
  try {
    const client = await context.client();
    const way = await checkWay(context, client, account.account);
    const reached = way.every(({ ok }) => ok);
    const opened = keychain ? [well("keychain", "gives the key")] : [];
    const second = account.account.hasWithdrawalKey ? [await checkWithdrawalKey(context)] : [];
    return [...before, ...opened, ...second, ...way, ...(reached ? await checkService(client, context) : [])];
  } catch (error) {
    if (error instanceof CliError && error.kind === "interrupted") throw error;
    return [...before, faultOf(keychain ? "keychain" : "key", error, "The key cannot be used.")];
  }
};

/** Unchecked certificates are for loopback alone, and worth knowing there. */
const certificatesCheck = ({ env, flags }: Pick<Context, "env" | "flags">, account: Account): Check | undefined => {
  if (flags.sandbox || env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0") return undefined;
  try {
    refuseUnverifiedTls(new URL(account.baseUrl), env);
    return well("certificates", "not checked on this machine, as NODE_TLS_REJECT_UNAUTHORIZED=0 says");
  } catch (error) {
    return faultOf("certificates", error, "Certificates are not checked.");
  }
};

/** Nobody is asked for the passphrase: a wrong one shows that only the right one is missing. */
const checkWithdrawalKey = async (context: Context): Promise<Check> => {
  const name = "withdrawal key";
  try {
    await context.client({ key: "withdrawal", passphrase: "" });
    return fault(name, "config", "It opens without a passphrase.", "Store it again: payments-cli profile set NAME --with-withdrawal-key");
  } catch (error) {
    return error instanceof CliError && error.kind === "auth" ? well(name, "opens with its passphrase alone") : faultOf(name, error, "It cannot be read.");
  }
};

/** The way to the service. The embedded one has none. */
const checkWay = async (context: Context, client: Client, account: Account): Promise<readonly Check[]> =>
  client.inspect === undefined ? [] : checkConnection(await client.inspect(context.signal), new URL(account.baseUrl), context.clock.now());

const sourceOf = ({ keySource, storage }: Account): string =>
  keySource === "env" ? "PAYMENTS_API_KEY" : storage === "keychain" ? "the keychain" : "the profile";

const accountOf = async (context: Pick<Context, "account">): Promise<{ readonly account: Account } | { readonly check: Check }> => {
  try {
    return { account: await context.account() };
  } catch (error) {
    return { check: faultOf("account", error, "The settings cannot be read.") };
  }
};

const blocksOf = (checks: readonly Check[]): readonly Block[] => [
  {
    kind: "card",
    pairs: checks.map(({ name, ok, detail }): readonly [string, Cell] => [
      name,
      { text: ok ? `ok: ${detail}` : `PROBLEM: ${detail}`, tone: ok ? "plain" : "bad" },
    ]),
  },
  ...(checks.every(({ ok }) => ok) ? [{ kind: "text" as const, lines: [{ text: "Everything works.", tone: "good" as const }] }] : [hintsOf(checks)]),
];

const hintsOf = (checks: readonly Check[]): Block => ({
  kind: "text",
  lines: ["What to do:", ...checks.flatMap(({ name, hint }) => (hint === undefined ? [] : [`  ${name}: ${hint}`]))],
});

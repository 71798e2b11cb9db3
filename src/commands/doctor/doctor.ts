import type { Run } from "../../command.ts";
import { CliError, withoutStop } from "../../errors.ts";
import { present } from "../../json/exact-json.ts";
import { countOf } from "../../money/grouped.ts";
import type { Block } from "../../outcome.ts";
import { hintText } from "../../output/error-text.ts";
import type { Account, Context } from "../../ports.ts";
import { refuseUnverifiedTls } from "../../service/base-url.ts";
import { shellOf } from "../../shell.ts";
import { type Check, check } from "./check.ts";
import { diskDetail, environmentDetail, extraAuthorities, filesDetail, journalDetail, runtimeDetail } from "./machine.ts";
import { checkConnection, checkService } from "./service.ts";
import type { doctorSpec } from "./spec.ts";

/** `doctor`: each step from the runtime to the scopes, each well or with what to do. Creates nothing. */
export const run: Run<typeof doctorSpec> = async (_, context) => {
  const checks = await examine(context);
  const shell = shellOf(context.env);
  const rows = checks.map(({ name, detail, fault }) => ({ name, ok: fault === undefined, detail, hint: fault && hintText(fault, shell) }));
  const faults = checks.filter(({ fault }) => fault !== undefined);
  return {
    rows: rows.map(present),
    document: (shown) => ({ checks: shown }),
    columns: ["name", "ok", "detail", "hint"],
    view: { kind: "blocks", blocks: () => blocksOf(rows) },
    verdict: () => {
      const [first] = faults;
      if (first?.fault === undefined) return undefined;
      const { kind, hint, command } = first.fault;
      const end = { sent: "no", retryable: kind === "unavailable" } as const;
      // A person has just read what each is, and what to do.
      if (context.flags.output === "table")
        return new CliError(kind, `${countOf(faults.length, "problem")}: ${faults.map(({ name }) => name).join(", ")}`, end);
      const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
      return new CliError(kind, `${first.name}: ${withoutStop(first.detail)}${more}`, { hint, command, ...end });
    },
  };
};

const examine = async (context: Context): Promise<readonly Check[]> => {
  const { env, paths } = context;
  let account: Account | undefined;
  const found = [
    await check("runtime", "", () => runtimeDetail(context.version)),
    await check("environment", "", () => environmentDetail(env)),
    await check("files", "", () => filesDetail(paths)),
    await check("journal", "Payments cannot be recorded, so none would be sent.", () => journalDetail(context)),
    await check("disk", "", () => diskDetail(paths)),
    await check("extra certificates", "", () => extraAuthorities(env)),
    await check("account", "The settings cannot be read.", async () => {
      account = await context.account();
      return `${account.profile} (${account.mode}) at ${account.baseUrl}, key from ${sourceOf(account)}`;
    }),
  ].filter(({ detail }) => detail !== "");
  return account === undefined ? found : [...found, ...(await examineAccount(account, context))];
};

const examineAccount = async (account: Account, context: Context): Promise<readonly Check[]> => {
  const { flags, env, signal, clock } = context;
  const found: Check[] = [];
  // Unchecked certificates are for loopback alone, and worth knowing there.
  if (!flags.sandbox && env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    const certificates = await check("certificates", "Certificates are not checked.", () => {
      refuseUnverifiedTls(new URL(account.baseUrl), env);
      return "not checked on this machine, as NODE_TLS_REJECT_UNAUTHORIZED=0 says";
    });
    found.push(certificates);
    if (certificates.fault !== undefined) return found;
  }
  const keychain = account.storage === "keychain";
  const rest: Check[] = [];
  const opened = await check(keychain ? "keychain" : "key", "The key cannot be used.", async () => {
    const client = await context.client();
    if (account.hasWithdrawalKey) rest.push(await checkWithdrawalKey(context));
    // The embedded service has no way to it.
    const way = client.inspect === undefined ? [] : checkConnection(await client.inspect(signal), new URL(account.baseUrl), clock.now());
    rest.push(...way, ...(way.every(({ fault }) => fault === undefined) ? await checkService(client, context) : []));
    return "gives the key";
  });
  if (opened.fault !== undefined) return [...found, opened];
  return [...found, ...(keychain ? [opened] : []), ...rest];
};

/** Nobody is asked for the passphrase: a wrong one shows that only the right one is missing. */
const checkWithdrawalKey = (context: Pick<Context, "client" | "account">): Promise<Check> =>
  check("withdrawal key", "It cannot be read.", async () => {
    try {
      await context.client({ key: "withdrawal", passphrase: "" });
    } catch (error) {
      if (error instanceof CliError && error.kind === "auth") return "opens with its passphrase alone";
      throw error;
    }
    const command = ["profile", "set", (await context.account()).profile, "--with-withdrawal-key"];
    throw new CliError("config", "It opens without a passphrase.", { hint: "To store it again", command });
  });

const sourceOf = ({ keySource, storage }: Account): string =>
  keySource === "env" ? "PAYMENTS_API_KEY" : storage === "keychain" ? "the keychain" : "the profile";

type Row = { readonly name: string; readonly ok: boolean; readonly detail: string; readonly hint: string | undefined };
const blocksOf = (rows: readonly Row[]): readonly Block[] => [
  {
    kind: "card",
    pairs: rows.map(({ name, ok, detail }) => [name, { text: ok ? `ok: ${detail}` : `PROBLEM: ${detail}`, tone: ok ? "plain" : "bad" }]),
  },
  rows.every(({ ok }) => ok)
    ? { kind: "text", lines: [{ text: "Everything works.", tone: "good" }] }
    : { kind: "text", lines: ["What to do:", ...rows.flatMap(({ name, hint }) => (hint === undefined ? [] : [`  ${name}: ${hint}`]))] },
];

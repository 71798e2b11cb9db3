import { schemeByDefault } from "../../accounts/account.ts";
import { checkProfileName, createProfiles, fromStored, type Profile } from "../../accounts/profiles.ts";
import { cleanNewPassphrase, cleanSecret, decodeText, problemOf, splitSecrets } from "../../accounts/secrets.ts";
import type { Owner } from "../../accounts/withdrawal-key.ts";
import type { Input, Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { hasPassword, parseJournalUrl } from "../../journal/postgres/connection-settings.ts";
import { present } from "../../json/exact-json.ts";
import type { Context } from "../../ports.ts";
import { baseUrlText, parseBaseUrl } from "../../service/base-url.ts";
import { commandLine, shellOf } from "../../shell.ts";
import { checkSecrets } from "../../webhooks/forward-settings.ts";
import { isSignatureScheme } from "../../webhooks/webhook-signature.ts";
import { profileOutcome, refuseSandbox } from "./profile.ts";
import type { profileSetSpec } from "./spec.ts";

const stdinBytesMax = 256 * 1024;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

type SetFlags = Input<typeof profileSetSpec>["flags"];
/** A secret is typed, or piped in. */
type Asking = Pick<Context, "terminal" | "prompt" | "readStdin">;
type Changes = Partial<Omit<Profile, "name" | "storage" | "keyHint">>;

/** Its password would show in process lists and shell history. */
const checkJournalUrl = (text: string): string => {
  const url = parseJournalUrl(text);
  if (hasPassword(url))
    throw usageError(
      "--journal-url has a password in it.",
      "Leave it out. Give it on standard input with --with-journal-password, or in PGPASSWORD or PGPASSFILE.",
    );
  return text.trim();
};

/** The password in what was typed or piped in; empty without one. */
const passwordIn = (text: string | Uint8Array): string => (typeof text === "string" ? text : decodeText(text)).replace(/\r?\n$/, "");

const readJournalPassword = async ({ terminal, prompt, readStdin }: Asking): Promise<string> => {
  const ask = () => prompt.secret({ message: "Password of the journal's database" });
  const password = passwordIn(await (terminal.interactive ? ask() : readStdin(stdinBytesMax)));
  if (password === "") throw usageError("There is no password on standard input.");
  return password;
};

/** How long --journal-url alone waits for a password on standard input, ms: a pipe that nobody writes to must not hold it up. */
const pipedWithinMs = 1_000;

/** The password that is piped in beside --journal-url, if there is one. */
const readPipedPassword = async (context: Pick<Context, "terminal" | "readStdin" | "clock">): Promise<string | undefined> => {
  if (context.terminal.interactive) return undefined;
  const waiting = new AbortController();
  const piped = await Promise.race([context.readStdin(stdinBytesMax), context.clock.sleep(pipedWithinMs, waiting.signal)]).finally(() => waiting.abort());
  return piped === undefined ? undefined : passwordIn(piped) || undefined;
};

const plainChanges = ({ mode, signature: scheme, signatureHeader: header, journalUrl }: SetFlags, context: Pick<Context, "flags">): Changes => {
  if (header !== undefined && !headerName.test(header))
    throw usageError("--signature-header is not a header's name.", "For example: --signature-header X-Payments-Signature");
  return present({
    baseUrl: context.flags.baseUrl === undefined ? undefined : baseUrlText(parseBaseUrl(context.flags.baseUrl)),
    mode,
    journalUrl: journalUrl === undefined ? undefined : checkJournalUrl(journalUrl),
    signature: scheme === undefined && header === undefined ? undefined : present({ scheme, header }),
  });
};

const readWebhookSecrets = async (scheme: string, context: Asking): Promise<readonly string[]> => {
  const secrets = splitSecrets(
    context.terminal.interactive
      ? await context.prompt.secret({ message: "Webhook secret", check: (text) => (text.trim() === "" ? "The webhook secret is empty." : undefined) })
      : await context.readStdin(stdinBytesMax),
  );
  if (secrets.length === 0) throw usageError("There is no webhook secret on standard input.", "Give one or more, each on a line of its own.");
  if (isSignatureScheme(scheme)) checkSecrets(scheme, secrets);
  return secrets;
};

/** The second key and its passphrase: asked for on a terminal (the passphrase twice), else the two lines of standard input. */
const readWithdrawalKey = async (context: Asking): Promise<{ readonly key: string; readonly passphrase: string }> => {
  if (context.terminal.interactive) {
    const ask = async (message: string, clean: (text: string) => string): Promise<string> =>
      clean(await context.prompt.secret({ message, check: (text) => problemOf(() => clean(text)) }));
    const key = await ask("Withdrawal key", (text) => cleanSecret(text, "The withdrawal key"));
    const passphrase = await ask("Passphrase for withdrawals, 8 characters or more", cleanNewPassphrase);
    const check = (text: string): string | undefined =>
      text.normalize("NFC") === passphrase ? undefined : "The two passphrases differ. Type the first one again.";
    await context.prompt.secret({ message: "The same passphrase again", check });
    return { key, passphrase };
  }
  const text = decodeText(await context.readStdin(stdinBytesMax));
  const [keyLine = ""] = text.split(/\r?\n/, 1);
  const key = cleanSecret(keyLine, "The withdrawal key on standard input");
  const rest = text.slice(keyLine.length).replace(/^\r?\n/, "");
  if (rest === "") {
    throw usageError(
      "The passphrase is missing: without a terminal it is the second line of standard input (--passphrase-stdin).",
      'printf \'%s\\n\' "$KEY" "$PASSPHRASE" | payments-cli profile set NAME --with-withdrawal-key --passphrase-stdin',
    );
  }
  return { key, passphrase: cleanNewPassphrase(rest) };
};

const secretChanges = async (flags: SetFlags, owner: Owner & { readonly scheme: string }, context: Asking & Pick<Context, "clock">): Promise<Changes> => {
  if (flags.withJournalPassword) return { journalPassword: await readJournalPassword(context) };
  if (flags.withWebhookSecret) return { webhookSecrets: await readWebhookSecrets(owner.scheme, context) };
  if (!flags.withWithdrawalKey) {
    return flags.journalUrl === undefined ? {} : present({ journalPassword: await readPipedPassword(context) });
  }
  if (owner.baseUrl === "") {
    throw usageError(`The profile ${JSON.stringify(owner.profile)} has no base URL, and a withdrawal key belongs to one.`, "Give --base-url URL too.");
  }
  const { key, passphrase } = await readWithdrawalKey(context);
  const { sealKey } = await import("../../accounts/withdrawal-key.ts");
  return { withdrawalKey: await sealKey(key, passphrase, { profile: owner.profile, baseUrl: owner.baseUrl }) };
};

const apply = (stored: Profile | undefined, name: string, changes: Changes, context: Pick<Context, "env" | "note">): Profile => {
  const before = stored ?? fromStored(name, {});
  // A stored key belongs to the address it was given for (rules.md): a profile that moves away keeps it, unused, until it comes back.
  const { keyBaseUrl, ...kept } = before;
  const keysAt = before.storage === "none" ? undefined : (keyBaseUrl ?? before.baseUrl);
  const baseUrl = changes.baseUrl ?? before.baseUrl;
  const moved = keysAt !== undefined && keysAt !== "" && keysAt !== baseUrl;
  if (moved && changes.baseUrl !== undefined) {
    const login = commandLine(["login", "--name", name, "--base-url", baseUrl], shellOf(context.env));
    context.note(`The stored key belongs to ${keysAt} and is not sent to ${baseUrl}. Give the key for it: ${login}`);
  }
  const sealedFor = (changes.withdrawalKey ?? before.withdrawalKey)?.baseUrl;
  if (sealedFor !== undefined && sealedFor !== baseUrl && changes.baseUrl !== undefined)
    context.note(`The withdrawal key belongs to ${sealedFor} and is kept, but not used at ${baseUrl}.`);
  const { signature, ...rest } = changes;
  return {
    ...kept,
    ...rest,
    ...(moved ? { keyBaseUrl: keysAt } : {}),
    signature: { ...before.signature, ...signature },
    hasWithdrawalKey: before.hasWithdrawalKey || changes.withdrawalKey !== undefined,
  };
};

export const run: Run<typeof profileSetSpec> = async ({ flags, args }, context) => {
  refuseSandbox(context.flags);
  const name = checkProfileName(args.name);
  const { withWebhookSecret: webhook, withWithdrawalKey: withdrawal, withJournalPassword: journal } = flags;
  if ([webhook, withdrawal, journal].filter(Boolean).length > 1)
    throw usageError("--with-webhook-secret, --with-withdrawal-key and --with-journal-password all read standard input: give one at a time.");
  if (flags.passphraseStdin && !withdrawal) throw usageError("--passphrase-stdin belongs to --with-withdrawal-key.");
  const plain = plainChanges(flags, context);
  const profiles = createProfiles(context);
  if (Object.keys(plain).length === 0 && !webhook && !withdrawal && !journal) {
    throw usageError(
      "There is nothing to set: give --base-url, --mode, --signature, --signature-header, --journal-url, --with-journal-password, --with-webhook-secret or --with-withdrawal-key.",
    );
  }
  // A secret for a profile that was only mistyped would be lost there; plain settings make a new one.
  const before = await profiles.read(name);
  if ((webhook || withdrawal || journal) && plain.baseUrl === undefined && before === undefined) {
    const remedy = { hint: "Give --base-url too to make it, or log in first", command: ["login", "--name", name] };
    throw new CliError("usage", `There is no profile ${JSON.stringify(name)} to keep a secret in.`, remedy);
  }
  const scheme = plain.signature?.scheme ?? before?.signature.scheme ?? schemeByDefault;
  const owner = { profile: name, baseUrl: plain.baseUrl ?? before?.baseUrl ?? "", scheme };
  const changes: Changes = { ...plain, ...(await secretChanges(flags, owner, context)) };
  const profile = await profiles.write(name, (stored) => apply(stored, name, changes, context));
  if (profile.baseUrl === "") context.note("This profile has no base URL yet.");
  const { current } = await profiles.list();
  return profileOutcome(profile, current === name, "Stored.");
};

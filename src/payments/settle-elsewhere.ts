import { profileWords } from "../command.ts";
import { CliError, type ErrorDetails } from "../errors.ts";
import type { Attempt } from "../journal/port.ts";
import type { Account, Client, Context } from "../ports.ts";
import { commandLine, shellOf } from "../shell.ts";

/** How attempts of another account are settled: in words, and as a command if one is enough. */
export type Elsewhere = { readonly error: CliError; readonly says: string; readonly command?: readonly string[] };

/**
 * How an attempt of another base URL or API key is settled; undefined if it is this account's. It is not looked up either: another key
 * may be another merchant's, whose transactions prove nothing about it.
 */
export const settledElsewhere = (attempt: Attempt, account: Account, client: Pick<Client, "keyFingerprint">, env: Context["env"]): Elsewhere | undefined => {
  const error = notOurs(attempt, account, client);
  if (error === undefined) return undefined;
  const flags = flagsOf(attempt, account);
  if (flags === undefined)
    return { error, says: `${attempt.recordedBy === undefined ? "" : `${attempt.recordedBy.login} runs `}journal resume --all with ${keyWords(attempt)}` };
  const command = ["journal", "resume", "--all", ...flags];
  return { error, says: commandLine(command, shellOf(env)), command };
};

const notOurs = (attempt: Attempt, account: Account, client: Pick<Client, "keyFingerprint">): CliError | undefined => {
  if (attempt.baseUrl !== account.baseUrl)
    return new CliError("config", `${nameOf(attempt)} belongs to ${attempt.baseUrl}, not to ${account.baseUrl}`, detailsOf(attempt, account));
  // A withdrawal may have been made with the profile's second key, which is only known once the passphrase is given.
  if (attempt.operation === "withdraw" && account.hasWithdrawalKey) return undefined;
  return client.keyFingerprint(attempt.keySalt) === attempt.keyFingerprint ? undefined : otherKeyError(attempt, account);
};

export const otherKeyError = (attempt: Attempt, account: Account): CliError =>
  new CliError("auth", `${nameOf(attempt)} was made with another API key`, detailsOf(attempt, account));

const nameOf = ({ id, recordedBy }: Attempt): string => `Attempt ${id}${recordedBy === undefined ? "" : ` of ${recordedBy.login}`}`;

/** The flags of the profile that made it. Undefined for somebody else's, for a key of the environment, and if the profile's key or address has changed since. */
const flagsOf = ({ profile, recordedBy }: Attempt, account: Account): readonly string[] | undefined =>
  recordedBy !== undefined || profile === account.profile ? undefined : profileWords(profile);

const keyWords = ({ baseUrl, recordedBy }: Attempt): string =>
  recordedBy === undefined ? `PAYMENTS_BASE_URL=${baseUrl} and the PAYMENTS_API_KEY that made it` : "the key that made it";

const detailsOf = (attempt: Attempt, account: Account): ErrorDetails => {
  const { id, idempotencyKey, recordedBy } = attempt;
  const own = { idempotencyKey, journalId: id, sent: "unknown" } as const;
  const flags = flagsOf(attempt, account);
  if (flags !== undefined) return { ...own, hint: "To settle it with the profile that made it", command: ["journal", "resume", id, ...flags] };
  const settles =
    recordedBy === undefined ? `Run it again with ${keyWords(attempt)}.` : `${recordedBy.login} settles it, or anybody with that address and key.`;
  return { ...own, hint: `${settles} If you learn the outcome from the service, record it: add --mark accepted or --mark refused.` };
};

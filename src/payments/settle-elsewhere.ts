import { profileWords } from "../command.ts";
import { CliError, type ErrorDetails } from "../errors.ts";
import type { Attempt } from "../journal/port.ts";
import type { Account, Client, Context } from "../ports.ts";
import { commandLine, shellOf } from "../shell.ts";

/** How attempts of another account are settled: in words, and as a command if one is enough. */
export type Elsewhere = { readonly error: CliError; readonly says: string; readonly command?: readonly string[] };

/** How an attempt of another base URL or API key is settled; undefined if it is this account's. */
export const settledElsewhere = (attempt: Attempt, account: Account, client: Pick<Client, "keyFingerprint">, env: Context["env"]): Elsewhere | undefined => {
  const error = notOurs(attempt, account, client);
  if (error === undefined) return undefined;
  const flags = profileWords(attempt.profile);
  if (flags === undefined) return { error, says: `journal resume --all with ${environmentWords(attempt)}` };
  const command = ["journal", "resume", "--all", ...flags];
  return { error, says: commandLine(command, shellOf(env)), command };
};

const notOurs = (attempt: Attempt, account: Account, client: Pick<Client, "keyFingerprint">): CliError | undefined => {
  if (attempt.baseUrl !== account.baseUrl)
    return new CliError("config", `Attempt ${attempt.id} belongs to ${attempt.baseUrl}, not to ${account.baseUrl}`, detailsOf(attempt));
  // A withdrawal may have been made with the profile's second key, which is only known once the passphrase is given.
  if (attempt.operation === "withdraw" && account.hasWithdrawalKey) return undefined;
  return client.keyFingerprint(attempt.keySalt) === attempt.keyFingerprint ? undefined : otherKeyError(attempt);
};

export const otherKeyError = (attempt: Attempt): CliError => new CliError("auth", `Attempt ${attempt.id} was made with another API key`, detailsOf(attempt));

const detailsOf = (attempt: Attempt): ErrorDetails => {
  const flags = profileWords(attempt.profile);
  return {
    idempotencyKey: attempt.idempotencyKey,
    journalId: attempt.id,
    sent: "unknown",
    ...(flags === undefined
      ? { hint: `Run it again with ${environmentWords(attempt)}.` }
      : { hint: "To settle it with the profile that made it", command: ["journal", "resume", attempt.id, ...flags] }),
  };
};

const environmentWords = ({ baseUrl }: Attempt): string => `PAYMENTS_BASE_URL=${baseUrl} and the PAYMENTS_API_KEY that made it`;

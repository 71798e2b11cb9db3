import { CliError, usageError } from "../../errors.ts";
import type { Role } from "../port.ts";
import { type Connection, codeOf, journalUnavailable, openConnection } from "./connection.ts";
import { newerSchema, schemaVersion } from "./schema-version.ts";
import { readAssets } from "./sql.ts";

/** Makes a journal, or brings an older one up to this version, in one transaction: for `--dry-run` and for an administrator who runs it by hand. */
export const setupSql = ["BEGIN;", ...Object.values(readAssets()), "COMMIT;"].join("\n");

/** PostgreSQL cuts a longer name off, and it would then be another login's. */
const loginBytesMax = 63;
/** The statement that gives a login its role. Throws CliError usage for what cannot be a name. */
export const grantSql = (login: string, role: Role): string => {
  if (login === "" || /\p{Cc}/u.test(login) || Buffer.byteLength(login) > loginBytesMax)
    throw usageError(`${JSON.stringify(login)} is not the name of a login.`, `A name has 1 to ${loginBytesMax} bytes, without control characters.`);
  return `GRANT payments_${role} TO "${login.replaceAll('"', '""')}";`;
};

/** `upgradedFrom`: the version that an older journal had. */
export type SetupResult = { readonly where: string; readonly created: boolean; readonly upgradedFrom?: number };

const readVersion = async ({ query }: Connection): Promise<number> => {
  const [row] = await query("SELECT to_regclass('payments.meta') IS NOT NULL AS there");
  if (row?.["there"] !== true) return 0;
  const [meta] = await query("SELECT version FROM payments.meta");
  return Number(meta?.["version"]);
};

/** The SQLSTATE of a grant to a login that the database does not have. */
const undefinedObject = "42704";

/** Makes the journal in a database, or brings the one that is there up to date. Can be run again. Throws CliError usage without the rights. */
export const setUpJournal = async ({
  url,
  env,
  add,
}: {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly add: string | undefined;
}): Promise<SetupResult> => {
  const connection = await openConnection(url, env).catch((error: unknown) => {
    // Without a journal there is no status of one.
    throw error instanceof CliError && error.command !== undefined
      ? error.with({ hint: "Check that the database runs and can be reached, then run it again." })
      : error;
  });
  const { where } = connection;
  try {
    const version = await readVersion(connection);
    if (version > schemaVersion) throw newerSchema(where);
    if (version < schemaVersion) await connection.query(setupSql);
    if (add !== undefined) await connection.query(add);
    return { where, created: version === 0, ...(version > 0 && version < schemaVersion ? { upgradedFrom: version } : {}) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (codeOf(error) === undefinedObject) {
      throw usageError(
        `The journal at ${where} is there, but the database has no such login, so no role was given.`,
        "CREATE ROLE name LOGIN, in SQL, makes a login",
      );
    }
    throw journalUnavailable(where, error).with({
      message: `The journal could not be made at ${where}: ${error instanceof Error ? error.message : "no answer"}`,
      hint: "It needs the right to create roles and a schema. --dry-run shows the SQL for somebody who has it.",
    });
  } finally {
    connection.close();
  }
};

import { type Database, inTransaction, numberIn } from "../storage/sqlite.ts";
import { readAssets } from "./sql.ts";

/** A program that knows a lower version must not touch the file, as it would not see what the higher one wrote. */
export const schemaVersion = 2;
const tables = `${readAssets()["journal.sql"]} PRAGMA user_version = ${schemaVersion};`;

/**
 * Makes the tables in an empty database, in one transaction with `more`. Nothing is prepared: a statement could hold the file open
 * after it is closed, and on Windows it could not be removed then.
 */
export const createSchema = (database: Database, more = ""): void => database.exec(`BEGIN; ${tables} ${more} COMMIT`);

/** Brings a journal up to this program's version, in one transaction. Version 1 had no proposals. */
export const upgradeSchema = (database: Database): void => {
  if (numberIn(database, "user_version") >= schemaVersion) return;
  inTransaction(database, () => {
    // Another process may have been quicker.
    if (numberIn(database, "user_version") < schemaVersion) database.exec(`ALTER TABLE attempts ADD COLUMN approval_id TEXT; ${tables}`);
  });
};

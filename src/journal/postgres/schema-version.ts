import { CliError } from "../../errors.ts";

/** A program that knows a lower version is refused by the schema: it would not see what the higher one wrote. */
export const schemaVersion = 3;

export const newerSchema = (where: string): CliError =>
  new CliError("usage", `A newer version of payments-cli made the shared journal at ${where}; nothing was sent`, { hint: "Update payments-cli" });

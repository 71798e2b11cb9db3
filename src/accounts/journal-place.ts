import { type AccountSources, choiceOf } from "./account.ts";
import { createProfiles } from "./profiles.ts";

/** A shared journal: its URL, and the password if the profile keeps one. */
export type JournalPlace = { readonly url: string; readonly password?: string | undefined };

/** Where the journal of these settings is: PAYMENTS_JOURNAL_URL before the profile's; undefined for the file on this machine. */
export const readJournalPlace = async (sources: AccountSources): Promise<JournalPlace | undefined> => {
  const url = sources.env["PAYMENTS_JOURNAL_URL"]?.trim() ?? "";
  if (url !== "") return { url };
  if (sources.flags.sandbox) return undefined;
  const { address, envKey, name } = choiceOf(sources);
  if (envKey !== undefined && address !== undefined) return undefined;
  const { current, profiles } = await createProfiles(sources).list();
  const profile = profiles.find((one) => one.name === (name ?? current));
  return profile?.journalUrl === undefined ? undefined : { url: profile.journalUrl, password: profile.journalPassword };
};

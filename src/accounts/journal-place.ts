import type { AccountSources } from "./account.ts";
import { createProfiles } from "./profiles.ts";

/** A shared journal: its URL, and the password if the profile keeps one. */
export type JournalPlace = { readonly url: string; readonly password?: string | undefined };

const given = (text: string | undefined): string | undefined => (text === undefined || text.trim() === "" ? undefined : text.trim());

/** Where the journal of these settings is: PAYMENTS_JOURNAL_URL before the profile's; undefined for the file on this machine. */
export const readJournalPlace = async (sources: AccountSources): Promise<JournalPlace | undefined> => {
  const { flags, env } = sources;
  const url = given(env["PAYMENTS_JOURNAL_URL"]);
  if (url !== undefined) return { url };
  if (flags.sandbox) return undefined;
  const isEnvironment = given(env["PAYMENTS_API_KEY"]) !== undefined && given(env["PAYMENTS_BASE_URL"]) !== undefined;
  if (isEnvironment && flags.profile === undefined) return undefined;
  const { current, profiles } = await createProfiles(sources).list();
  const name = flags.profile ?? given(env["PAYMENTS_PROFILE"]) ?? current;
  const profile = profiles.find((one) => one.name === name);
  if (profile?.journalUrl === undefined) return undefined;
  return { url: profile.journalUrl, password: profile.journalPassword };
};

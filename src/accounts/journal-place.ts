import { baseUrlText } from "../service/base-url.ts";
import { type AccountSources, choiceOf } from "./account.ts";
import { createProfiles } from "./profiles.ts";
import { hasSettings } from "./settings-file.ts";

/** A shared journal: its URL, and the password if the profile keeps one. */
export type JournalPlace = { readonly url: string; readonly password?: string | undefined };

/**
 * Where the journal of these settings is: PAYMENTS_JOURNAL_URL before the profile's; undefined for the file on this machine. A key of the
 * environment has the profile's only at the profile's own address: what a team pays there, its members see.
 */
export const readJournalPlace = async (sources: AccountSources): Promise<JournalPlace | undefined> => {
  const url = sources.env["PAYMENTS_JOURNAL_URL"]?.trim() ?? "";
  if (url !== "") return { url };
  if (sources.flags.sandbox) return undefined;
  const { address, envKey, name } = choiceOf(sources);
  const needsNone = envKey !== undefined && address !== undefined;
  if (needsNone && !hasSettings(sources)) return undefined;
  const { current, profiles } = await createProfiles(sources).list();
  const profile = profiles.find((one) => one.name === (name ?? current));
  if (profile?.journalUrl === undefined || (needsNone && !isAt(address.text, profile.baseUrl))) return undefined;
  return { url: profile.journalUrl, password: profile.journalPassword };
};

const isAt = (text: string, baseUrl: string): boolean => URL.canParse(text) && baseUrlText(new URL(text)) === baseUrl;

import { unknownProfile } from "../../accounts/account.ts";
import { createProfiles, type Profile, type Profiles, withoutSecrets } from "../../accounts/profiles.ts";
import type { Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, type JsonObject } from "../../json/exact-json.ts";
import type { Outcome } from "../../outcome.ts";
import { cardOutcome, fieldText, listOutcome, textColumn } from "../../output/outcomes.ts";
import type { Context, GlobalFlags } from "../../ports.ts";
import { dropSecrets } from "./drop-secrets.ts";
import type { logoutSpec, profileListSpec, profileRemoveSpec, profileUseSpec } from "./spec.ts";

/** With --sandbox no profile is meant: to change one all the same would hit the live account. */
export const refuseSandbox = ({ sandbox }: Pick<GlobalFlags, "sandbox">): void => {
  if (sandbox) throw usageError("The sandbox has no profile that could be changed. Nothing was changed.", "Leave --sandbox out.");
};

/** A profile as it may be shown (rules.md, `profile list --json`): never a secret. */
const profileRow = ({ name, baseUrl, mode, storage, keyHint }: Profile, current: boolean): JsonObject => ({ name, baseUrl, mode, current, storage, keyHint });
const fields = ["name", "baseUrl", "mode", "current", "storage", "keyHint"];

/** One profile after a change, under a line that says what was done. */
export const profileOutcome = (profile: Profile, current: boolean, said: string): Outcome => {
  const { name, baseUrl, mode, storage, keyHint } = profile;
  const key = storage === "none" ? "not stored" : `${keyHint} (in ${storage === "file" ? "a file only you can read" : "the keychain"})`;
  const address = baseUrl === "" ? "not set yet" : baseUrl;
  return cardOutcome(profileRow(profile, current), Object.entries({ Profile: name, "Base URL": address, Mode: mode, Key: key }), said);
};

export const list: Run<typeof profileListSpec> = async (_, context) => {
  const { current, profiles } = await createProfiles(context).list();
  const rows = profiles.map((profile) => profileRow(profile, profile.name === current));
  return listOutcome("profiles", rows, fields, {
    columns: [
      { heading: "Current", cell: (row) => (fieldOf(row, "current") === true ? { text: "*", tone: "good" } : "") },
      { heading: "Profile", cell: (row) => ({ text: fieldText("name")(row), tone: "strong" }) },
      textColumn("Base URL", "baseUrl", { whole: true }),
      { heading: "Mode", cell: (row) => ({ text: fieldText("mode")(row), tone: fieldOf(row, "mode") === "live" ? "bad" : "plain" }) },
      textColumn("Key in", "storage", { sheds: 1 }),
      textColumn("Key", "keyHint", { sheds: 2 }),
    ],
    empty: "No profiles yet. Create one with: payments-cli login",
  });
};

export const use: Run<typeof profileUseSpec> = async ({ args: { name } }, context) => {
  refuseSandbox(context.flags);
  const profiles = createProfiles(context);
  const profile = (await profiles.use(name)) ? await profiles.read(name) : undefined;
  if (profile === undefined) throw await unknownProfile(name, profiles);
  const winner = ["PAYMENTS_API_KEY", "PAYMENTS_PROFILE"].find((variable) => (context.env[variable] ?? "") !== "");
  if (winner !== undefined) context.note(`${winner} is set, so commands use it and not the current profile.`);
  return profileOutcome(profile, true, "Commands now use this profile.");
};

/** A profile that is there, and the check of `dropSecrets` for it. */
const readToDrop = async (name: string, words: readonly string[], profiles: Profiles, context: Context) => {
  const before = await profiles.read(name);
  if (before === undefined) throw await unknownProfile(name, profiles, { removing: true });
  return { before, check: await dropSecrets(before, words, context) };
};

export const remove: Run<typeof profileRemoveSpec> = async ({ args: { name } }, context) => {
  refuseSandbox(context.flags);
  const profiles = createProfiles(context);
  const { current } = await profiles.list();
  const { check } = await readToDrop(name, ["profile", "remove", name], profiles, context);
  const removed = await profiles.remove(name, check);
  if (removed === undefined) throw await unknownProfile(name, profiles, { removing: true });
  if (current === name) context.note("This was the current profile. Choose another with: payments-cli profile use NAME");
  return profileOutcome(withoutSecrets(removed), false, "Removed, with its key and secrets.");
};

export const logout: Run<typeof logoutSpec> = async ({ flags }, context) => {
  refuseSandbox(context.flags);
  const profiles = createProfiles(context);
  const { current, profiles: all } = await profiles.list();
  const name = flags.name ?? context.flags.profile ?? (context.env["PAYMENTS_PROFILE"] || current);
  if (name === undefined) {
    const hint = all.length === 0 ? undefined : "Choose one: payments-cli logout --name NAME";
    throw new CliError("config", "You are not logged in to any profile.", { hint });
  }
  const { before, check } = await readToDrop(name, ["logout", "--name", name], profiles, context);
  const after = await profiles.write(name, (stored) => {
    // Removed by another process in the meantime: then there is nothing left to forget.
    if (stored === undefined) throw new CliError("config", `The profile ${JSON.stringify(name)} no longer exists.`);
    check(stored);
    return withoutSecrets(stored);
  });
  if ((context.env["PAYMENTS_API_KEY"] ?? "") !== "") context.note("PAYMENTS_API_KEY is still set, so commands still use that key.");
  const said =
    before.storage === "none" ? "This profile had no key on this machine." : "Logged out. The keys and secrets of this profile were deleted from this machine.";
  return profileOutcome(after, name === current, said);
};

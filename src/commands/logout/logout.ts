import { unknownProfile } from "../../accounts/account.ts";
import { createProfiles, withoutSecrets } from "../../accounts/profiles.ts";
import type { Run } from "../../command.ts";
import { CliError } from "../../errors.ts";
import { dropSecrets, systemKeychain } from "../profile/drop-secrets.ts";
import { profileOutcome } from "../profile/profile-row.ts";
import type { logoutSpec } from "./spec.ts";

export const run: Run<typeof logoutSpec> = async ({ flags }, context) => {
  const profiles = createProfiles(context);
  const { current, profiles: all } = await profiles.list();
  const variable = context.env["PAYMENTS_PROFILE"];
  const name = flags.name ?? context.flags.profile ?? (variable === "" ? undefined : variable) ?? current;
  if (name === undefined) {
    throw new CliError("config", "You are not logged in to any profile.", {
      hint: all.length === 0 ? undefined : "Choose one: payments-cli logout --name NAME",
    });
  }
  const before = all.find((profile) => profile.name === name);
  if (before === undefined) throw await unknownProfile(name, profiles, { removing: true });
  const check = await dropSecrets(before, ["logout", "--name", name], systemKeychain, context);
  const after = await profiles.write(name, (stored) => {
    // Removed by another process in the meantime: then there is nothing left to forget.
    if (stored === undefined) throw new CliError("config", `The profile ${JSON.stringify(name)} no longer exists.`);
    check(stored);
    return withoutSecrets(stored);
  });
  if ((context.env["PAYMENTS_API_KEY"] ?? "") !== "") context.note("PAYMENTS_API_KEY is still set, so commands still use that key.");
  return profileOutcome(after, name === current, "Logged out. The keys and secrets of this profile were deleted from this machine.");
};

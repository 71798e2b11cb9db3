import { unknownProfile } from "../../accounts/account.ts";
import { createProfiles } from "../../accounts/profiles.ts";
import type { Run } from "../../command.ts";
import { profileOutcome } from "./profile-row.ts";
import type { profileUseSpec } from "./spec.ts";

export const run: Run<typeof profileUseSpec> = async ({ args }, context) => {
  const { name } = args;
  const profiles = createProfiles(context);
  const profile = (await profiles.use(name)) ? await profiles.read(name) : undefined;
  if (profile === undefined) throw await unknownProfile(name, profiles);
  const winner = ["PAYMENTS_API_KEY", "PAYMENTS_PROFILE"].find((variable) => (context.env[variable] ?? "") !== "");
  if (winner !== undefined) context.note(`${winner} is set, so commands use it and not the current profile.`);
  return profileOutcome(profile, true, "Commands now use this profile.");
};

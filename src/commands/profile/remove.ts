import { unknownProfile } from "../../accounts/account.ts";
import { createProfiles, withoutSecrets } from "../../accounts/profiles.ts";
import type { Run } from "../../command.ts";
import { dropSecrets, systemKeychain } from "./drop-secrets.ts";
import { profileOutcome } from "./profile-row.ts";
import type { profileRemoveSpec } from "./spec.ts";

export const run: Run<typeof profileRemoveSpec> = async ({ args }, context) => {
  const { name } = args;
  const profiles = createProfiles(context);
  const { current, profiles: all } = await profiles.list();
  const before = all.find((profile) => profile.name === name);
  if (before === undefined) throw await unknownProfile(name, profiles, { removing: true });
  const check = await dropSecrets(before, ["profile", "remove", name], systemKeychain, context);
  const removed = await profiles.remove(name, check);
  if (removed === undefined) throw await unknownProfile(name, profiles, { removing: true });
  if (current === name) context.note("This was the current profile. Choose another with: payments-cli profile use NAME");
  return profileOutcome(withoutSecrets(removed), false, "Removed, with its key and secrets.");
};

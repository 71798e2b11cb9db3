import type { Run } from "../../kernel/command.ts";
import { createProfiles, withoutSecrets } from "../../store/profiles.ts";
import { forgetEntry, type KeychainSource, systemKeychain } from "./forget-entry.ts";
import { profileOutcome, unknownProfile } from "./profile-row.ts";

export const createRun =
  (keychain: KeychainSource): Run =>
  async (input, context) => {
    const name = input.args[0] ?? "";
    const profiles = createProfiles(context);
    const wasCurrent = (await profiles.list()).current === name;
    const removed = await profiles.remove(name);
    if (removed === undefined) throw await unknownProfile(name, profiles);
    await forgetEntry(removed.keychainEntry, keychain, context);
    if (wasCurrent) context.note("It was the current profile: choose another with `payments-cli profile use NAME`.");
    return profileOutcome(withoutSecrets(removed), false, "Removed, with its key and secrets.");
  };

export const run: Run = createRun(systemKeychain);

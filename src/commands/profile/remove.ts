import type { Run } from "../../kernel/command.ts";
import { createProfiles, withoutSecrets } from "../../store/profiles.ts";
import { commandLine, confirmDrop, refuseUnasked } from "./confirm-drop.ts";
import { forgetEntry, type KeychainSource, systemKeychain } from "./forget-entry.ts";
import { profileOutcome, unknownProfile } from "./profile-row.ts";

export const createRun =
  (keychain: KeychainSource): Run =>
  async (input, context) => {
    const name = input.args[0] ?? "";
    const profiles = createProfiles(context);
    const { current, profiles: all } = await profiles.list();
    const before = all.find((profile) => profile.name === name);
    if (before === undefined) throw await unknownProfile(name, profiles);
    const asked = before.hasWithdrawalKey || context.flags.yes;
    if (before.hasWithdrawalKey && !context.flags.yes)
      await confirmDrop(before, `Confirm it with --yes: ${commandLine(context, "profile", "remove", name, "--yes")}`, context);
    const removed = await profiles.remove(name, (stored) => refuseUnasked(stored, asked));
    if (removed === undefined) throw await unknownProfile(name, profiles);
    await forgetEntry(removed.keychainEntry, keychain, context);
    if (current === name) context.note("It was the current profile: choose another with `payments-cli profile use NAME`.");
    return profileOutcome(withoutSecrets(removed), false, "Removed, with its key and secrets.");
  };

export const run: Run = createRun(systemKeychain);

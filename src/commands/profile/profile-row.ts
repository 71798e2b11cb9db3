import type { Profile, Profiles } from "../../accounts/profiles.ts";
import { CliError } from "../../errors.ts";
import type { JsonObject } from "../../json/exact-json.ts";
import type { Outcome } from "../../outcome.ts";

/** A profile as it may be shown (rules.md, `profile list --json`): never a secret. */
export const profileRow = (profile: Profile, current: boolean): JsonObject => ({
  name: profile.name,
  baseUrl: profile.baseUrl,
  mode: profile.mode,
  current,
  storage: profile.storage,
  keyHint: profile.keyHint,
});

const keyText = (profile: Profile): string => {
  if (profile.storage === "none") return "none yet";
  return `${profile.keyHint} (in ${profile.storage === "file" ? "a file only you can read" : "the keychain"})`;
};

/** One profile after a change, under a line that says what was done. */
export const profileOutcome = (profile: Profile, current: boolean, said: string): Outcome => ({
  rows: [profileRow(profile, current)],
  single: true,
  view: {
    kind: "blocks",
    blocks: () => [
      { kind: "text", lines: [{ text: said, tone: "good" }] },
      {
        kind: "card",
        pairs: [
          ["Profile", profile.name],
          ["Base URL", profile.baseUrl === "" ? "not set yet" : profile.baseUrl],
          ["Mode", profile.mode],
          ["Key", keyText(profile)],
        ],
      },
    ],
  },
});

/** Exit 3 with the names there are. */
export const unknownProfile = async (name: string, profiles: Profiles): Promise<CliError> => {
  const names = (await profiles.list()).profiles.map((profile) => JSON.stringify(profile.name));
  return new CliError("config", `There is no profile ${JSON.stringify(name)}.`, {
    hint: names.length === 0 ? "There are no profiles yet: payments-cli login" : `There are: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}`,
  });
};

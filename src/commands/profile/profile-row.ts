import type { Profile } from "../../accounts/profiles.ts";
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
  if (profile.storage === "none") return "not stored";
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

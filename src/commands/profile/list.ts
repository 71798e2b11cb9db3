import { createProfiles } from "../../accounts/profiles.ts";
import type { Run } from "../../command.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";
import { profileRow } from "./profile-row.ts";
import type { profileListSpec } from "./spec.ts";

export const run: Run<typeof profileListSpec> = async (_, context) => {
  const { current, profiles } = await createProfiles(context).list();
  const text = (name: string) => (row: Parameters<typeof fieldOf>[0]) => textOf(fieldOf(row, name)) ?? "";
  return {
    rows: profiles.map((profile) => profileRow(profile, profile.name === current)),
    document: (rows) => ({ profiles: rows }),
    columns: ["name", "baseUrl", "mode", "current", "storage", "keyHint"],
    view: {
      kind: "table",
      columns: [
        { heading: "", cell: (row) => (fieldOf(row, "current") === true ? { text: "*", tone: "good" } : "") },
        { heading: "Profile", cell: (row) => ({ text: text("name")(row), tone: "strong" }) },
        { heading: "Base URL", cell: text("baseUrl") },
        { heading: "Mode", cell: text("mode") },
        { heading: "Key in", cell: text("storage"), sheds: 1 },
        { heading: "Key", cell: text("keyHint"), sheds: 2 },
      ],
      empty: "No profiles yet. Create one with: payments-cli login",
    },
  };
};

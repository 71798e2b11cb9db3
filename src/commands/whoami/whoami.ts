import type { Run } from "../../command.ts";
import { cardOutcome } from "../../output/outcomes.ts";
import type { whoamiSpec } from "./spec.ts";

const sources = { env: "PAYMENTS_API_KEY", keystore: "the profile" } as const;
const storages = { file: "in a file only you can read", keychain: "in the keychain", none: "not stored" } as const;

export const run: Run<typeof whoamiSpec> = async (_, context) => {
  const { profile, baseUrl, mode, keySource, storage, keyHint } = await context.account();
  // A key that no profile keeps and no variable gives is the embedded sandbox's.
  const isSandboxKey = keySource === "keystore" && storage === "none";
  return cardOutcome({ profile, baseUrl, mode, keySource, storage, keyHint }, [
    ["Profile", { text: profile, tone: "strong" }],
    ["Base URL", baseUrl],
    ["Mode", { text: mode, tone: mode === "live" ? "bad" : "waiting" }],
    ["Key", keyHint],
    ["Key from", isSandboxKey ? "the sandbox" : sources[keySource]],
    ["Key stored", isSandboxKey ? "in the sandbox's data" : storages[storage]],
  ]);
};

import { command, readCodes, text, toggle } from "../../command-spec.ts";

const why = "needs a terminal, or a service and a key of its own";

export const loginSpec = command("login", "Store the API key of a merchant account in a profile", {
  details:
    "Asks for the profile's name, the base URL and the API key (hidden as you type), checks the key, and makes this the current profile. A key that the service refuses (401) is not stored, and is asked for again. In a script, pipe the key to standard input with --with-key; a key is never given as a flag.",
  flags: {
    name: text("Name of the profile (default: default)", "NAME", { completes: "profile", usual: "default" }),
    "with-key": toggle("Read the key from standard input"),
    mode: text("live for real money, sandbox for a test account (default live)", "MODE", { choices: ["live", "sandbox"], default: "live" }),
    keychain: toggle("Store the key in the operating system's keychain instead of a file"),
  },
  examples: [
    ["login", "Answer the questions", why],
    ["login --base-url https://pay.example.com --with-key --name shop < key.txt", "In a script", why],
    ["login --keychain", "With the key in the keychain", why],
  ],
  exitCodes: readCodes,
});

import { command, text, toggle } from "../../command-spec.ts";
import { signatureSchemes } from "../../service/contract/limits.ts";

const why = "needs a profile";
const name = { name: "NAME", summary: "The profile's name", required: true, completes: "profile" } as const;

export const profileListSpec = command("profile list", "List the profiles on this machine", {
  examples: [["profile list", "All profiles; * marks the current one"]],
});

export const profileUseSpec = command("profile use", "Make a profile the current one", {
  arguments: [name],
  examples: [["profile use shop", "From now on, commands use shop", why]],
  exitCodes: [3],
});

export const profileSetSpec = command("profile set", "Change a profile's settings and secrets", {
  details:
    "Creates the profile if it does not exist. On a terminal, the command asks for secrets; in a script, they come from standard input: webhook secrets one on each line; a withdrawal key on the first line and its passphrase on the second. The withdrawal key is encrypted with the passphrase (8 characters or more; scrypt, AES-256-GCM), which you type for every withdrawal. It belongs to the profile's base URL.",
  arguments: [name],
  flags: {
    mode: text("live for real money, sandbox for a test account", "MODE", { choices: ["live", "sandbox"] }),
    signature: text("How the service signs callbacks", "SCHEME", { choices: signatureSchemes }),
    "journal-url": text(
      "The team's journal in PostgreSQL; its password comes from standard input (--with-journal-password) or from PGPASSWORD or PGPASSFILE",
      "URL",
    ),
    "with-journal-password": toggle("Read the journal's password from standard input"),
    "signature-header": text("The header that carries the signature", "NAME"),
    "with-webhook-secret": toggle("Read webhook secrets from standard input, one on each line"),
    "with-withdrawal-key": toggle("Read a second key, only for withdrawals, from standard input"),
    "passphrase-stdin": toggle("The second line of standard input is the withdrawal key's passphrase"),
  },
  examples: [
    ["profile set shop --base-url https://pay.example.com --mode sandbox", "Set the address and mode"],
    ["profile set shop --signature stripe --with-webhook-secret < secret.txt", "Set how callbacks are checked", why],
    ["profile set shop --with-withdrawal-key", "Store a second key for withdrawals, with a passphrase", why],
  ],
  exitCodes: [3, 130],
});

export const profileRemoveSpec = command("profile remove", "Remove a profile with its key and secrets from this machine", {
  details: "Before it removes a withdrawal key, the command asks (or add --yes).",
  arguments: [name],
  examples: [["profile remove shop", "Remove the profile shop", why]],
  exitCodes: [3, 130],
});

export const logoutSpec = command("logout", "Remove a profile's keys and secrets from this machine", {
  details:
    "The profile's base URL, mode and signature settings stay; `profile remove` removes them too. The key itself stays valid at the service. Before it removes a withdrawal key, the command asks (or add --yes).",
  flags: { name: text("The profile (default: the current one)", "NAME", { completes: "profile" }) },
  examples: [["logout --name shop", "Remove the key of one profile", "needs a profile"]],
  exitCodes: [3, 130],
});

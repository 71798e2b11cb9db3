import { command, text } from "../../command-spec.ts";

export const logoutSpec = command("logout", "Remove a profile's keys and secrets from this machine", {
  details:
    "The profile's base URL, mode and signature settings stay; `profile remove` removes them too. The key itself stays valid at the service. Before it removes a withdrawal key, the command asks (or add --yes).",
  flags: { name: text("The profile (default: the current one)", "NAME", { completes: "profile" }) },
  examples: [["logout --name shop", "Remove the key of one profile", "needs a profile"]],
  exitCodes: [3, 130],
});

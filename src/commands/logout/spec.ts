import type { CommandSpec } from "../../command.ts";

export const logoutSpec = {
  path: ["logout"],
  summary: "Remove a profile's keys and secrets from this machine",
  details:
    "The profile's base URL, mode and signature settings stay; `profile remove` removes them too. The key itself stays valid at the service. Before it removes a withdrawal key, the command asks (or add --yes).",
  flags: { name: { type: "string", summary: "The profile (default: the current one)", placeholder: "NAME", completes: "profile" } },
  examples: [{ line: "payments-cli logout --name shop", says: "Remove the key of one profile", tested: false, why: "needs a profile" }],
  exitCodes: [3, 130],
} as const satisfies CommandSpec;

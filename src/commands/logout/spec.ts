import type { CommandSpec } from "../../command.ts";

export const logoutSpec = {
  path: ["logout"],
  summary: "Remove a profile's keys and secrets from this machine",
  details:
    "The profile's base URL, mode and signature settings stay; `profile remove` takes those too. The key itself stays valid at the service. A withdrawal key is removed only after a question, or with --yes.",
  flags: { name: { type: "string", summary: "The profile (the current one)", placeholder: "NAME", completes: "profile" } },
  examples: [{ line: "payments-cli logout --name shop", says: "Forget the key of one profile", tested: false, why: "needs a profile" }],
  exitCodes: [3, 130],
} as const satisfies CommandSpec;

import { command } from "../../command-spec.ts";

export const whoamiSpec = command("whoami", "Show which account and key are used, and where they come from", {
  details: "Makes no request. Shows at most the last four characters of the key.",
  examples: [
    ["whoami --sandbox", "The sandbox's account"],
    ["whoami --json", "The same as JSON", "needs a profile"],
  ],
  exitCodes: [3],
});

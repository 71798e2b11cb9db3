import { command } from "../../command-spec.ts";

export const commandsSpec = command("commands", "List every command with its flags, examples and exit codes, for programs", {
  examples: [
    ["commands", "One command on each line"],
    ["commands --json", "Everything, as JSON"],
  ],
});

import type { CommandSpec } from "../../command.ts";

export const completionSpec = {
  path: ["completion"],
  summary: "A completion script for your shell",
  details:
    "Prints a script that completes commands, flags, their choices, profile names, and rails, channels and currencies of the last `global providers` answer. A TAB never sends a request.",
  arguments: [{ name: "SHELL", summary: "The shell", required: true, choices: ["bash", "zsh", "fish", "powershell"] }],
  flags: {},
  examples: [
    { line: "payments-cli completion bash", says: "To be put in ~/.bashrc: source <(payments-cli completion bash)" },
    { line: "payments-cli completion zsh", says: "To be put in ~/.zshrc: source <(payments-cli completion zsh)" },
    { line: "payments-cli completion fish", says: "To be saved as ~/.config/fish/completions/payments-cli.fish" },
    { line: "payments-cli completion powershell", says: "To be put in $PROFILE: payments-cli completion powershell | Out-String | Invoke-Expression" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

import type { CommandSpec } from "../../command.ts";

export const completionSpec = {
  path: ["completion"],
  summary: "Print a script that makes TAB complete commands in your shell",
  details:
    "Completes commands, flags, their values, profile names, and the rails, channels and currencies that `global providers` showed last. Pressing TAB never sends a request.",
  arguments: [{ name: "SHELL", summary: "The shell", required: true, choices: ["bash", "zsh", "fish", "powershell"] }],
  flags: {},
  examples: [
    { line: "payments-cli completion bash", says: "Add to ~/.bashrc: source <(payments-cli completion bash)" },
    { line: "payments-cli completion zsh", says: "Add to ~/.zshrc: source <(payments-cli completion zsh)" },
    { line: "payments-cli completion fish", says: "Save as ~/.config/fish/completions/payments-cli.fish" },
    { line: "payments-cli completion powershell", says: "Add to $PROFILE: payments-cli completion powershell | Out-String | Invoke-Expression" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

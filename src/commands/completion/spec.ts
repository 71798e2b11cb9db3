import { command } from "../../command-spec.ts";

export const completionSpec = command("completion", "Print a script that makes TAB complete commands in your shell", {
  details:
    "Completes commands, flags, their values, profile names, and the rails, channels and currencies that `global providers` showed last. Pressing TAB never sends a request.",
  arguments: [{ name: "SHELL", summary: "The shell", required: true, choices: ["bash", "zsh", "fish", "powershell"] }],
  examples: [
    ["completion bash", "Add to ~/.bashrc: source <(payments-cli completion bash)"],
    ["completion zsh", "Add to ~/.zshrc: source <(payments-cli completion zsh)"],
    ["completion fish", "Save as ~/.config/fish/completions/payments-cli.fish"],
    ["completion powershell", "Add to $PROFILE: payments-cli completion powershell | Out-String | Invoke-Expression"],
  ],
});
